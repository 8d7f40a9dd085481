/* SPDX-License-Identifier: MIT */
/* NOP encodings: writing them, and decoding what a piece of padding consists of. */
#include "altpick/nop.h"

#include "bytes.h"

enum { LONGEST_PLAIN = 8, JMP_REL8_REACH = 2 + 127 };
enum { PREFIX_66 = 0x66, PREFIX_2E = 0x2e, ESCAPE_0F = 0x0f, NOP_90 = 0x90, NOP_1F = 0x1f };

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

void altpick_nop_even(uint8_t *ret_code, uint32_t bytes, uint32_t pieces,
                      void (*form)(uint8_t *ret_code, uint32_t bytes))
{
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t one = bytes / pieces + (i < bytes % pieces);

        form(ret_code, one);
        ret_code += one;
    }
}

/* Bytes of ModRM, SIB and displacement of a memory operand (SDM vol. 2, 2.1.5); 0: none. */
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

size_t altpick_nop_decode(const uint8_t *code, size_t bytes, struct altpick_nop *ret_nop)
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
    if (at > ALTPICK_NOP_LONGEST)
        return 0;
    *ret_nop = (struct altpick_nop){
        .opcode = operand ? NOP_1F : NOP_90,
        .bytes = (uint8_t) at,
        .prefixes = (uint8_t) prefixes,
    };
    return at;
}

bool altpick_padding_scan(const uint8_t *code, size_t bytes, struct altpick_padding *ret_padding)
{
    struct altpick_padding padding = {0};
    struct altpick_nop nop;

    if (bytes >= 2 && bytes <= JMP_REL8_REACH && code[0] == 0xeb && code[1] == bytes - 2) {
        *ret_padding =
            (struct altpick_padding){.instructions = 1, .longest_bytes = 2, .jumps = true};
        return true;
    }
    for (size_t at = 0; at < bytes; at += nop.bytes) {
        if (altpick_nop_decode(code + at, bytes - at, &nop) == 0)
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
