/* SPDX-License-Identifier: MIT */
/* Turns an error value into its text. */
#include "altpick/err.h"

const char *altpick_err_text(int err)
{
    switch (err) {
    case ALTPICK_OK:
        return "ok";
#define X(name, value, text)                                                                       \
    case value:                                                                                    \
        return text;
        ALTPICK_ERRORS(X)
#undef X
    }
    return "unknown error";
}
