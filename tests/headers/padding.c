/* SPDX-License-Identifier: MIT */
/* Decodes padding with Zydis. */
#include "padding.h"

#include <Zydis/Zydis.h>

/* LEA that gives a register what it holds: base or index alone, not scaled, displacement 0. */
static bool is_identity_lea(const ZydisDecodedOperand *to, const ZydisDecodedOperand *from)
{
    ZydisRegister only = from->mem.base;

    if (only == ZYDIS_REGISTER_NONE && from->mem.scale == 1)
        only = from->mem.index;
    else if (from->mem.index != ZYDIS_REGISTER_NONE)
        return false;
    return only == to->reg.value && from->mem.disp.value == 0;
}

/*
 * 90 or 0F 1F; the hint space (0F 18 .. 1E) also decodes as NOP, but is not padding.  In 32-bit
 * code MOV of a register to itself, and LEA that does the same.
 */
static bool is_nop(unsigned bits, const ZydisDecodedInstruction *in,
                   const ZydisDecodedOperand *operand)
{
    if (in->mnemonic == ZYDIS_MNEMONIC_NOP)
        return in->opcode == 0x90 || in->opcode == 0x1f;
    if (bits != 32 || in->operand_width != 32)
        return false;
    if (in->mnemonic == ZYDIS_MNEMONIC_MOV)
        return operand[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               operand[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               operand[0].reg.value == operand[1].reg.value;
    return in->mnemonic == ZYDIS_MNEMONIC_LEA && is_identity_lea(&operand[0], &operand[1]);
}

/* The length of the NOP, or of the jump and what it skips; 0: neither, or beyond @n. */
static size_t step(unsigned bits, const uint8_t *code, size_t n, size_t *ret_instruction)
{
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction in;
    ZydisDecoder decoder;

    if (bits == 64)
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    else
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &in, operand)))
        return 0;
    *ret_instruction = in.length;
    if (in.mnemonic == ZYDIS_MNEMONIC_JMP && in.raw.imm[0].is_relative &&
        in.raw.imm[0].value.s >= 0 && (uint64_t) in.raw.imm[0].value.s <= n - in.length)
        return in.length + (size_t) in.raw.imm[0].value.s;
    return is_nop(bits, &in, operand) ? in.length : 0;
}

bool padding_decode(unsigned bits, const uint8_t *code, size_t n, struct filling *ret)
{
    ret->count = 0;
    ret->jumps = false;
    for (size_t at = 0; at < n;) {
        size_t instruction = 0, bytes = step(bits, code + at, n - at, &instruction);

        if (bytes == 0 || ret->count == INSTRUCTIONS_MAX)
            return false;
        ret->bytes[ret->count++] = instruction;
        ret->jumps = at == 0 && (code[0] == 0xeb || code[0] == 0xe9);
        if (bytes != instruction || ret->jumps)
            return ret->jumps && bytes == n;
        at += bytes;
    }
    return true;
}

bool padding_reaches_end(unsigned bits, const uint8_t *code, size_t n)
{
    size_t at = 0;

    while (at < n) {
        size_t instruction, bytes = step(bits, code + at, n - at, &instruction);

        if (bytes == 0)
            return false;
        at += bytes;
    }
    return true;
}
