/* SPDX-License-Identifier: MIT */
/*
 * Applies a linked table to the code around it as the engine of its layout is documented to do.
 * Written from the descriptions of the layouts, not from altpick's writer.  Needs no library.
 *
 * Kernels decode instructions to find NOPs to merge.  Here the code of a replacement that does not
 * begin with a NOP or a short jump is passed over as one piece; none of it holds runs of NOPs.
 */
#include "sites.h"
#include "system.h"

#include <stdint.h>

#define LAYOUT  ALTPICK_TEST_LAYOUT
#define OF_SOME __attribute__((unused)) /* what not every layout's engine does */

enum { PATCH_MAX = 255 - 1, CALL = 0xe8, JMP = 0xe9, JMP8 = 0xeb, INT3 = 0xcc, NOP = 0x90 };

/* One record, in terms that all layouts share. */
struct record {
    uint8_t *site;
    const uint8_t *code;
    const char *item; /* altpick's: instead of code */
    uint32_t feature;
    int inverted, direct_call;
    uint32_t bytes; /* of the site with its padding */
    uint32_t code_bytes, padding;
};

static uint32_t u16(const uint8_t *at)
{
    return (uint32_t) (at[0] | at[1] << 8);
}

/* Relative to the field itself. */
static uint8_t *target(const uint8_t *at)
{
    return (uint8_t *) (uintptr_t) at +
           (int32_t) (u16(at) | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24);
}

OF_SOME static int has(unsigned set, uint32_t feature)
{
    if (feature == ALWAYS)
        return 1;
    stop_unless(feature >= FEATURE(1) && feature <= FEATURE(N_FEATURES), "feature out of range");
    return set >> (feature - FEATURE(1)) & 1;
}

/* The recommended NOPs, to 11 bytes. */
static void put_nop(uint8_t *to, uint32_t n)
{
    static const char tails[] = "\x90"
                                "\x66\x90"
                                "\x0f\x1f\x00"
                                "\x0f\x1f\x40\x00"
                                "\x0f\x1f\x44\x00\x00"
                                "\x66\x0f\x1f\x44\x00\x00"
                                "\x0f\x1f\x80\x00\x00\x00\x00"
                                "\x0f\x1f\x84\x00\x00\x00\x00\x00";

    for (; n > 8; n--)
        *to++ = n == 9 && LAYOUT == LAYOUT_linux14 ? 0x2e : 0x66;
    for (uint32_t i = 0; i < n; i++)
        to[i] = (uint8_t) tails[n * (n - 1) / 2 + i];
}

static void put_nops(uint8_t *to, uint32_t n, uint32_t longest)
{
    while (n > 0) {
        uint32_t one = n > longest ? longest : n;

        put_nop(to, one);
        to += one;
        n -= one;
    }
}

/* A call or jump out of the replacement goes where it went. */
static void move_branch(uint8_t *code, const struct record *record)
{
    int32_t to;

    if (record->code_bytes != 5 || (code[0] != CALL && code[0] != JMP))
        return;
    to = (int32_t) (target(code + 1) - (code + 1)) + (int32_t) (record->code - record->site);
    for (unsigned i = 0; i < 4; i++)
        code[1 + i] = (uint8_t) ((uint32_t) to >> (8 * i));
}

#if LAYOUT == LAYOUT_linux14
extern void bug(void);

/* The call of bug() becomes one of what the site's indirect call would have called. */
static void make_direct(uint8_t *code, const struct record *record)
{
    uintptr_t aim;
    uint8_t *pointer = sizeof aim == 8
                           ? target(record->site + 2) + 4
                           : (uint8_t *) (target(record->site + 2) - (record->site + 2));
    uint32_t to;

    stop_unless(record->code_bytes == 5 && code[0] == CALL, "direct call is no call");
    stop_unless(record->bytes == 6 && record->site[0] == 0xff && record->site[1] == 0x15,
                "site is no indirect call");
    aim = *(uintptr_t *) (void *) pointer;
    to = (uint32_t) (target(code + 1) - (code + 1)) + (uint32_t) (aim - (uintptr_t) bug);
    for (unsigned i = 0; i < 4; i++)
        code[1 + i] = (uint8_t) (to >> (8 * i));
}
#endif

/* Bytes of a NOP at @at: of 90 alone where @single, else of any 66.. 90 and 66.. 0F 1F, too. */
OF_SOME static uint32_t nop_at(const uint8_t *at, uint32_t room, int single)
{
    uint32_t n = 0, modrm;

    if (single || at[0] == NOP)
        return at[0] == NOP;
    while (n < room && (at[n] == 0x66 || at[n] == 0x2e))
        n++;
    if (n < room && at[n] == NOP)
        return n + 1;
    if (n + 3 > room || at[n] != 0x0f || at[n + 1] != 0x1f)
        return 0;
    modrm = at[n + 2];
    return n + 3 + ((modrm & 7) == 4) + (modrm >> 6 == 1) + 4 * (modrm >> 6 == 2);
}

/* Merge runs of NOPs in the @bytes at @site, of which @code_bytes are a replacement's. */
OF_SOME static void merge_nops(uint8_t *site, uint32_t bytes, uint32_t code_bytes, int single)
{
    uint32_t longest = LAYOUT == LAYOUT_linux14 && sizeof(void *) == 8 ? 11 : 8;

    for (uint32_t at = 0; at < bytes;) {
        uint32_t run = 0, one, count = 0;

        while (at + run < bytes && (one = nop_at(site + at + run, bytes - at - run, single)) != 0) {
            run += one;
            count++;
        }
        if (count > 1 && (single || run <= longest)) {
            put_nops(site + at, run, longest);
        } else if (run > longest) {
            uint32_t jump = run < 128 ? 2 : 5;

            site[at] = jump == 2 ? JMP8 : JMP;
            site[at + 1] = (uint8_t) (run - jump);
            for (uint32_t i = 2; i < run; i++)
                site[at + i] = i < jump ? 0 : INT3;
        }
        if (run)
            at += run;
        else if (site[at] == JMP8)
            at += 2;
        else
            at = at < code_bytes ? code_bytes : at + 1;
    }
}

/* Bytes of code that is not replaced, before the single NOPs behind it. */
OF_SOME static uint32_t own_bytes(const uint8_t *site, uint32_t bytes)
{
    while (bytes > 0 && site[bytes - 1] == NOP)
        bytes--;
    return bytes;
}

static void poke(uint8_t *site, const uint8_t *code, uint32_t bytes)
{
    stop_unless(site >= __start_sites_text && site + bytes <= __stop_sites_text,
                "a site lies elsewhere");
    for (uint32_t i = 0; i < bytes; i++)
        site[i] = code[i];
}

/* The replacement, moved; what is left of the site is 90s. */
static void prepare(const struct record *record, uint8_t *ret)
{
    stop_unless(record->code_bytes <= record->bytes, "a replacement is too long");
    stop_unless(record->bytes <= PATCH_MAX, "a site is too long");
    for (uint32_t i = 0; i < record->bytes; i++)
        ret[i] = i < record->code_bytes ? record->code[i] : NOP;
    move_branch(ret, record);
}

#if LAYOUT != LAYOUT_altpick
extern uint8_t __alt_instructions[], __alt_instructions_end[];
#endif

#if LAYOUT == LAYOUT_linux12
/* Feature in 16 bits, of which the highest inverts; the length holds the padding. */
void apply(unsigned set)
{
    for (uint8_t *at = __alt_instructions; at < __alt_instructions_end; at += 12) {
        struct record r = {.site = target(at),
                           .code = target(at + 4),
                           .feature = u16(at + 8) & 0x7fff,
                           .inverted = at[9] >> 7,
                           .bytes = at[10],
                           .code_bytes = at[11]};
        uint8_t code[PATCH_MAX];

        if (has(set, r.feature) != r.inverted) {
            prepare(&r, code);
            poke(r.site, code, r.bytes);
        }
        merge_nops(r.site, r.bytes,
                   has(set, r.feature) != r.inverted ? r.code_bytes : own_bytes(r.site, r.bytes),
                   1);
    }
}
#elif LAYOUT == LAYOUT_linux13
/* No inversion; the last bytes, as many as the padding, are made long NOPs where all are 90. */
void apply(unsigned set)
{
    for (uint8_t *at = __alt_instructions; at < __alt_instructions_end; at += 13) {
        struct record r = {.site = target(at),
                           .code = target(at + 4),
                           .feature = u16(at + 8),
                           .bytes = at[10],
                           .code_bytes = at[11],
                           .padding = at[12]};
        uint8_t *padding = r.site + r.bytes - r.padding, code[PATCH_MAX];
        uint32_t nops = 0;

        if (has(set, r.feature)) {
            prepare(&r, code);
            put_nops(code + r.code_bytes, r.bytes - r.code_bytes, 8);
            poke(r.site, code, r.bytes);
            continue;
        }
        while (nops < r.padding && padding[nops] == NOP)
            nops++;
        if (r.padding > 1 && nops == r.padding)
            put_nops(padding, r.padding, 8);
    }
}
#elif LAYOUT == LAYOUT_linux14
/* Feature and flags in 16 bits each; records of one site share the greatest length. */
void apply(unsigned set)
{
    for (uint8_t *at = __alt_instructions; at < __alt_instructions_end; at += 14) {
        struct record r = {.site = target(at),
                           .code = target(at + 4),
                           .feature = u16(at + 8),
                           .inverted = at[10] & 1,
                           .direct_call = at[10] >> 1 & 1,
                           .bytes = at[12],
                           .code_bytes = at[13]};
        uint8_t code[PATCH_MAX];

        stop_unless((u16(at + 10) & ~3u) == 0, "unknown flags");
        for (uint8_t *next = at + 14; next < __alt_instructions_end; next += 14) {
            if (target(next) != r.site)
                break;
            if (next[12] > r.bytes)
                r.bytes = next[12];
        }
        if (has(set, r.feature) == r.inverted) {
            merge_nops(r.site, r.bytes, own_bytes(r.site, r.bytes), 0);
            continue;
        }
        prepare(&r, code);
        if (r.direct_call)
            make_direct(code, &r);
        merge_nops(code, r.bytes, r.code_bytes, 0);
        poke(r.site, code, r.bytes);
    }
}
#elif LAYOUT == LAYOUT_xen14
/*
 * The length has no padding in it; the highest bit of the feature inverts.  The last byte of a
 * record is the engine's, for sites that it has written to; here the table cannot be written.
 */
void apply(unsigned set)
{
    uint8_t *base = __alt_instructions, touched[64] = {0};

    stop_unless(__alt_instructions_end - __alt_instructions <= 64 * 14, "too many records");

    for (uint8_t *at = __alt_instructions; at < __alt_instructions_end; at += 14) {
        struct record r = {.site = target(at),
                           .code = target(at + 4),
                           .feature = u16(at + 8) & 0x7fff,
                           .inverted = at[9] >> 7,
                           .bytes = at[10] + (uint32_t) at[12],
                           .code_bytes = at[11],
                           .padding = at[12]};
        uint8_t code[PATCH_MAX];

        stop_unless(at[13] == 0, "the engine's own byte is set");
        if (target(base) != r.site)
            base = at;
        if (has(set, r.feature) != r.inverted) {
            prepare(&r, code);
            put_nops(code + r.code_bytes, r.bytes - r.code_bytes, 9);
            poke(r.site, code, r.bytes);
            touched[(at - __alt_instructions) / 14] = 1;
        } else if (!touched[(base - __alt_instructions) / 14]) {
            touched[(at - __alt_instructions) / 14] = 1;
            if (r.padding > 1)
                put_nops(r.site + at[10], r.padding, 9);
        }
    }
}
#else
#include "items.h"

extern uint8_t __start_altpick_sites[], __stop_altpick_sites[];

static int is_item(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* No features: every item is put in, padded with NOPs. */
void apply(unsigned set)
{
    (void) set;
    for (uint8_t *at = __start_altpick_sites; at < __stop_altpick_sites; at += 12) {
        struct record r = {
            .site = target(at), .item = (const char *) target(at + 4), .bytes = at[8]};
        uint8_t code[255];
        unsigned i = 0;

        stop_unless(at[11] == 1 && at[10] == (sizeof(void *) == 4), "version or flags");
        stop_unless(at[9] <= at[8], "the default is longer than the site");
        while (items[i].name && !(is_item(items[i].name, r.item) &&
                                  (!items[i].site_bytes || items[i].site_bytes == r.bytes)))
            i++;
        stop_unless(items[i].name != 0, "an item that is not known");
        r.code = items[i].code;
        r.code_bytes = items[i].bytes;
        prepare(&r, code);
        put_nops(code + r.code_bytes, r.bytes - r.code_bytes, 8);
        poke(r.site, code, r.bytes);
    }
}
#endif
