/* SPDX-License-Identifier: MIT */
/* Turns padding into a few words for a comment. */
#include "nop_text.h"

#include "altpick/output.h"

enum { OPERAND_SIZE = 0x66, NOP = 0x90, LENGTHS_MAX = 15 };

static const char *segment_name(uint8_t prefix)
{
    switch (prefix) {
    case 0x26:
        return "es ";
    case 0x2e:
        return "cs ";
    case 0x36:
        return "ss ";
    case 0x3e:
        return "ds ";
    case 0x64:
        return "fs ";
    default:
        return "gs ";
    }
}

/* Prefixes as objdump spells them; the last 66 is the "w" of the mnemonic.  Returns whether it is.
 */
static bool describe_prefixes(struct altpick_out *out, const uint8_t *code, size_t n)
{
    bool wide = false;

    for (size_t i = 0; i < n; i++) {
        if (code[i] != OPERAND_SIZE)
            altpick_out_text(out, segment_name(code[i]));
        else if (wide)
            altpick_out_text(out, "data16 ");
        else
            wide = true;
    }
    return wide;
}

/* The displacement of @bytes bytes, little-endian. */
static void describe_displacement(struct altpick_out *out, const uint8_t *code, size_t bytes)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t) code[i] << (8 * i);
    if (bytes) {
        altpick_out_text(out, "0x");
        altpick_out_hex(out, value, 1);
    }
}

/* The operand of 0F 1F; @code begins at ModRM, @bytes run to the end of the instruction. */
static void describe_operand(struct altpick_out *out, const uint8_t *code, size_t bytes)
{
    static const char *const registers[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
    unsigned mode = code[0] >> 6, base = code[0] & 7u;
    size_t at = base == 4 && mode != 3 ? 2 : 1;

    if (mode == 3) {
        altpick_out_text(out, "%");
        altpick_out_text(out, registers[base]);
        return;
    }
    describe_displacement(out, code + at, bytes - at);
    altpick_out_text(out, "(%r");
    if (at == 1) {
        altpick_out_text(out, mode == 0 && base == 5 ? "ip" : registers[base]);
    } else {
        unsigned index = (code[1] >> 3) & 7u;

        altpick_out_text(out, mode == 0 && (code[1] & 7u) == 5 ? "iz" : registers[code[1] & 7u]);
        altpick_out_text(out, index == 4 ? ",%riz" : ",%r");
        if (index != 4)
            altpick_out_text(out, registers[index]);
        altpick_out_text(out, ",");
        altpick_out_u64(out, 1u << (code[1] >> 6));
    }
    altpick_out_text(out, ")");
}

static void describe_one(struct altpick_out *out, const uint8_t *code,
                         const struct altpick_nop *nop)
{
    const uint8_t *opcode = code + nop->prefixes;
    bool wide = describe_prefixes(out, code, nop->prefixes);

    if (opcode[0] == NOP) {
        altpick_out_text(out, wide ? "xchg %ax,%ax" : "nop");
        return;
    }
    altpick_out_text(out, wide ? "nopw " : "nopl ");
    describe_operand(out, opcode + 2, nop->bytes - nop->prefixes - 2u);
}

void altpick_nop_describe(struct altpick_out *out, const uint8_t *code, size_t bytes)
{
    struct altpick_padding padding;
    struct altpick_nop nop;

    if (!altpick_padding_scan(code, bytes, &padding)) {
        altpick_out_text(out, "unknown");
        return;
    }
    if (padding.jumps) {
        altpick_out_text(out, "jump over ");
        altpick_out_u64(out, bytes - padding.longest_bytes);
        altpick_out_text(out, " bytes");
        return;
    }
    if (padding.instructions == 1) {
        altpick_nop_decode(code, bytes, &nop);
        describe_one(out, code, &nop);
        return;
    }
    altpick_out_u64(out, padding.instructions);
    altpick_out_text(out, " NOPs");
    for (size_t at = 0; at < bytes && padding.instructions <= LENGTHS_MAX; at += nop.bytes) {
        altpick_nop_decode(code + at, bytes - at, &nop);
        altpick_out_text(out, at == 0 ? ": " : " + ");
        altpick_out_u64(out, nop.bytes);
    }
}
