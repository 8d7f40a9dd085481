/* SPDX-License-Identifier: MIT */
/* Decodes everything that an emitted header, of flavour c or elf, fills gaps with. */
#include "padding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include ALTPICK_EMITTED

enum { EVERY_GAP_TO = 4096 };

/* One kind of code, as the header describes it. */
struct subject {
    unsigned bits;
    void (*fill)(void *dst, size_t n);
    const unsigned char (*nops)[15];
    size_t longest, jump_from;
    const struct altpick_nop_gap *gaps;
    const unsigned char *poke5; /* NULL: not in this header */
};

/* The rule, in the words of its documentation: ceil(n / max) table entries, even, longer first. */
static bool is_even_split(const struct subject *s, const struct filling *filling, size_t n)
{
    static struct filling entry;
    size_t pieces = (n + s->longest - 1) / s->longest, next = 0;

    for (size_t piece = 0; piece < pieces; piece++) {
        size_t bytes = n / pieces + (piece < n % pieces);

        if (!padding_decode(s->bits, s->nops[bytes], bytes, &entry))
            return false;
        for (size_t i = 0; i < entry.count; i++) {
            if (next == filling->count || filling->bytes[next++] != entry.bytes[i])
                return false;
        }
    }
    return next == filling->count;
}

static bool is_listed_gap(const struct subject *s, size_t n)
{
    for (const struct altpick_nop_gap *gap = s->gaps; gap->bytes; gap++) {
        if (gap->bytes == n)
            return true;
    }
    return false;
}

static bool follows_the_rule(const struct subject *s, const struct filling *filling, size_t n)
{
    if (n <= 15 || is_listed_gap(s, n))
        return true;
    if (s->jump_from != 0 && n >= s->jump_from)
        return filling->jumps && filling->bytes[0] == (n <= 129 ? 2 : 5);
    return !filling->jumps && is_even_split(s, filling, n);
}

static int check(const struct subject *s, uint8_t *code, size_t n)
{
    static struct filling filling;
    bool good;

    memset(code, 0xcc, n + 1);
    s->fill(code, n);
    if (n <= EVERY_GAP_TO)
        good = padding_decode(s->bits, code, n, &filling) && follows_the_rule(s, &filling, n);
    else
        good = padding_reaches_end(s->bits, code, n);
    if (good && code[n] == 0xcc)
        return 0;
    printf("a gap of %zu bytes of %u-bit code is filled wrongly\n", n, s->bits);
    return 1;
}

static int check_all(const struct subject *s, uint8_t *code)
{
    static const size_t longer[] = {5000, 65535, 65536, 1000003};
    static struct filling filling;

    for (size_t n = 0; n <= EVERY_GAP_TO; n++) {
        if (check(s, code, n))
            return 1;
    }
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        if (check(s, code, longer[i]))
            return 1;
    }
    if (s->poke5 && (!padding_decode(s->bits, s->poke5, 5, &filling) || filling.count != 1)) {
        printf("the text poke of %u-bit code is not one NOP\n", s->bits);
        return 1;
    }
    return 0;
}

int main(void)
{
#ifdef ALTPICK_TEST_ELF
    const struct subject subjects[] = {
        {64, altpick_nop_fill64, altpick_nops64, altpick_nop_longest64, altpick_nop_jump_from64,
         altpick_nop_gaps64, altpick_five_byte_poke64},
        {32, altpick_nop_fill32, altpick_nops32, altpick_nop_longest32, altpick_nop_jump_from32,
         altpick_nop_gaps32, altpick_five_byte_poke32},
        {64, altpick_nop_fill,   altpick_nops,   altpick_nop_longest,   altpick_nop_jump_from,
         altpick_nop_gaps,   altpick_five_byte_poke  },
    };
#else
    static const unsigned char poke5[] = {ALTPICK_TEXT_POKE5};
    const struct subject subjects[] = {
        {64,           altpick_nop_fill64, altpick_nops64, ALTPICK_NOP64_MAX, ALTPICK_NOP64_JUMP_FROM,
         altpick_nop_gaps64,                                           NULL },
        {32,           altpick_nop_fill32, altpick_nops32, ALTPICK_NOP32_MAX, ALTPICK_NOP32_JUMP_FROM,
         altpick_nop_gaps32,                                           NULL },
        {ALTPICK_BITS, altpick_nop_fill,   altpick_nops,   ALTPICK_NOP_MAX,   ALTPICK_NOP_JUMP_FROM,
         ALTPICK_BITS == 64 ? altpick_nop_gaps64 : altpick_nop_gaps32, poke5},
    };
#endif
    uint8_t *code = malloc(1000004);
    int bad = !code;

    for (size_t i = 0; i < sizeof subjects / sizeof *subjects && !bad; i++)
        bad = check_all(&subjects[i], code);
    free(code);
    return bad;
}
