/* SPDX-License-Identifier: MIT */
/* Turns machine code into words for a comment: the instructions that bodies are made of. */
#include "code_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LOCK = 0xf0, REX = 0x40, REX_W = 8, REX_R = 4, REX_B = 1, TWO_BYTES = 0x0f, ANY = -1 };

/* Where operands are. */
enum operands {
    REG_TO_RM,
    RM_TO_REG,
    RM,
    IMM8_TO_RM,
    IMM32_TO_RM,
    IMM32_TO_LOW, /* the register is in the opcode */
    IMM8_TO_LOW,
    IMM32,
    SHORT_JUMP,
    NOTHING,
};

/* What registers are called. */
enum width { GENERAL, BYTE, MMX, XMM };

struct form {
    int opcode; /* with 0F before it: 0x0f.. */
    int mask;   /* bits of the opcode that tell */
    int digit;  /* in ModRM; ANY */
    enum operands operands;
    enum width width;
    const char *name;
};

/* clang-format off */
static const struct form forms[] = {
    {0x01, 0xffff, ANY, REG_TO_RM, GENERAL, "add"},
    {0x29, 0xffff, ANY, REG_TO_RM, GENERAL, "sub"},
    {0x31, 0xffff, ANY, REG_TO_RM, GENERAL, "xor"},
    {0x39, 0xffff, ANY, REG_TO_RM, GENERAL, "cmp"},
    {0x85, 0xffff, ANY, REG_TO_RM, GENERAL, "test"},
    {0x87, 0xffff, ANY, REG_TO_RM, GENERAL, "xchg"},
    {0x89, 0xffff, ANY, REG_TO_RM, GENERAL, "mov"},
    {0x8b, 0xffff, ANY, RM_TO_REG, GENERAL, "mov"},
    {0x8d, 0xffff, ANY, RM_TO_REG, GENERAL, "lea"},
    {0x83, 0xffff, 0, IMM8_TO_RM, GENERAL, "add"},
    {0x83, 0xffff, 1, IMM8_TO_RM, GENERAL, "or"},
    {0x83, 0xffff, 4, IMM8_TO_RM, GENERAL, "and"},
    {0x83, 0xffff, 7, IMM8_TO_RM, GENERAL, "cmp"},
    {0xc7, 0xffff, 0, IMM32_TO_RM, GENERAL, "movl"},
    {0xf7, 0xffff, 3, RM, GENERAL, "neg"},
    {0xff, 0xffff, 0, RM, GENERAL, "inc"},
    {0xff, 0xffff, 1, RM, GENERAL, "dec"},
    {0xdb, 0xffff, 0, RM, GENERAL, "fildl"},
    {0xb8, 0xfff8, ANY, IMM32_TO_LOW, GENERAL, "mov"},
    {0xb0, 0xfff8, ANY, IMM8_TO_LOW, BYTE, "mov"},
    {0x68, 0xffff, ANY, IMM32, GENERAL, "push"},
    {0x90, 0xffff, ANY, NOTHING, GENERAL, "nop"},
    {0xeb, 0xffff, ANY, SHORT_JUMP, GENERAL, "jmp"},
    {0x0f57, 0xffff, ANY, RM_TO_REG, XMM, "xorps"},
    {0x0fef, 0xffff, ANY, RM_TO_REG, MMX, "pxor"},
    {0x0f77, 0xffff, ANY, NOTHING, GENERAL, "emms"},
    {0x0fae, 0xffff, 1, RM, GENERAL, "fxrstor"},
    {0x0fae, 0xffff, 2, RM, GENERAL, "ldmxcsr"},
    {0x0fae, 0xffff, 5, RM, GENERAL, "xrstor"},
    {0x0fb1, 0xffff, ANY, REG_TO_RM, GENERAL, "cmpxchg"},
    {0x0fc1, 0xffff, ANY, REG_TO_RM, GENERAL, "xadd"},
    {0x0f90, 0xfff0, ANY, RM, BYTE, "set"},
    {0x70, 0xfff0, ANY, SHORT_JUMP, GENERAL, "j"},
};

/* Instructions without operands, as they are. */
static const struct {
    uint8_t bytes[8], length;
    const char *words;
} wholes[] = {
    {{0xdb, 0xe3}, 2, "fninit"},
    {{0xc5, 0xfc, 0x77}, 3, "vzeroall"},
    {{0xc4, 0xe2, 0x78, 0x49, 0xc0}, 5, "tilerelease"},
};
/* clang-format on */

static const char *const conditions[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
                                         "s", "ns", "p", "np", "l", "ge", "le", "g"};
static const char *const names32[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
static const char *const names8[] = {"al", "cl", "dl", "bl"};

/* An instruction in the making. */
struct decoding {
    char address; /* how a register is called that is one: r or e */
    const uint8_t *code;
    size_t bytes, at;
    unsigned rex, opcode;
    bool locked;
    const struct form *form;
    struct {
        char text[ALTPICK_CODE_TEXT_MAX];
        size_t n;
    } words;
};

__attribute__((format(printf, 2, 3))) static void say(struct decoding *d, const char *format, ...)
{
    size_t room = sizeof d->words.text - d->words.n;
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(d->words.text + d->words.n, room, format, arguments);
    va_end(arguments);
    d->words.n += n < 0 ? 0 : (size_t) n < room ? (size_t) n : room - 1;
}

/* The next @n bytes as a number with a sign; beyond the end there are zeroes. */
static int32_t take(struct decoding *d, unsigned n)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < n; i++, d->at++)
        value |= (uint32_t) (d->at < d->bytes ? d->code[d->at] : 0) << (8 * i);
    return n == 1 ? (int8_t) value : (int32_t) value;
}

static void say_register(struct decoding *d, unsigned reg)
{
    switch (d->form->width) {
    case BYTE:
        say(d, "%%%s", reg < 4 ? names8[reg] : "?");
        break;
    case MMX:
        say(d, "%%mm%u", reg & 7);
        break;
    case XMM:
        say(d, "%%xmm%u", reg);
        break;
    default:
        say(d, "%%%c%s", d->rex & REX_W ? 'r' : 'e', names32[reg & 7] + 1);
    }
}

/* A SIB byte is (%rsp), or base and index of equal weight. */
static void say_rm(struct decoding *d, unsigned modrm)
{
    unsigned mode = modrm >> 6, base = modrm & 7, sib = 0;
    int32_t displacement;

    if (mode == 3) {
        say_register(d, base | (d->rex & REX_B ? 8 : 0));
        return;
    }
    if (base == 4)
        sib = (unsigned) take(d, 1) & 0xff;
    displacement = mode == 0 ? 0 : take(d, mode == 1 ? 1 : 4);
    if (mode != 0)
        say(d, "%s0x%x", displacement < 0 ? "-" : "",
            (unsigned) (displacement < 0 ? -displacement : displacement));
    if (base != 4)
        say(d, "(%%%c%s)", d->address, names32[base] + 1);
    else if ((sib >> 3 & 7) == 4)
        say(d, "(%%%c%s)", d->address, names32[sib & 7] + 1);
    else
        say(d, "(%%%c%s,%%%c%s,%u)", d->address, names32[sib & 7] + 1, d->address,
            names32[sib >> 3 & 7] + 1, 1u << (sib >> 6));
}

static void say_modrm_operands(struct decoding *d)
{
    unsigned modrm = (unsigned) take(d, 1) & 0xff;
    unsigned reg = (modrm >> 3 & 7) | (d->rex & REX_R ? 8 : 0);
    struct decoding immediate = *d;
    bool has_rm = d->form->operands == IMM8_TO_RM || d->form->operands == IMM32_TO_RM;

    if (has_rm) {
        /* It comes first in words and last in bytes. */
        say_rm(&immediate, modrm);
        say(d, "$0x%x,", (unsigned) take(&immediate, d->form->operands == IMM8_TO_RM ? 1 : 4));
        say_rm(d, modrm);
        d->at = immediate.at;
        return;
    }
    if (d->form->operands == REG_TO_RM) {
        say_register(d, reg);
        say(d, ",");
    }
    say_rm(d, modrm);
    if (d->form->operands == RM_TO_REG) {
        say(d, ",");
        say_register(d, reg);
    }
}

static void say_operands(struct decoding *d)
{
    int32_t value;

    if (d->form->operands != NOTHING)
        say(d, " ");
    switch (d->form->operands) {
    case NOTHING:
        break;
    case SHORT_JUMP:
        value = take(d, 1);
        say(d, ".%+d", value + (int) d->at);
        break;
    case IMM32:
        say(d, "$0x%x", (unsigned) take(d, 4));
        break;
    case IMM32_TO_LOW:
    case IMM8_TO_LOW:
        value = take(d, d->form->operands == IMM8_TO_LOW ? 1 : 4);
        say(d, "$0x%x,", (unsigned) value);
        say_register(d, d->opcode & 7);
        break;
    default:
        say_modrm_operands(d);
    }
}

static void say_name(struct decoding *d)
{
    bool conditional = (d->form->mask & 0xf) == 0 && d->form->operands != IMM32_TO_LOW;
    bool wide = d->rex & REX_W && (d->opcode == 0x0fae);

    say(d, "%s%s%s%s", d->locked ? "lock " : "", d->form->name,
        conditional ? conditions[d->opcode & 15] : "", wide ? "64" : "");
}

static bool find_form(struct decoding *d)
{
    int digit = d->at < d->bytes ? d->code[d->at] >> 3 & 7 : 0;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (((int) d->opcode & forms[i].mask) == forms[i].opcode &&
            (forms[i].digit == ANY || forms[i].digit == digit)) {
            d->form = &forms[i];
            return true;
        }
    }
    return false;
}

/* vpxord xmm16 to xmm31 and kxorw, of a register with itself. */
static size_t describe_vector(struct decoding *d)
{
    const uint8_t *code = d->code;

    if (d->bytes >= 6 && code[0] == 0x62 && code[4] == 0xef && code[5] >= 0xc0) {
        unsigned reg = (code[1] & 0x80 ? 16u : 24u) + (code[5] & 7u);

        say(d, "vpxord %%xmm%u,%%xmm%u,%%xmm%u", reg, reg, reg);
        return 6;
    }
    if (d->bytes >= 4 && code[0] == 0xc5 && code[2] == 0x47 && code[3] >= 0xc0) {
        say(d, "kxorw %%k%u,%%k%u,%%k%u", code[3] & 7, code[3] & 7, code[3] & 7);
        return 4;
    }
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        if (d->bytes >= wholes[i].length && memcmp(code, wholes[i].bytes, wholes[i].length) == 0) {
            say(d, "%s", wholes[i].words);
            return wholes[i].length;
        }
    }
    return 0;
}

static size_t describe_general(struct decoding *d)
{
    if (d->code[d->at] == LOCK) {
        d->locked = true;
        d->at++;
    }
    if (d->at < d->bytes && (d->code[d->at] & 0xf0) == REX)
        d->rex = d->code[d->at++];
    d->opcode = (unsigned) take(d, 1) & 0xff;
    if (d->opcode == TWO_BYTES)
        d->opcode = TWO_BYTES << 8 | ((unsigned) take(d, 1) & 0xff);
    if (!find_form(d))
        return 0;
    say_name(d);
    say_operands(d);
    return d->at <= d->bytes ? d->at : 0;
}

size_t altpick_code_describe(uint32_t bits, const uint8_t *code, size_t bytes,
                             char ret[ALTPICK_CODE_TEXT_MAX])
{
    struct decoding d = {.address = bits == 64 ? 'r' : 'e', .code = code, .bytes = bytes};
    size_t length = bytes ? describe_vector(&d) : 0;

    if (length == 0 && bytes)
        length = describe_general(&d);
    if (length)
        memcpy(ret, d.words.text, sizeof d.words.text);
    return length;
}
