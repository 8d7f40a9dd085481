/* SPDX-License-Identifier: MIT */
/* Prints bodies as macros for GNU as and clang. */
#include "body.h"
#include "gas_text.h"

/* ".macro altpick_<name><suffix>", the bytes, ".endm". */
static void put_macro(struct altpick_out *out, const struct altpick_body *body, const char *suffix,
                      uint32_t bits)
{
    altpick_out_text(out, "/* ");
    altpick_out_text(out, body->name);
    altpick_out_text(out, ": ");
    altpick_out_text(out, body->candidate);
    altpick_out_text(out, " [");
    altpick_out_text(out, body->remark);
    altpick_out_text(out, "] */\n");
    altpick_body_words(out, body, bits);
    altpick_body_text(out, body, ".macro altpick_@");
    altpick_out_text(out, suffix);
    altpick_out_text(out, "\n");
    altpick_gas_bytes(out, body->code, body->bytes);
    altpick_out_text(out, ".endm\n\n");
}

/* ".macro altpick_<name>_data": what rdi points to. */
static void put_data(struct altpick_out *out, const char *name, enum altpick_data data)
{
    uint8_t bytes[ALTPICK_BODY_DATA_MAX];
    uint32_t n = altpick_body_data(data, bytes), used = n;

    while (used > 0 && bytes[used - 1] == 0)
        used--;
    altpick_out_text(out, ".macro altpick_");
    altpick_out_text(out, name);
    altpick_out_text(out, n ? "\n    .balign 64\n" : "\n");
    if (used)
        altpick_gas_bytes(out, bytes, used);
    if (n > used) {
        altpick_out_text(out, "    .skip ");
        altpick_out_u64(out, n - used);
        altpick_out_text(out, "\n");
    }
    altpick_out_text(out, ".endm\n\n");
}

static void put_fpu_init(struct altpick_out *out, const struct altpick_bodies *bodies)
{
    altpick_out_text(out, "/*\n * 64-bit code only.  rdi: what altpick_fpu_init_data puts where it "
                          "is called; eax: not 0 where\n * the CPU has XSAVE and the system has "
                          "enabled it.  Changes rax, rdx, flags and the whole FPU and\n"
                          " * vector state but PKRU.  Needs ");
    altpick_body_needs(out, &bodies->fpu_init);
    altpick_out_text(out, "; no bits of XCR0 may be set but 0x");
    altpick_out_hex(out, bodies->fpu_init_xcr0, 1);
    altpick_out_text(out, ".\n */\n");
    put_macro(out, &bodies->fpu_init, "_64", 64);
    altpick_out_text(out, ".macro altpick_fpu_init\n"
                          "    .if ALTPICK_BITS==32\n"
                          "    .error \"altpick_fpu_init is for 64-bit code\"\n"
                          "    .else\n    altpick_fpu_init_64\n    .endif\n"
                          ".endm\n\n");
    put_data(out, "fpu_init_data", bodies->fpu_init.data);
}

static void put_kernel_fpu(struct altpick_out *out, const struct altpick_bodies *bodies)
{
    altpick_out_text(out, "/*\n * rdi or edi: what altpick_mxcsr_init puts where it is called; in "
                          "32-bit code eax: not 0 where the\n * CPU has SSE and the system has "
                          "enabled it.  Changes flags, x87 state and MXCSR.\n */\n");
    put_data(out, "mxcsr_init", ALTPICK_DATA_MXCSR);
    for (unsigned i = 0; i < ALTPICK_N_FPU_USERS; i++) {
        if (!bodies->kernel_fpu64[i].name)
            continue;
        put_macro(out, &bodies->kernel_fpu64[i], "_64", 64);
        put_macro(out, &bodies->kernel_fpu32[i], "_32", 32);
        altpick_body_text(out, &bodies->kernel_fpu64[i],
                          ".macro altpick_@\n"
                          "    .if ALTPICK_BITS==32\n    altpick_@_32\n"
                          "    .else\n    altpick_@_64\n    .endif\n"
                          ".endm\n\n");
    }
}

void altpick_gas_bodies(struct altpick_out *out, const struct altpick_bodies *bodies)
{
    if (bodies->fpu_init.name)
        put_fpu_init(out, bodies);
    put_kernel_fpu(out, bodies);
    if (!bodies->refcount_variant[0])
        return;
    altpick_out_text(out, "/*\n * rdi or edi: the counter, 32 bits; esi: the amount of add and "
                          "sub_and_test; ecx: 0.  Afterwards eax is\n * the result of "
                          "inc_not_zero, dec_and_test and sub_and_test, and ecx tells of misuse:");
    for (unsigned i = 0; i < ALTPICK_N_REPORTS; i++) {
        altpick_out_text(out, i == 3 ? ",\n * " : i ? ", " : " ");
        altpick_out_u64(out, i);
        altpick_out_text(out, " ");
        altpick_out_text(out, altpick_report_name(i));
    }
    altpick_out_text(out, ".\n * Changes eax, ecx, edx and flags.\n */\n");
    for (unsigned i = 0; i < ALTPICK_N_COUNTER_OPS; i++)
        put_macro(out, &bodies->refcount[i], "", 64);
}
