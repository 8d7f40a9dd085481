/* SPDX-License-Identifier: MIT */
/*
 * A small code generator that pads its code with the table in altpick.h: it makes functions with
 * gaps of many sizes, runs them, and decodes the padding back.
 */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <Zydis/Zydis.h>

#include "altpick.h"

enum { EVERY_GAP_TO = 1024, LONGEST_GAP = 100000, CODE_BYTES = 2 * LONGEST_GAP + 64 };

/* What the padding of all gaps amounts to. */
struct totals {
    size_t gaps, bytes, instructions, jumps;
};

/* int f(void): 40, a gap, plus 2, the same gap, return.  Returns the length of the code. */
static size_t generate(uint8_t *code, size_t gap)
{
    static const uint8_t mov_eax_40[] = {0xb8, 40, 0, 0, 0}, add_eax_2[] = {0x83, 0xc0, 2};
    uint8_t *to = code;

    memcpy(to, mov_eax_40, sizeof mov_eax_40);
    to += sizeof mov_eax_40;
    altpick_nop_fill(to, gap);
    to += gap;
    memcpy(to, add_eax_2, sizeof add_eax_2);
    to += sizeof add_eax_2;
    altpick_nop_fill(to, gap);
    to += gap;
    *to++ = 0xc3; /* ret */
    return (size_t) (to - code);
}

/* Pages are never writable and executable at once.  Returns what the function returns, or -1. */
static int run(uint8_t *code)
{
    int (*function)(void);
    int result;

    if (mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC) < 0) {
        perror("pad: no executable memory");
        return -1;
    }
    memcpy(&function, &code, sizeof function);
    result = function();
    if (mprotect(code, CODE_BYTES, PROT_READ | PROT_WRITE) < 0) {
        perror("pad: mprotect");
        return -1;
    }
    return result;
}

/* Decode one gap.  Whether it is NOPs, or a jump, and ends exactly where it should. */
static int decode_gap(const uint8_t *code, size_t gap, struct totals *totals)
{
    ZydisDecoder decoder;
    size_t at = 0;

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    while (at < gap) {
        ZydisDecodedInstruction in;

        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, gap - at, &in)))
            return 0;
        at += in.length;
        totals->instructions++;
        if (in.mnemonic == ZYDIS_MNEMONIC_JMP && in.raw.imm[0].value.s >= 0) {
            at += (size_t) in.raw.imm[0].value.s;
            totals->jumps++;
        } else if (in.mnemonic != ZYDIS_MNEMONIC_NOP) {
            return 0;
        }
    }
    totals->gaps++;
    totals->bytes += gap;
    return at == gap;
}

/* The whole way for one size of gap; 0 when it works. */
static int try_gap(uint8_t *code, size_t gap, struct totals *totals)
{
    size_t bytes = generate(code, gap);
    int result = run(code);

    if (result != 42) {
        if (result != -1)
            fprintf(stderr, "pad: a gap of %zu bytes gives %d instead of 42\n", gap, result);
        return -1;
    }
    if (bytes != 5 + gap + 3 + gap + 1 || !decode_gap(code + 5, gap, totals) ||
        !decode_gap(code + 5 + gap + 3, gap, totals)) {
        fprintf(stderr, "pad: a gap of %zu bytes is filled wrongly\n", gap);
        return -1;
    }
    return 0;
}

int main(void)
{
    static const size_t longer[] = {4096, 65535, LONGEST_GAP};
    struct totals totals = {0, 0, 0, 0};
    uint8_t *code =
        mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (code == MAP_FAILED) {
        perror("pad: mmap");
        return 1;
    }
    for (size_t gap = 0; gap <= EVERY_GAP_TO; gap++) {
        if (try_gap(code, gap, &totals) < 0)
            return 1;
    }
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        if (try_gap(code, longer[i], &totals) < 0)
            return 1;
    }
    printf("pad: %zu gaps, %zu bytes in %zu instructions, %zu of them jumps; longest NOP %d\n",
           totals.gaps, totals.bytes, totals.instructions, totals.jumps, ALTPICK_NOP_MAX);
    return 0;
}
