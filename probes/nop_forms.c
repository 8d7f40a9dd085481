/* SPDX-License-Identifier: MIT */
/* The NOP encodings that candidates are built from, and what a piece of padding consists of. */
#include "nop_forms.h"

#include "bytes.h"
#include "published.h"

enum { LONGEST_PLAIN = 8, JMP_REL8_REACH = 2 + 127 };

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

bool altpick_padding_scan(const uint8_t *code, size_t bytes, struct altpick_padding *ret_padding)
{
    struct altpick_padding padding = {0};
    struct altpick_nop     nop;

    if (bytes >= 2 && bytes <= JMP_REL8_REACH && code[0] == 0xeb && code[1] == bytes - 2) {
        *ret_padding = (struct altpick_padding){.instructions = 1, .longest_bytes = 2, .jumps = true};
        return true;
    }
    for (size_t at = 0; at < bytes; at += nop.bytes) {
        if (altpick_nop_scan(code + at, bytes - at, &nop) == 0)
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
