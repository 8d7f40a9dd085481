/* SPDX-License-Identifier: MIT */
/* Turns NOPs into what published figures say of them. */
#include "published.h"

int altpick_published_form(const struct altpick_nop *nop)
{
    for (int i = 0; i < ALTPICK_PUBLISHED_FORMS; i++) {
        const struct altpick_nop *form = &altpick_published_forms[i].nop;

        if (form->opcode == nop->opcode && form->bytes == nop->bytes &&
            form->prefixes == nop->prefixes)
            return i;
    }
    return -1;
}

enum altpick_elsewhere altpick_nop_elsewhere(const uint8_t *code, size_t bytes)
{
    enum altpick_elsewhere verdict = bytes ? ALTPICK_ELSEWHERE_FINE : ALTPICK_ELSEWHERE_UNKNOWN;
    struct altpick_nop nop;
    size_t n;

    for (size_t at = 0; at < bytes; at += n) {
        int form;

        n = altpick_nop_decode(code + at, bytes - at, &nop);
        if (!n)
            return ALTPICK_ELSEWHERE_UNKNOWN;
        form = altpick_published_form(&nop);
        if (form < 0)
            verdict = ALTPICK_ELSEWHERE_UNKNOWN;
        else if (altpick_published_forms[form].toxic_on >= 0)
            return ALTPICK_ELSEWHERE_TOXIC;
    }
    return verdict;
}
