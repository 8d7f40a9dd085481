/* SPDX-License-Identifier: MIT */
/* Prints the functions in C that run bodies: only names, data and arguments vary. */
#include "body.h"
#include "c_text.h"

/*
 * Compilers let a register be named only where they may use it themselves.  xmm0 to xmm15 stand for
 * the wider registers that they are a part of.
 */
static const char x87_clobbers[] =
    "/* What a body changes and a compiler may keep something in. */\n"
    "#define ALTPICK_ST_ \\\n"
    "    , \"st\", \"st(1)\", \"st(2)\", \"st(3)\", \"st(4)\", \"st(5)\", \"st(6)\", \"st(7)\"\n"
    "#if defined(_SOFT_FLOAT)\n"
    "#define ALTPICK_X87_\n"
    "#elif !defined(__MMX__)\n"
    "#define ALTPICK_X87_ ALTPICK_ST_\n"
    "#else\n"
    "#define ALTPICK_X87_ \\\n"
    "    ALTPICK_ST_, \"mm0\", \"mm1\", \"mm2\", \"mm3\", \"mm4\", \"mm5\", \"mm6\", \"mm7\"\n"
    "#endif\n\n";

static const char vector_clobbers[] =
    "#if defined(__SSE__)\n"
    "#define ALTPICK_XMM_ \\\n"
    "    , \"xmm0\", \"xmm1\", \"xmm2\", \"xmm3\", \"xmm4\", \"xmm5\", \"xmm6\", \"xmm7\", "
    "\"xmm8\", "
    "\\\n"
    "      \"xmm9\", \"xmm10\", \"xmm11\", \"xmm12\", \"xmm13\", \"xmm14\", \"xmm15\"\n"
    "#else\n"
    "#define ALTPICK_XMM_\n"
    "#endif\n"
    "#if defined(__AVX512F__)\n"
    "#define ALTPICK_ZMM_ \\\n"
    "    , \"xmm16\", \"xmm17\", \"xmm18\", \"xmm19\", \"xmm20\", \"xmm21\", \"xmm22\", \"xmm23\", "
    "\\\n"
    "      \"xmm24\", \"xmm25\", \"xmm26\", \"xmm27\", \"xmm28\", \"xmm29\", \"xmm30\", \"xmm31\", "
    "\\\n"
    "      \"k0\", \"k1\", \"k2\", \"k3\", \"k4\", \"k5\", \"k6\", \"k7\"\n"
    "#else\n"
    "#define ALTPICK_ZMM_\n"
    "#endif\n"
    "#if defined(__APX_F__)\n"
    "#define ALTPICK_APX_ \\\n"
    "    , \"r16\", \"r17\", \"r18\", \"r19\", \"r20\", \"r21\", \"r22\", \"r23\", \"r24\", "
    "\"r25\", "
    "\\\n"
    "      \"r26\", \"r27\", \"r28\", \"r29\", \"r30\", \"r31\"\n"
    "#else\n"
    "#define ALTPICK_APX_\n"
    "#endif\n\n";

static const char has_xsave[] =
    "/* Whether the CPU has XSAVE and the system has enabled it.  CPUID is slow: keep the answer. "
    "*/\n"
    "static inline int altpick_has_xsave(void)\n"
    "{\n"
    "    unsigned int a = 1, b, c = 0, d;\n\n"
    "    __asm__ volatile(\"cpuid\" : \"+a\"(a), \"=b\"(b), \"+c\"(c), \"=d\"(d));\n"
    "    return (c >> 26 & 3u) == 3u;\n"
    "}\n\n";

static const char has_sse[] =
    "/*\n"
    " * Whether the CPU, which must have CPUID, has SSE; the system must have enabled it, too\n"
    " * (CR4.OSFXSR).  CPUID is slow: keep the answer.\n"
    " */\n"
    "static inline int altpick_has_sse(void)\n"
    "{\n"
    "    unsigned int a = 1, b, c = 0, d;\n\n"
    "    __asm__ volatile(\"cpuid\" : \"+a\"(a), \"=b\"(b), \"+c\"(c), \"=d\"(d));\n"
    "    return (int) (d >> 25 & 1u);\n"
    "}\n\n";

static void put_fpu_init(struct altpick_out *out, const struct altpick_body *body, bool has_data)
{
    altpick_body_text(
        out, body,
        "/*\n"
        " * fpu.init: bring the FPU and the vector registers to a state that tells nothing of "
        "another\n"
        " * task, with control word 037F and MXCSR 1F80.  PKRU stays as it is.  has_xsave is what\n"
        " * altpick_has_xsave() says; not every body asks.\n"
        " */\n"
        "static inline void altpick_@(int has_xsave)\n"
        "{\n"
        "    __asm__ volatile(ALTPICK_ASM_$\n"
        "                     : \"+a\"(has_xsave)\n");
    altpick_body_text(out, body,
                      has_data ? "                     : \"D\"(altpick_@_data)\n"
                               : "                     :\n");
    altpick_out_text(out, "                     : \"rdx\", \"cc\", \"memory\" ALTPICK_X87_ "
                          "ALTPICK_XMM_ ALTPICK_ZMM_ ALTPICK_APX_);\n"
                          "}\n\n");
}

/* Every function of 32-bit code takes has_sse, so that no decision changes a caller. */
static void put_kernel_fpu(struct altpick_out *out, const struct altpick_body *body, bool wide,
                           bool has_data)
{
    altpick_body_text(out, body, "static inline void altpick_@");
    altpick_out_text(out, wide ? "(void)\n{\n" : "(int has_sse)\n{\n");
    if (!wide && !has_data)
        altpick_out_text(out, "    (void) has_sse;\n");
    altpick_body_text(out, body, "    __asm__ volatile(ALTPICK_ASM_$\n                     :\n");
    if (!has_data)
        altpick_out_text(out, "                     :\n");
    else
        altpick_out_text(out, wide ? "                     : \"D\"(altpick_mxcsr_init)\n"
                                   : "                     : \"a\"(has_sse), "
                                     "\"D\"(altpick_mxcsr_init)\n");
    altpick_out_text(out, "                     : \"cc\", \"memory\" ALTPICK_X87_);\n"
                          "}\n\n");
}

static const char kernel_fpu[] =
    "/*\n"
    " * kernel-fpu.begin: what code in a kernel finds reset when it begins to use the FPU, after "
    "the\n"
    " * state of the task was saved.  For code that uses SSE and wider registers: MXCSR 1F80; x87 "
    "and\n"
    " * MMX: an empty register stack and control word 037F; EFI firmware: both.";

static void put_kernel_fpus(struct altpick_out *out, const struct altpick_body *list, bool wide,
                            bool fixed)
{
    altpick_out_text(out, kernel_fpu);
    altpick_out_text(out, wide ? "\n */\n"
                               : "  has_sse is what\n"
                                 " * altpick_has_sse() says: LDMXCSR runs only where it is not 0.\n"
                                 " */\n");
    for (unsigned i = 0; i < ALTPICK_N_FPU_USERS; i++) {
        if (list[i].name)
            put_kernel_fpu(out, &list[i], wide, fixed || list[i].data != ALTPICK_DATA_NONE);
    }
}

/* The hook, and its numbers from the list that the code was checked against. */
static void put_reports(struct altpick_out *out)
{
    altpick_out_text(out, "/* What an operation on a reference counter tells of. */\n"
                          "enum altpick_refcount_report {\n");
    for (unsigned i = 0; i < ALTPICK_N_REPORTS; i++) {
        altpick_out_text(out, "    ALTPICK_REFCOUNT_");
        for (const char *p = altpick_report_name(i); *p; p++)
            altpick_out_text(out, (char[]){*p == '-' ? '_' : (char) (*p - 'a' + 'A'), '\0'});
        altpick_out_text(out, " = ");
        altpick_out_u64(out, i);
        altpick_out_text(out, i + 1 < ALTPICK_N_REPORTS ? ",\n" : "\n};\n\n");
    }
    altpick_out_text(out, "/* Called after misuse, with the counter and one of those; may be "
                          "defined before. */\n"
                          "#ifndef ALTPICK_REFCOUNT_REPORT\n"
                          "#define ALTPICK_REFCOUNT_REPORT(counter, report) ((void) (counter), "
                          "(void) (report))\n"
                          "#endif\n\n");
}

static void put_refcount(struct altpick_out *out, const struct altpick_body *body,
                         const struct altpick_refcount_form *form)
{
    altpick_out_text(out, "/* ");
    altpick_out_text(out, form->does);
    altpick_out_text(out, form->returns ? " */\nstatic inline int" : " */\nstatic inline void");
    altpick_body_text(out, body, " altpick_@(unsigned int *counter");
    altpick_out_text(out, form->takes_amount ? ", unsigned int amount)\n{\n" : ")\n{\n");
    altpick_out_text(out, form->returns ? "    unsigned int result, report = 0;\n\n"
                                        : "    unsigned int report = 0;\n\n");
    altpick_body_text(out, body, "    __asm__ volatile(ALTPICK_ASM_$\n                     : ");
    altpick_out_text(out, form->returns ? "\"=a\"(result), \"+c\"(report)\n" : "\"+c\"(report)\n");
    altpick_out_text(out, "                     : \"D\"(counter)");
    altpick_out_text(out, form->takes_amount ? ", \"S\"(amount)\n" : "\n");
    altpick_out_text(out, form->returns
                              ? "                     : \"edx\", \"cc\", \"memory\");\n"
                              : "                     : \"eax\", \"edx\", \"cc\", \"memory\");\n");
    altpick_out_text(out, "    if (report != 0)\n"
                          "        ALTPICK_REFCOUNT_REPORT(counter, report);\n");
    altpick_out_text(out, form->returns ? "    return (int) result;\n}\n\n" : "}\n\n");
}

static void put_64(struct altpick_out *out, const struct altpick_bodies *bodies, bool fixed)
{
    if (bodies->fpu_init.name) {
        altpick_out_text(out, vector_clobbers);
        altpick_out_text(out, has_xsave);
        if (!fixed)
            altpick_c_body_data(out, "altpick_fpu_init_data", bodies->fpu_init.data);
        put_fpu_init(out, &bodies->fpu_init, fixed || bodies->fpu_init.data != ALTPICK_DATA_NONE);
    }
    put_kernel_fpus(out, bodies->kernel_fpu64, true, fixed);
}

void altpick_c_body_functions(struct altpick_out *out, const struct altpick_bodies *bodies,
                              bool fixed)
{
    altpick_out_text(out, "#if defined(__GNUC__) && !defined(__ASSEMBLER__) && \\\n"
                          "    ((ALTPICK_BITS == 64 && defined(__x86_64__)) || \\\n"
                          "     (ALTPICK_BITS == 32 && defined(__i386__)))\n\n");
    altpick_out_text(out, x87_clobbers);
    if (!fixed)
        altpick_c_body_data(out, "altpick_mxcsr_init", ALTPICK_DATA_MXCSR);
    altpick_c_if_64(out);
    put_64(out, bodies, fixed);
    altpick_c_else_32(out);
    altpick_out_text(out, has_sse);
    put_kernel_fpus(out, bodies->kernel_fpu32, false, fixed);
    altpick_c_end_if(out);
    if (bodies->refcount_variant[0])
        put_reports(out);
    for (size_t i = 0; i < ALTPICK_N_COUNTER_OPS && bodies->refcount_variant[0]; i++)
        put_refcount(out, &bodies->refcount[i], &altpick_refcount_forms[i]);
    altpick_c_end_if(out);
}
