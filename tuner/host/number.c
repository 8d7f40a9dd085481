/* SPDX-License-Identifier: MIT */
/* Turns digits into a number that is in range. */
#include "number.h"

bool altpick_number_take(const char **text, uint32_t max, uint32_t *ret_value)
{
    const char *p = *text;
    uint64_t value = 0;

    for (; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (uint64_t) (*p - '0');
        if (value > max)
            return false;
    }
    if (p == *text)
        return false;
    *text = p;
    *ret_value = (uint32_t) value;
    return true;
}

bool altpick_number_parse(const char *text, uint32_t max, uint32_t *ret_value)
{
    uint32_t value;

    if (!altpick_number_take(&text, max, &value) || *text)
        return false;
    *ret_value = value;
    return true;
}
