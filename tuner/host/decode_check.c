/* SPDX-License-Identifier: MIT */
/* Turns bytes into a number of instructions. */
#include "decode_check.h"

#include <stdbool.h>

#include <Zydis/Zydis.h>

/* A direct jump from @at to the end of the code. */
static bool jumps_to_end(const ZydisDecodedInstruction *in, size_t at, size_t bytes)
{
    return in->mnemonic == ZYDIS_MNEMONIC_JMP && in->raw.imm[0].is_relative &&
           in->raw.imm[0].value.s == (ZyanI64) (bytes - at - in->length);
}

static ZyanStatus init(ZydisDecoder *decoder, unsigned bits)
{
    switch (bits) {
    case 16:
        return ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16);
    case 32:
        return ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
    default:
        return ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    }
}

size_t altpick_decode_count(unsigned bits, const uint8_t *code, size_t bytes)
{
    ZydisDecoder decoder;
    size_t count = 0;

    if (!ZYAN_SUCCESS(init(&decoder, bits)))
        return 0;
    for (size_t at = 0; at < bytes;) {
        ZydisDecodedInstruction in;

        if (!ZYAN_SUCCESS(
                ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, bytes - at, &in)))
            return 0;
        count++;
        if (jumps_to_end(&in, at, bytes))
            break;
        at += in.length;
    }
    return count;
}
