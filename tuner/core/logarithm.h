/* SPDX-License-Identifier: MIT */
/* Geometric means in integers. */
#ifndef ALTPICK_CORE_LOGARITHM_H
#define ALTPICK_CORE_LOGARITHM_H

#include <stddef.h>
#include <stdint.h>

/* Binary logarithm of @value >= 1 with 24 binary digits after the point; exact to one of the last.
 */
uint64_t altpick_log2_q24(uint64_t value);

/* Geometric mean of @n >= 1 values from 1 to 2^40, to 6 digits. */
uint64_t altpick_geometric_mean(const uint64_t *values, size_t n);

#endif
