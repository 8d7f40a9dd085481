/* SPDX-License-Identifier: MIT */
/* Follows every path through code that is entered with eax 0, and looks for SSE. */
#include "guard.h"

#include <Zydis/Zydis.h>

enum { CODE_MAX = 256 };

struct walk {
    const uint8_t *code;
    size_t bytes;
    ZydisDecoder decoder;
    bool seen[2][CODE_MAX]; /* [1]: with ZF known to be set */
};

/* LDMXCSR and everything that Zydis counts to SSE or to what came after it. */
static bool needs_sse(const ZydisDecodedInstruction *in)
{
    switch (in->meta.isa_ext) {
    case ZYDIS_ISA_EXT_BASE:
    case ZYDIS_ISA_EXT_X87:
        return false;
    default:
        return true;
    }
}

static bool is_test_of_eax(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *operand)
{
    return in->mnemonic == ZYDIS_MNEMONIC_TEST && operand[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operand[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operand[0].reg.value == ZYDIS_REGISTER_EAX && operand[1].reg.value == ZYDIS_REGISTER_EAX;
}

/* Nothing before the test may change eax: it is the first instruction, or follows FNINIT. */
static bool follow(struct walk *walk, size_t at, bool zero)
{
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction in;

    while (at < walk->bytes && !walk->seen[zero][at]) {
        walk->seen[zero][at] = true;
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&walk->decoder, walk->code + at, walk->bytes - at,
                                                 &in, operand)) ||
            needs_sse(&in))
            return false;
        at += in.length;
        if (in.meta.category == ZYDIS_CATEGORY_COND_BR) {
            size_t to = at + (size_t) in.raw.imm[0].value.s;

            if (!(zero && in.mnemonic == ZYDIS_MNEMONIC_JNZ) && !follow(walk, to, zero))
                return false;
            if (zero && in.mnemonic == ZYDIS_MNEMONIC_JZ)
                return true;
        } else if (in.meta.category == ZYDIS_CATEGORY_UNCOND_BR) {
            at += (size_t) in.raw.imm[0].value.s;
        } else {
            zero = is_test_of_eax(&in, operand) || (zero && in.mnemonic == ZYDIS_MNEMONIC_NOP);
        }
    }
    return true;
}

bool guard_holds(unsigned bits, const uint8_t *code, size_t bytes)
{
    struct walk walk = {.code = code, .bytes = bytes};

    if (bytes == 0 || bytes > CODE_MAX)
        return false;
    ZydisDecoderInit(&walk.decoder,
                     bits == 64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     bits == 64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    return follow(&walk, 0, false);
}
