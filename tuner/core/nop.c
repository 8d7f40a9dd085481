/* SPDX-License-Identifier: MIT */
/* Turns bytes of padding into the instruction that they begin with. */
#include "altpick/err.h"
#include "altpick/output.h"

enum { OPERAND_SIZE = 0x66, NOP = 0x90, ESCAPE = 0x0f, LONG_NOP = 0x1f, JMP_REL8 = 0xeb };
enum { INSTRUCTION_BYTES_MAX = 15 }; /* SDM vol. 2, 2.3.11 */

static bool is_prefix(uint8_t byte)
{
    static const uint8_t prefixes[] = {OPERAND_SIZE, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65};

    for (size_t i = 0; i < sizeof prefixes; i++) {
        if (byte == prefixes[i])
            return true;
    }
    return false;
}

/* Bytes of a memory operand with 64-bit addressing: ModRM, SIB, displacement (SDM vol. 2, 2.1.5).
 */
static size_t operand_bytes(uint8_t modrm, uint8_t sib)
{
    unsigned mode = modrm >> 6, rm = modrm & 7u;
    bool has_sib = rm == 4 && mode != 3;
    size_t bytes = has_sib ? 2 : 1;

    if (mode == 1)
        return bytes + 1;
    if (mode == 2 || (mode == 0 && (rm == 5 || (has_sib && (sib & 7u) == 5))))
        return bytes + 4;
    return bytes;
}

int altpick_nop_decode(const uint8_t *code, size_t bytes, struct altpick_nop *ret_nop)
{
    size_t at = 0, end = 0;
    bool jump = false;

    while (at < bytes && is_prefix(code[at]))
        at++;
    if (at < bytes && code[at] == NOP) {
        end = at + 1;
    } else if (at + 2 < bytes && code[at] == ESCAPE && code[at + 1] == LONG_NOP &&
               (code[at + 2] & 0x38u) == 0) {
        end = at + 2 + operand_bytes(code[at + 2], at + 3 < bytes ? code[at + 3] : 0);
    } else if (at == 0 && bytes >= 2 && code[0] == JMP_REL8 && code[1] < 0x80) {
        end = 2u + code[1];
        jump = true;
    }
    if (end == 0 || end > bytes || (!jump && end > INSTRUCTION_BYTES_MAX))
        return ALTPICK_EFORMAT;
    *ret_nop =
        (struct altpick_nop){.bytes = (uint32_t) end, .prefixes = (uint32_t) at, .jump = jump};
    return ALTPICK_OK;
}
