/* SPDX-License-Identifier: MIT */
/* The pieces of an assembler include. */
#ifndef ALTPICK_GENERATORS_GAS_TEXT_H
#define ALTPICK_GENERATORS_GAS_TEXT_H

#include "altpick/out.h"
#include "altpick/output.h"

#include <stddef.h>
#include <stdint.h>

/* ".byte" directives for @code, 16 bytes each. */
void altpick_gas_bytes(struct altpick_out *out, const uint8_t *code, size_t bytes);

/* The macros of all bodies. */
void altpick_gas_bodies(struct altpick_out *out, const struct altpick_bodies *bodies);

#endif
