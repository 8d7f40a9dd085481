/* SPDX-License-Identifier: MIT */
/* Finds what has to change in machine code when it is moved, by decoding it. */
#include "elf/fixup.h"

#include "altpick/err.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>

/* The displacement of @in that counts from its end: of a branch, or of an operand behind RIP. */
static bool find_displacement(const ZydisDecodedInstruction *in,
                              const ZydisDecodedOperand *operands, struct altpick_fixup *ret,
                              unsigned *ret_bits)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!in->raw.imm[i].is_relative)
            continue;
        ret->at = in->raw.imm[i].offset;
        ret->displacement = (int32_t) in->raw.imm[i].value.s;
        *ret_bits = in->raw.imm[i].size;
        return true;
    }
    for (unsigned i = 0; i < in->operand_count; i++) {
        if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY ||
            (operands[i].mem.base != ZYDIS_REGISTER_RIP &&
             operands[i].mem.base != ZYDIS_REGISTER_EIP))
            continue;
        ret->at = in->raw.disp.offset;
        ret->displacement = (int32_t) in->raw.disp.value;
        *ret_bits = in->raw.disp.size;
        return true;
    }
    return false;
}

static ZyanStatus begin(ZydisDecoder *decoder, unsigned bits)
{
    return bits == 64
               ? ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)
               : ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
}

int altpick_fixups_find(const uint8_t *code, size_t bytes, unsigned bits,
                        struct altpick_fixup ret_fixups[ALTPICK_FIXUPS_MAX], size_t *ret_n)
{
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction in;
    ZydisDecoder decoder;
    size_t n = 0;

    if (bytes > UINT8_MAX || !ZYAN_SUCCESS(begin(&decoder, bits)))
        return ALTPICK_EFORMAT;
    for (size_t at = 0; at < bytes; at += in.length) {
        struct altpick_fixup fixup;
        unsigned width;
        int64_t target;

        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + at, bytes - at, &in, operands)))
            return ALTPICK_EFORMAT;
        if (!find_displacement(&in, operands, &fixup, &width))
            continue;
        target = (int64_t) (at + in.length) + fixup.displacement;
        if (target >= 0 && target <= (int64_t) bytes)
            continue;
        if (width != 8 && width != 32)
            return ALTPICK_EFORMAT;
        if (n == ALTPICK_FIXUPS_MAX)
            return ALTPICK_ENOSPACE;
        fixup.at = (uint8_t) (at + fixup.at);
        fixup.bytes = (uint8_t) (width / 8);
        fixup.end = (uint8_t) (at + in.length);
        ret_fixups[n++] = fixup;
    }
    *ret_n = n;
    return ALTPICK_OK;
}
