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

size_t altpick_decode_count(uint32_t bits, const uint8_t *code, size_t bytes)
{
    ZydisMachineMode mode = bits == 32 ? ZYDIS_MACHINE_MODE_LEGACY_32 : ZYDIS_MACHINE_MODE_LONG_64;
    ZydisStackWidth width = bits == 32 ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_64;
    ZydisDecoder decoder;
    size_t count = 0;

    if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, mode, width)))
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
