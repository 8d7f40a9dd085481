/* SPDX-License-Identifier: MIT */
/* Prints bodies in C: their bytes as macros, and the functions that are made of them. */
#include "body.h"
#include "c_text.h"

#include <string.h>

enum { DATA_PER_LINE = 12 };

static void put_candidate(struct altpick_out *out, const struct altpick_body *body)
{
    altpick_out_text(out, "/* ");
    altpick_out_text(out, body->name);
    altpick_out_text(out, " [");
    altpick_out_text(out, body->remark);
    altpick_body_text(out, body, "] */\n#define ALTPICK_$ \"");
    altpick_out_text(out, body->candidate);
    altpick_out_text(out, "\"\n");
}

static void put_code(struct altpick_out *out, const struct altpick_body *body, uint32_t bits)
{
    struct altpick_string string = {.bytes = body->bytes};

    memcpy(string.code, body->code, body->bytes);
    altpick_body_words(out, body, bits);
    altpick_body_text(out, body, "#define ALTPICK_CODE_$ \\\n    ");
    altpick_c_bytes(out, &string);
    altpick_body_text(out, body, "\n#define ALTPICK_ASM_$ ALTPICK_ASM_BYTES_(ALTPICK_CODE_$)\n");
}

/* For whom the body is right. */
static void put_reach(struct altpick_out *out, const struct altpick_bodies *bodies)
{
    altpick_out_text(out,
                     "/* What it needs of a CPU, and the bits of XCR0 that it is right for: no "
                     "other may be set. */\n#define ALTPICK_FPU_INIT_NEEDS \"");
    altpick_body_needs(out, &bodies->fpu_init);
    altpick_out_text(out, "\"\n#define ALTPICK_FPU_INIT_XCR0 0x");
    altpick_out_hex(out, bodies->fpu_init_xcr0, 1);
    altpick_out_text(out, "\n");
}

/* The macros of the bodies for code of @bits, but for those that are the same in both kinds. */
static void put_macros(struct altpick_out *out, const struct altpick_bodies *bodies, uint32_t bits)
{
    const struct altpick_body *list[ALTPICK_BODIES_MAX];
    size_t n = altpick_body_list(bodies, bits, list);

    for (size_t i = 0; i < n; i++) {
        if (altpick_body_counts(list[i]))
            continue;
        put_candidate(out, list[i]);
        if (list[i] == &bodies->fpu_init)
            put_reach(out, bodies);
        put_code(out, list[i], bits);
        altpick_out_text(out, "\n");
    }
}

static void put_refcount_macros(struct altpick_out *out, const struct altpick_bodies *bodies)
{
    if (!bodies->refcount_variant[0])
        return;
    altpick_out_text(out, "/* refcount.implementation [");
    altpick_out_text(out, bodies->refcount[0].remark);
    altpick_out_text(out, "]: the same bytes in both kinds of code. */\n"
                          "#define ALTPICK_REFCOUNT \"");
    altpick_out_text(out, bodies->refcount_variant);
    altpick_out_text(out, "\"\n");
    for (size_t i = 0; i < ALTPICK_N_COUNTER_OPS; i++)
        put_code(out, &bodies->refcount[i], 64);
    altpick_out_text(out, "\n");
}

static void put_all_macros(struct altpick_out *out, const struct altpick_bodies *bodies)
{
    altpick_out_text(
        out, "/*\n * Code that was chosen like the NOPs: ALTPICK_CODE_... is its bytes, "
             "ALTPICK_ASM_... a string\n * for inline assembly.  The function of the same name "
             "says what goes in.\n */\n"
             "#ifndef ALTPICK_ASM_BYTES_\n"
             "#define ALTPICK_STRING_(...) #__VA_ARGS__\n"
             "#define ALTPICK_ASM_BYTES_(...) \".byte \" ALTPICK_STRING_(__VA_ARGS__) \"\\n\"\n"
             "#endif\n\n");
    altpick_c_if_64(out);
    put_macros(out, bodies, 64);
    altpick_c_else_32(out);
    altpick_out_text(out, "/* There is no fpu.init for 32-bit code. */\n\n");
    put_macros(out, bodies, 32);
    altpick_c_end_if(out);
    put_refcount_macros(out, bodies);
}

void altpick_c_body_data(struct altpick_out *out, const char *name, enum altpick_data data)
{
    uint8_t bytes[ALTPICK_BODY_DATA_MAX];
    uint32_t n = altpick_body_data(data, bytes), used = n;

    if (n == 0)
        return;
    while (used > 0 && bytes[used - 1] == 0)
        used--;
    altpick_out_text(out, "static const unsigned char ");
    altpick_out_text(out, name);
    altpick_out_text(out, "[");
    altpick_out_u64(out, n);
    altpick_out_text(out, "] __attribute__((aligned(64))) = {");
    for (uint32_t i = 0; i < used; i++) {
        altpick_out_text(out, i % DATA_PER_LINE ? ", " : i ? ",\n    " : "\n    ");
        altpick_out_text(out, "0x");
        altpick_out_hex(out, bytes[i], 2);
    }
    altpick_out_text(out, ",\n};\n\n");
}

void altpick_c_bodies(struct altpick_out *out, const struct altpick_bodies *bodies)
{
    altpick_c_begin(out, "ALTPICK_BODIES_");
    put_all_macros(out, bodies);
    altpick_c_body_functions(out, bodies, false);
    altpick_c_end_if(out);
}
