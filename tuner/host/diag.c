/* SPDX-License-Identifier: MIT */
/* Turns a failure into one printable line. */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>

void altpick_plain(char *text)
{
    for (char *p = text; *p; p++) {
        if ((unsigned char) *p < 0x20 || *p == 0x7f)
            *p = '?';
        if ((unsigned char) p[0] == 0xc2 && (unsigned char) p[1] >= 0x80 &&
            (unsigned char) p[1] < 0xa0)
            p[0] = p[1] = '?'; /* C1, in UTF-8 */
    }
}

int altpick_fail(struct altpick_diag *diag, int err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(diag->text, sizeof diag->text, format, args);
    va_end(args);
    altpick_plain(diag->text);
    return err;
}
