/* SPDX-License-Identifier: MIT */
/* What patching needs to know of one instruction: length, NOP or not, what is relative in it. */
#include "elf/insn.h"

#include <Zydis/Zydis.h>

static bool is_nop(const ZydisDecodedInstruction *in, const uint8_t *code)
{
    if (in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && in->opcode == 0x90)
        return !in->raw.prefix_count || code[0] != 0xf3; /* F3 90 is PAUSE */
    return in->opcode_map == ZYDIS_OPCODE_MAP_0F && in->opcode == 0x1f;
}

static bool is_branch(const ZydisDecodedInstruction *in)
{
    if (in->opcode_map == ZYDIS_OPCODE_MAP_0F)
        return in->opcode >= 0x80 && in->opcode <= 0x8f;
    return in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
           ((in->opcode >= 0x70 && in->opcode <= 0x7f) || in->opcode == 0xe8 ||
            in->opcode == 0xe9 || in->opcode == 0xeb);
}

bool altpick_insn_decode(bool is_64, const uint8_t *code, size_t n, struct altpick_insn *ret_insn)
{
    struct altpick_insn insn = {0};
    ZydisDecodedInstruction in;
    ZydisDecoder decoder;

    if (!ZYAN_SUCCESS(ZydisDecoderInit(
            &decoder, is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
            is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32)) ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, n, &in)))
        return false;
    insn.bytes = in.length;
    insn.opcode = in.opcode;
    if (in.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY) {
        insn.is_nop = is_nop(&in, code);
        insn.is_jump = is_branch(&in) && (in.opcode == 0xe9 || in.opcode == 0xeb);
        if (is_branch(&in))
            insn.branch = (struct altpick_insn_field){
                in.raw.imm[0].offset, (uint8_t) (in.raw.imm[0].size / 8), in.raw.imm[0].value.s};
    }
    if (is_64 && in.raw.modrm.offset && in.raw.modrm.mod == 0 && in.raw.modrm.rm == 5)
        insn.operand = (struct altpick_insn_field){
            in.raw.disp.offset, (uint8_t) (in.raw.disp.size / 8), in.raw.disp.value};
    *ret_insn = insn;
    return true;
}
