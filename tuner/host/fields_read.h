/* SPDX-License-Identifier: MIT */
/* Flat JSON objects into structs, by the table that also writes them. */
#ifndef ALTPICK_HOST_FIELDS_READ_H
#define ALTPICK_HOST_FIELDS_READ_H

#include "fields.h"
#include "json_read.h"

/* Read the members of @object that @fields lists into @ret_struct; others are not looked at. */
int altpick_fields_read(const struct altpick_value *object, const struct altpick_fields *fields,
                        void *ret_struct);

/* Refuse members of @object that neither @fields nor @more (may be NULL) lists. */
int altpick_fields_only(const struct altpick_value *object, const struct altpick_fields *fields,
                        const struct altpick_fields *more);

#endif
