/* SPDX-License-Identifier: MIT */
/* One question of a profile file into a result. */
#ifndef ALTPICK_HOST_RESULT_READ_H
#define ALTPICK_HOST_RESULT_READ_H

#include "altpick/profile.h"
#include "json_read.h"

#include <stdbool.h>

/*
 * Read and validate @object, a member of "questions", into the zeroed @ret_result.  @shuffled:
 * bytes of equal length may have changed places behind their names.  ret_result->candidates is the
 * caller's to free, on failure too.
 */
int altpick_result_read(const struct altpick_value *object, bool shuffled,
                        struct altpick_result *ret_result);

#endif
