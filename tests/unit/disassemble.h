/* SPDX-License-Identifier: MIT */
/* Machine code as text, by a decoder that is not altpick's. */
#ifndef ALTPICK_TESTS_DISASSEMBLE_H
#define ALTPICK_TESTS_DISASSEMBLE_H

#include "altpick/question.h"
#include "test.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>

enum { LISTING_MAX = 96, LISTING_LINE = 64 };

/* One instruction a line; addresses count from the first byte. */
struct listing {
    char line[LISTING_MAX][LISTING_LINE];
    size_t n;
};

struct instruction {
    ZydisDecodedInstruction in;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

static inline struct instruction decode_at(const struct altpick_candidate *candidate, size_t at,
                                           bool wide)
{
    struct instruction instruction;
    ZydisDecoder decoder;

    ZydisDecoderInit(&decoder, wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, candidate->code + at,
                                                    candidate->code_bytes - at, &instruction.in,
                                                    instruction.operand)));
    return instruction;
}

static inline void disassemble(const struct altpick_candidate *candidate, bool wide,
                               struct listing *ret)
{
    ZydisFormatter formatter;

    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_FALSE);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, 0);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, 0);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, 0);
    ret->n = 0;
    for (size_t at = 0; at < candidate->code_bytes;) {
        struct instruction i = decode_at(candidate, at, wide);

        assert_true(ret->n < LISTING_MAX);
        assert_true(ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
            &formatter, &i.in, i.operand, i.in.operand_count_visible, ret->line[ret->n++],
            LISTING_LINE, at, NULL)));
        at += i.in.length;
    }
}

static inline void list(struct listing *listing, const char *format, unsigned number)
{
    char line[LISTING_LINE];
    size_t n = 0;

    /* Every % is the number. */
    for (const char *p = format; *p; p++)
        n += (size_t) (*p == '%' ? snprintf(line + n, sizeof line - n, "%u", number)
                                 : snprintf(line + n, sizeof line - n, "%c", *p));
    memcpy(listing->line[listing->n++], line, n + 1);
}

static inline void assert_listing(const struct altpick_candidate *candidate,
                                  const struct listing *expected)
{
    struct listing is;

    disassemble(candidate, true, &is);
    for (size_t i = 0; i < is.n || i < expected->n; i++) {
        const char *a = i < is.n ? is.line[i] : "", *b = i < expected->n ? expected->line[i] : "";

        if (strcmp(a, b) != 0)
            fail_msg("%s: instruction %zu is \"%s\", not \"%s\"", candidate->name, i, a, b);
    }
}

#endif
