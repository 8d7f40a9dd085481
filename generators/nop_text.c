/* SPDX-License-Identifier: MIT */
/* Turns padding into a few words for a comment. */
#include "nop_text.h"

#include "altpick/nop.h"

enum { OPERAND_SIZE = 0x66, DS_PREFIX = 0x3e, LENGTHS_MAX = 15 };
enum { NOP = 0x90, LEA = 0x8d, MOV_STORE = 0x89, MOV_LOAD = 0x8b };

static const char *const registers[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};

/* Prefixes as objdump spells them; the last 66 is the "w" of the mnemonic.  Returns whether it is.
 */
static bool describe_prefixes(struct altpick_out *out, const uint8_t *code, size_t n)
{
    bool wide = false;

    for (size_t i = 0; i < n; i++) {
        if (code[i] != OPERAND_SIZE)
            altpick_out_text(out, code[i] == DS_PREFIX ? "ds " : "cs ");
        else if (wide)
            altpick_out_text(out, "data16 ");
        else
            wide = true;
    }
    return wide;
}

/* "%rax", or "%eax" in 32-bit code. */
static void describe_register(struct altpick_out *out, uint32_t bits, const char *name)
{
    altpick_out_text(out, bits == 32 ? "%e" : "%r");
    altpick_out_text(out, name);
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

/* Base and index after a SIB byte: "%rax,%riz,1"; without a base ",%rax,1". */
static void describe_sib(struct altpick_out *out, uint32_t bits, unsigned mode, unsigned sib)
{
    unsigned base = sib & 7u, index = (sib >> 3) & 7u;

    if (mode != 0 || base != 5)
        describe_register(out, bits, registers[base]);
    altpick_out_text(out, ",");
    describe_register(out, bits, index == 4 ? "iz" : registers[index]);
    altpick_out_text(out, ",");
    altpick_out_u64(out, 1u << (sib >> 6));
}

/* The memory operand; @code begins at ModRM, @bytes run to the end of the instruction. */
static void describe_operand(struct altpick_out *out, uint32_t bits, const uint8_t *code,
                             size_t bytes)
{
    unsigned mode = code[0] >> 6, base = code[0] & 7u;
    size_t at = base == 4 ? 2 : 1;

    describe_displacement(out, code + at, bytes - at);
    if (at == 1 && mode == 0 && base == 5) {
        altpick_out_text(out, bits == 32 ? "" : "(%rip)");
        return;
    }
    altpick_out_text(out, "(");
    if (at == 1)
        describe_register(out, bits, registers[base]);
    else
        describe_sib(out, bits, mode, code[1]);
    altpick_out_text(out, ")");
}

static void describe_one(struct altpick_out *out, uint32_t bits, const uint8_t *code,
                         const struct altpick_nop *nop)
{
    const uint8_t *opcode = code + nop->prefixes;
    bool wide = describe_prefixes(out, code, nop->prefixes);

    if (nop->opcode == NOP) {
        altpick_out_text(out, wide ? "xchg %ax,%ax" : "nop");
    } else if (nop->opcode == MOV_STORE || nop->opcode == MOV_LOAD) {
        altpick_out_text(out, "mov ");
        describe_register(out, bits, registers[opcode[1] & 7u]);
        altpick_out_text(out, ",");
        describe_register(out, bits, registers[opcode[1] & 7u]);
    } else if (nop->opcode == LEA) {
        altpick_out_text(out, "lea ");
        describe_operand(out, bits, opcode + 1, nop->bytes - nop->prefixes - 1u);
        altpick_out_text(out, ",");
        describe_register(out, bits, registers[(opcode[1] >> 3) & 7u]);
    } else {
        altpick_out_text(out, wide ? "nopw " : "nopl ");
        describe_operand(out, bits, opcode + 2, nop->bytes - nop->prefixes - 2u);
    }
}

void altpick_nop_describe(struct altpick_out *out, uint32_t bits, const uint8_t *code, size_t bytes)
{
    struct altpick_padding padding;
    struct altpick_nop nop;

    if (!altpick_padding_scan_in(bits, code, bytes, &padding)) {
        altpick_out_text(out, "neither 90 nor 0F1F");
        return;
    }
    if (padding.jumps) {
        altpick_out_text(out, "jump over ");
        altpick_out_u64(out, bytes - padding.longest_bytes);
        altpick_out_text(out, " bytes");
        return;
    }
    if (padding.instructions == 1) {
        altpick_nop_decode_in(bits, code, bytes, &nop);
        describe_one(out, bits, code, &nop);
        return;
    }
    altpick_out_u64(out, padding.instructions);
    altpick_out_text(out, " NOPs");
    for (size_t at = 0; at < bytes && padding.instructions <= LENGTHS_MAX; at += nop.bytes) {
        altpick_nop_decode_in(bits, code + at, bytes - at, &nop);
        altpick_out_text(out, at == 0 ? ": " : " + ");
        altpick_out_u64(out, nop.bytes);
    }
}
