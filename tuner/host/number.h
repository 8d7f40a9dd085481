/* SPDX-License-Identifier: MIT */
/* Decimal numbers of arguments and files: digits only, no sign, no space, no locale. */
#ifndef ALTPICK_HOST_NUMBER_H
#define ALTPICK_HOST_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The digits at *@text, which is moved behind them.  False, and nothing is moved, where there are
 * none or their number is above @max. */
bool altpick_number_take(const char **text, uint32_t max, uint32_t *ret_value);

/* The same of a text that is nothing else. */
bool altpick_number_parse(const char *text, uint32_t max, uint32_t *ret_value);

#endif
