/* SPDX-License-Identifier: MIT */
/* NOP encodings: writing them, and decoding what a piece of padding consists of. */
#include "altpick/nop.h"

#include "bytes.h"

enum { LONGEST_PLAIN = 8, JMP_REL8_REACH = 2 + 127, NONE = -1 };
enum { PREFIX_66 = 0x66, PREFIX_2E = 0x2e, PREFIX_3E = 0x3e, ESCAPE_0F = 0x0f };
enum { NOP_90 = 0x90, NOP_1F = 0x1f, MOV_89 = 0x89, MOV_8B = 0x8b, LEA_8D = 0x8d };

/* clang-format off */
/* nop; xchg ax, ax; nop dword [rax]; ... nop dword [rax+rax+0x00000000] */
static const uint8_t plain[LONGEST_PLAIN + 1][LONGEST_PLAIN] = {
    {0},
    {0x90},
    {0x66, 0x90},
    {0x0f, 0x1f, 0x00},
    {0x0f, 0x1f, 0x40, 0x00},
    {0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
    {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
};

/* nop; mov esi, esi; lea esi, [esi]; ... lea esi, ds:[esi + eiz + 0x00000000] */
static const uint8_t lea[ALTPICK_NOP_LEA_LONGEST + 1][ALTPICK_NOP_LEA_LONGEST] = {
    {0},
    {0x90},
    {0x89, 0xf6},
    {0x8d, 0x76, 0x00},
    {0x8d, 0x74, 0x26, 0x00},
    {0x3e, 0x8d, 0x74, 0x26, 0x00},
    {0x8d, 0xb6, 0x00, 0x00, 0x00, 0x00},
    {0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00},
    {0x3e, 0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00},
};
/* clang-format on */

void altpick_nop_recommended(uint8_t *ret_code, uint32_t bytes)
{
    uint32_t prefixes = bytes > LONGEST_PLAIN ? bytes - LONGEST_PLAIN : 0;

    for (uint32_t i = 0; i < prefixes; i++)
        ret_code[i] = i > 0 && i + 1 == prefixes ? 0x2e : 0x66;
    altpick_copy_bytes(ret_code + prefixes, plain[bytes - prefixes], bytes - prefixes);
}

void altpick_nop_6690(uint8_t *ret_code, uint32_t bytes)
{
    for (uint32_t i = 0; i + 1 < bytes; i++)
        ret_code[i] = 0x66;
    ret_code[bytes - 1] = 0x90;
}

void altpick_nop_lea(uint8_t *ret_code, uint32_t bytes)
{
    altpick_copy_bytes(ret_code, lea[bytes], bytes);
}

void altpick_nop_even(uint8_t *ret_code, uint32_t bytes, uint32_t pieces,
                      void (*form)(uint8_t *ret_code, uint32_t bytes))
{
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t one = bytes / pieces + (i < bytes % pieces);

        form(ret_code, one);
        ret_code += one;
    }
}

/* ModRM, SIB and displacement of a memory operand (SDM vol. 2, 2.1.5). */
struct operand {
    size_t bytes;
    unsigned reg; /* of ModRM: a register, or part of the opcode */
    int base;     /* register, or NONE */
    int index;
    unsigned scale;
    bool displaced; /* the displacement is not 0 */
};

/* False when @modrm names a register or ends early. */
static bool read_operand(const uint8_t *modrm, size_t bytes, struct operand *ret)
{
    struct operand operand = {.bytes = 1, .index = NONE};
    size_t displacement = 0;
    unsigned mod;

    if (bytes < 1 || modrm[0] >> 6 == 3)
        return false;
    mod = modrm[0] >> 6;
    operand.reg = modrm[0] >> 3 & 7;
    operand.base = modrm[0] & 7;
    if (operand.base == 4) {
        if (bytes < 2)
            return false;
        operand.bytes = 2;
        operand.base = modrm[1] & 7;
        operand.index = (modrm[1] >> 3 & 7) == 4 ? NONE : modrm[1] >> 3 & 7;
        operand.scale = modrm[1] >> 6;
    }
    if (mod == 1) {
        displacement = 1;
    } else if (mod == 2 || operand.base == 5) {
        displacement = 4;
        if (mod == 0) /* no base; in 64-bit code, without SIB, relative to RIP */
            operand.base = NONE;
    }
    if (operand.bytes + displacement > bytes)
        return false;
    for (size_t i = 0; i < displacement; i++)
        operand.displaced = operand.displaced || modrm[operand.bytes + i] != 0;
    operand.bytes += displacement;
    *ret = operand;
    return true;
}

/* Whether LEA of @operand gives its destination back: one term, which is that register itself. */
static bool is_identity(const struct operand *operand)
{
    if (operand->displaced)
        return false;
    if (operand->index == NONE)
        return operand->base == (int) operand->reg;
    return operand->base == NONE && operand->scale == 0 && operand->index == (int) operand->reg;
}

/* Bytes of opcode and operand of the NOP at @code, which has no prefixes; 0: none. */
static size_t decode_common(const uint8_t *code, size_t bytes, uint8_t *ret_opcode)
{
    struct operand operand;

    if (bytes >= 1 && code[0] == NOP_90) {
        *ret_opcode = NOP_90;
        return 1;
    }
    if (bytes < 2 || code[0] != ESCAPE_0F || code[1] != NOP_1F ||
        !read_operand(code + 2, bytes - 2, &operand) || operand.reg != 0)
        return 0;
    *ret_opcode = NOP_1F;
    return 2 + operand.bytes;
}

/* The same for what only 32-bit code may take for one: 64-bit code would clear the upper half. */
static size_t decode_copy(const uint8_t *code, size_t bytes, uint8_t *ret_opcode)
{
    struct operand operand;

    if (bytes < 2)
        return 0;
    *ret_opcode = code[0];
    if (code[0] == MOV_89 || code[0] == MOV_8B)
        return code[1] >> 6 == 3 && (code[1] >> 3 & 7) == (code[1] & 7) ? 2 : 0;
    if (code[0] != LEA_8D || !read_operand(code + 1, bytes - 1, &operand) || !is_identity(&operand))
        return 0;
    return 1 + operand.bytes;
}

static size_t count_prefixes(const uint8_t *code, size_t bytes, uint8_t a, uint8_t b)
{
    size_t n = 0;

    while (n < bytes && (code[n] == a || code[n] == b))
        n++;
    return n;
}

size_t altpick_nop_decode_in(uint32_t bits, const uint8_t *code, size_t bytes,
                             struct altpick_nop *ret_nop)
{
    size_t prefixes = count_prefixes(code, bytes, PREFIX_66, PREFIX_2E), rest;
    uint8_t opcode = 0;

    rest = decode_common(code + prefixes, bytes - prefixes, &opcode);
    if (rest == 0 && bits == 32) {
        prefixes = count_prefixes(code, bytes, PREFIX_2E, PREFIX_3E);
        rest = decode_copy(code + prefixes, bytes - prefixes, &opcode);
    }
    if (rest == 0 || prefixes + rest > ALTPICK_NOP_LONGEST)
        return 0;
    *ret_nop = (struct altpick_nop){
        .opcode = opcode,
        .bytes = (uint8_t) (prefixes + rest),
        .prefixes = (uint8_t) prefixes,
    };
    return prefixes + rest;
}

size_t altpick_nop_decode(const uint8_t *code, size_t bytes, struct altpick_nop *ret_nop)
{
    return altpick_nop_decode_in(64, code, bytes, ret_nop);
}

bool altpick_padding_scan_in(uint32_t bits, const uint8_t *code, size_t bytes,
                             struct altpick_padding *ret_padding)
{
    struct altpick_padding padding = {0};
    struct altpick_nop nop;

    if (bytes >= 2 && bytes <= JMP_REL8_REACH && code[0] == 0xeb && code[1] == bytes - 2) {
        *ret_padding =
            (struct altpick_padding){.instructions = 1, .longest_bytes = 2, .jumps = true};
        return true;
    }
    for (size_t at = 0; at < bytes; at += nop.bytes) {
        if (altpick_nop_decode_in(bits, code + at, bytes - at, &nop) == 0)
            return false;
        padding.instructions++;
        if (nop.bytes > padding.longest_bytes)
            padding.longest_bytes = nop.bytes;
        if (nop.prefixes > padding.prefixes)
            padding.prefixes = nop.prefixes;
    }
    *ret_padding = padding;
    return bytes > 0;
}

bool altpick_padding_scan(const uint8_t *code, size_t bytes, struct altpick_padding *ret_padding)
{
    return altpick_padding_scan_in(64, code, bytes, ret_padding);
}
