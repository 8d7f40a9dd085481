/* SPDX-License-Identifier: MIT */
/* The functions in emitted headers that fill a gap: fixed text. */
#include "c_text.h"

void altpick_c_copy(struct altpick_out *out)
{
    altpick_out_text(
        out, "/* Volatile, so that no compiler turns the loop into a call of memcpy(). */\n"
             "static inline void altpick_nop_copy_(unsigned char *to, const unsigned char *from, "
             "size_t n)\n"
             "{\n"
             "    volatile unsigned char *out = to;\n"
             "    size_t i;\n\n"
             "    for (i = 0; i < n; i++)\n"
             "        out[i] = from[i];\n"
             "}\n\n");
}

void altpick_c_jump(struct altpick_out *out)
{
    altpick_out_text(out, "/* A jump over n - 2 or n - 5 bytes of filler; n is at most 2 GiB. */\n"
                          "static inline void altpick_nop_jump_(unsigned char *to, size_t n)\n"
                          "{\n"
                          "    volatile unsigned char *out = to;\n"
                          "    size_t at = n <= 129 ? 2 : 5, skip = n - at;\n\n"
                          "    out[0] = at == 2 ? 0xeb : 0xe9; /* jmp rel8, jmp rel32 */\n"
                          "    out[1] = (unsigned char) (skip & 0xff);\n"
                          "    if (at == 5) {\n"
                          "        out[2] = (unsigned char) (skip >> 8 & 0xff);\n"
                          "        out[3] = (unsigned char) (skip >> 16 & 0xff);\n"
                          "        out[4] = (unsigned char) (skip >> 24 & 0xff);\n"
                          "    }\n"
                          "    for (; at < n; at++)\n"
                          "        out[at] = 0x90;\n"
                          "}\n\n");
}

void altpick_c_gap_type(struct altpick_out *out)
{
    altpick_out_text(out,
                     "/* A gap that is filled by a sequence of its own; bytes 0 ends a list. */\n"
                     "struct altpick_nop_gap {\n"
                     "    unsigned int bytes;\n"
                     "    unsigned char code[64];\n"
                     "};\n\n");
}

void altpick_c_fill_by(struct altpick_out *out, bool jumps)
{
    altpick_out_text(
        out,
        "/* Fill n bytes by the rules of altpick_nop_fill(), from tables that are arguments. */\n"
        "static inline void altpick_nop_fill_by_(const unsigned char (*nops)[15],\n"
        "                                        const struct altpick_nop_gap *gaps,\n"
        "                                        size_t longest, size_t jump_from,\n"
        "                                        unsigned char *to, size_t n)\n"
        "{\n"
        "    size_t count, each, longer, i;\n\n");
    altpick_out_text(out, jumps
                              ? "    for (; jump_from != 0 && n > 0x7fffffff; n -= 0x40000000, to "
                                "+= 0x40000000)\n"
                                "        altpick_nop_jump_(to, 0x40000000);\n"
                              : "    (void) jump_from;\n");
    altpick_out_text(out, "    if (n <= 15) {\n"
                          "        altpick_nop_copy_(to, nops[n], n);\n"
                          "        return;\n"
                          "    }\n"
                          "    for (; gaps->bytes != 0; gaps++) {\n"
                          "        if (gaps->bytes == n) {\n"
                          "            altpick_nop_copy_(to, gaps->code, n);\n"
                          "            return;\n"
                          "        }\n"
                          "    }\n");
    if (jumps)
        altpick_out_text(out, "    if (jump_from != 0 && n >= jump_from) {\n"
                              "        altpick_nop_jump_(to, n);\n"
                              "        return;\n"
                              "    }\n");
    altpick_out_text(out, "    count = n / longest + (n % longest != 0 ? 1u : 0u);\n"
                          "    each = n / count;\n"
                          "    longer = n % count;\n"
                          "    for (i = 0; i < count; i++) {\n"
                          "        size_t bytes = i < longer ? each + 1 : each;\n\n"
                          "        altpick_nop_copy_(to, nops[bytes], bytes);\n"
                          "        to += bytes;\n"
                          "    }\n"
                          "}\n\n");
}
