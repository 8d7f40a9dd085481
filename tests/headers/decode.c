/* SPDX-License-Identifier: MIT */
/* Decodes everything that an emitted header fills gaps with, by a decoder that is not altpick's. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include ALTPICK_EMITTED

enum { EVERY_GAP_TO = 4096, INSTRUCTIONS_MAX = 4096 };

/* What a gap is filled with. */
struct filling {
    size_t count;
    size_t bytes[INSTRUCTIONS_MAX];
    bool jumps; /* a single jump to the end of the gap */
};

static ZydisDecoder decoder;

/* 90 or 0F 1F; the hint space (0F 18 .. 1E) also decodes as NOP, but is not padding. */
static bool is_nop(const ZydisDecodedInstruction *in)
{
    return in->mnemonic == ZYDIS_MNEMONIC_NOP && (in->opcode == 0x90 || in->opcode == 0x1f);
}

/* Only 90 and 0F 1F, or one jump that ends where the gap ends. */
static bool decode(const uint8_t *code, size_t n, struct filling *ret)
{
    ret->count = 0;
    ret->jumps = false;
    for (size_t at = 0; at < n;) {
        ZydisDecodedInstruction in;

        if (ret->count == INSTRUCTIONS_MAX ||
            !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, n - at, &in)))
            return false;
        ret->bytes[ret->count++] = in.length;
        if (in.mnemonic == ZYDIS_MNEMONIC_JMP && at == 0) {
            ret->jumps = true;
            return in.raw.imm[0].is_relative &&
                   (uint64_t) in.length + (uint64_t) in.raw.imm[0].value.s == n;
        }
        if (!is_nop(&in))
            return false;
        at += in.length;
    }
    return true;
}

/* The rule, in the words of its documentation: ceil(n / max) table entries, even, longer first. */
static bool is_even_split(const struct filling *filling, size_t n)
{
    static struct filling entry;
    size_t pieces = (n + ALTPICK_NOP_MAX - 1) / ALTPICK_NOP_MAX, next = 0;

    for (size_t piece = 0; piece < pieces; piece++) {
        size_t bytes = n / pieces + (piece < n % pieces);

        if (!decode(altpick_nops[bytes], bytes, &entry))
            return false;
        for (size_t i = 0; i < entry.count; i++) {
            if (next == filling->count || filling->bytes[next++] != entry.bytes[i])
                return false;
        }
    }
    return next == filling->count;
}

static bool is_listed_gap(size_t n)
{
    static const size_t gaps[] = {ALTPICK_TEST_GAPS};

    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        if (gaps[i] == n)
            return true;
    }
    return false;
}

static bool follows_the_rule(const struct filling *filling, size_t n)
{
    const size_t jump_from = ALTPICK_NOP_JUMP_FROM;

    if (n <= ALTPICK_NOP_TABLE_MAX || is_listed_gap(n))
        return true;
    if (jump_from != 0 && n >= jump_from)
        return filling->jumps && filling->bytes[0] == (n <= 129 ? 2 : 5);
    return !filling->jumps && is_even_split(filling, n);
}

static int check(uint8_t *code, size_t n)
{
    static struct filling filling;

    memset(code, 0xcc, n + 1);
    altpick_nop_fill(code, n);
    if (code[n] != 0xcc || (n <= EVERY_GAP_TO && !decode(code, n, &filling)) ||
        (n <= EVERY_GAP_TO && !follows_the_rule(&filling, n))) {
        printf("a gap of %zu bytes is filled wrongly\n", n);
        return 1;
    }
    return 0;
}

/* Gaps too long to hold their instructions: lengths must add up. */
static int check_long(uint8_t *code, size_t n)
{
    int bad = check(code, n);
    size_t at = 0;

    while (!bad && at < n) {
        ZydisDecodedInstruction in;

        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, n - at, &in)))
            break;
        at += in.length;
        if (in.mnemonic == ZYDIS_MNEMONIC_JMP && in.raw.imm[0].value.s >= 0)
            at += (size_t) in.raw.imm[0].value.s;
        else if (!is_nop(&in))
            break;
    }
    if (at != n)
        printf("a gap of %zu bytes is filled wrongly at %zu\n", n, at);
    return at != n;
}

int main(void)
{
    static const size_t longer[] = {5000, 65535, 65536, 1000003, 16777217};
    uint8_t *code = malloc(longer[sizeof longer / sizeof *longer - 1] + 1);
    int bad = !code;

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t n = 0; n <= EVERY_GAP_TO && !bad; n++)
        bad = check(code, n);
    for (size_t i = 0; i < sizeof longer / sizeof *longer && !bad; i++)
        bad = check_long(code, longer[i]);
    free(code);
    return bad;
}
