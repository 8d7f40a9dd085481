/* SPDX-License-Identifier: MIT */
/* Turns bytes into NOPs, and NOPs into what published figures say of them. */
#include "published.h"

enum { PREFIX_66 = 0x66, PREFIX_2E = 0x2e, ESCAPE_0F = 0x0f, NOP_90 = 0x90, NOP_1F = 0x1f };

/* Bytes of ModRM, SIB and displacement of a memory operand (SDM vol. 2, 2.1.5); 0: not one of /0.
 */
static size_t operand_bytes(const uint8_t *modrm, size_t bytes)
{
    unsigned mod, rm;
    size_t n = 1;

    if (bytes < 1)
        return 0;
    mod = modrm[0] >> 6;
    rm = modrm[0] & 7;
    if (mod == 3 || (modrm[0] >> 3 & 7) != 0)
        return 0;
    if (rm == 4) {
        if (bytes < 2)
            return 0;
        rm = modrm[1] & 7; /* base 5 without mod: a displacement alone, as rm 5 is RIP-relative */
        n = 2;
    }
    if (mod == 1)
        n += 1;
    else if (mod == 2 || rm == 5)
        n += 4;
    return n <= bytes ? n : 0;
}

size_t altpick_nop_scan(const uint8_t *code, size_t bytes, struct altpick_nop *ret_nop)
{
    size_t at = 0, prefixes, operand = 0;

    while (at < bytes && (code[at] == PREFIX_66 || code[at] == PREFIX_2E))
        at++;
    prefixes = at;
    if (bytes - at >= 1 && code[at] == NOP_90) {
        at += 1;
    } else if (bytes - at >= 2 && code[at] == ESCAPE_0F && code[at + 1] == NOP_1F) {
        at += 2;
        operand = operand_bytes(code + at, bytes - at);
        if (!operand)
            return 0;
        at += operand;
    } else {
        return 0;
    }
    if (at > ALTPICK_NOP_MAX)
        return 0;
    *ret_nop = (struct altpick_nop){
        .opcode = operand ? NOP_1F : NOP_90,
        .bytes = (uint8_t) at,
        .prefixes = (uint8_t) prefixes,
    };
    return at;
}

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

        n = altpick_nop_scan(code + at, bytes - at, &nop);
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
