/* SPDX-License-Identifier: MIT */
/* The members of the flat objects of a profile: one table drives its writer and its reader. */
#ifndef ALTPICK_CORE_FIELDS_H
#define ALTPICK_CORE_FIELDS_H

#include "altpick/json.h"
#include "altpick/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALTPICK_PROFILE_FORMAT "altpick-profile"

enum altpick_field_kind {
    ALTPICK_FIELD_TEXT,  /* char[] */
    ALTPICK_FIELD_COUNT, /* uint32_t or uint64_t, decimal */
    ALTPICK_FIELD_HEX,   /* uint32_t or uint64_t, "0x..." */
    ALTPICK_FIELD_MICRO, /* uint64_t in millionths, six decimals */
    ALTPICK_FIELD_NAME,  /* enum, by its name */
    ALTPICK_FIELD_BITS,  /* uint32_t[], a list of the names of the bits that are set */
    ALTPICK_FIELD_TEXTS, /* char[][], and how many in a size_t */
};

/* The largest number that a file may hold.  Of the reader alone. */
enum altpick_field_limit {
    ALTPICK_FIELD_FITS, /* whatever the member holds */
    ALTPICK_FIELD_RING,
    ALTPICK_FIELD_BYTE,
    ALTPICK_FIELD_HZ,
    ALTPICK_FIELD_CYCLES,
};

struct altpick_field {
    const char *key;
    uint8_t kind;                        /* enum altpick_field_kind */
    uint8_t limit;                       /* COUNT, HEX, MICRO: enum altpick_field_limit */
    bool optional;                       /* TEXT, COUNT: absent from the file where empty or 0 */
    uint16_t offset;                     /* of the member in its struct */
    uint16_t bytes;                      /* of the member; TEXTS: of all of them */
    uint16_t count_offset, each;         /* TEXTS: of the size_t; bytes of one text */
    const char *(*name)(unsigned value); /* NAME, BITS */
};

struct altpick_fields {
    const struct altpick_field *field;
    size_t n;
};

extern const struct altpick_fields altpick_fields_cpu;       /* of struct altpick_cpu */
extern const struct altpick_fields altpick_fields_measured;  /* of struct altpick_machine */
extern const struct altpick_fields altpick_fields_condition; /* of struct altpick_condition_facts */
extern const struct altpick_fields altpick_fields_reason;    /* of struct altpick_measurement */
extern const struct altpick_fields altpick_fields_counted;   /* the same */
extern const struct altpick_fields altpick_fields_observed;  /* of struct altpick_observed */
extern const struct altpick_fields altpick_fields_status;    /* of struct altpick_cost: always */
extern const struct altpick_fields altpick_fields_figures;   /* of struct altpick_cost: if any */

/* Write the members of @object as members of the JSON object that is open. */
void altpick_fields_write(struct altpick_json *json, const struct altpick_fields *fields,
                          const void *object);

/* Whether a cost of this status has figures in the file. */
bool altpick_status_has_figures(enum altpick_status status);

#endif
