/* SPDX-License-Identifier: MIT */
/* Flavours linux and linux-legacy: the names of Linux since 5.13, and of Linux up to 5.12. */
#include "c_text.h"

#include <string.h>

enum { LEGACY_MAX = 8, ATOMIC_BYTES = 5, BOTH = 0 };

/* Names for one set of NOPs. */
struct naming {
    const char *macro; /* "K8_NOP": bytes of one length */
    const char *flat;  /* array of all bytes, shortest NOP first */
    const char *table; /* array of pointers into it */
};

/* NOPs that Linux up to 5.12 chose from at boot. */
struct family {
    struct naming naming;
    const char *comment;
    uint32_t bits; /* the only kind of code that they are NOPs in; BOTH */
    uint8_t nop[LEGACY_MAX + 1][LEGACY_MAX];
    uint8_t atomic[ATOMIC_BYTES];
};

/* clang-format off */
static const struct family families[] = {
    {{"GENERIC_NOP", "intelnops", "intel_nops"}, "MOV and LEA, for CPUs without 0F1F", 32,
     {{0},
      {0x90},
      {0x89, 0xf6},
      {0x8d, 0x76, 0x00},
      {0x8d, 0x74, 0x26, 0x00},
      {0x90, 0x8d, 0x74, 0x26, 0x00},
      {0x8d, 0xb6, 0x00, 0x00, 0x00, 0x00},
      {0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00},
      {0x90, 0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00}},
     {0x3e, 0x8d, 0x74, 0x26, 0x00}},
    {{"K8_NOP", "k8nops", "k8_nops"}, "66 before 90", BOTH,
     {{0},
      {0x90},
      {0x66, 0x90},
      {0x66, 0x66, 0x90},
      {0x66, 0x66, 0x66, 0x90},
      {0x66, 0x66, 0x90, 0x66, 0x90},
      {0x66, 0x66, 0x90, 0x66, 0x66, 0x90},
      {0x66, 0x66, 0x66, 0x90, 0x66, 0x66, 0x90},
      {0x66, 0x66, 0x66, 0x90, 0x66, 0x66, 0x66, 0x90}},
     {0x66, 0x66, 0x66, 0x66, 0x90}},
    {{"K7_NOP", "k7nops", "k7_nops"}, "MOV and LEA of eax", 32,
     {{0},
      {0x90},
      {0x8b, 0xc0},
      {0x8d, 0x04, 0x20},
      {0x8d, 0x44, 0x20, 0x00},
      {0x8d, 0x44, 0x20, 0x00, 0x90},
      {0x8d, 0x80, 0x00, 0x00, 0x00, 0x00},
      {0x8d, 0x04, 0x05, 0x00, 0x00, 0x00, 0x00},
      {0x8d, 0x04, 0x05, 0x00, 0x00, 0x00, 0x00, 0x90}},
     {0x3e, 0x8d, 0x44, 0x20, 0x00}},
    {{"P6_NOP", "p6nops", "p6_nops"}, "0F1F", BOTH,
     {{0},
      {0x90},
      {0x66, 0x90},
      {0x0f, 0x1f, 0x00},
      {0x0f, 0x1f, 0x40, 0x00},
      {0x0f, 0x1f, 0x44, 0x00, 0x00},
      {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
      {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
      {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}},
     {0x0f, 0x1f, 0x44, 0x00, 0x00}},
};
/* clang-format on */

static const struct naming modern = {"BYTES_NOP", "x86nops", "x86_nops"};
static const struct naming decided = {"IDEAL_NOP", "idealnops", "decided_nops"};

static void put_name(struct altpick_out *out, const char *name, uint64_t n)
{
    altpick_out_text(out, name);
    altpick_out_u64(out, n);
}

/* Bytes as a list in C, as text for inline assembly there, as a directive in an assembler file. */
static void put_assembly_macro(struct altpick_out *out)
{
    altpick_out_text(out, "#if defined(__ASSEMBLER__)\n"
                          "#define ALTPICK_ASM_BYTES_(...) .byte __VA_ARGS__\n"
                          "#else\n"
                          "#define ALTPICK_STRING_(...) #__VA_ARGS__\n"
                          "#define ALTPICK_ASM_BYTES_(...) \".byte \" ALTPICK_STRING_(__VA_ARGS__) "
                          "\"\\n\"\n"
                          "#include <stddef.h>\n"
                          "#endif\n\n");
}

/* ASM_NOP1 .. ASM_NOP<count> from @macro, and ASM_NOP_MAX. */
static void put_assembly(struct altpick_out *out, const char *macro, uint32_t count, uint32_t max)
{
    for (uint32_t n = 1; n <= count; n++) {
        put_name(out, "#define ASM_NOP", n);
        altpick_out_text(out, " ALTPICK_ASM_BYTES_(");
        put_name(out, macro, n);
        altpick_out_text(out, ")\n");
    }
    altpick_out_text(out, "\n");
    altpick_c_number(out, NULL, NULL, "ASM_NOP_", "MAX", max);
    altpick_out_text(out, "\n");
}

/* The flat array and the pointers into it: [0] NULL, [n] n bytes, then perhaps the atomic form. */
static void put_pointers(struct altpick_out *out, const struct naming *naming, uint32_t count,
                         bool atomic)
{
    altpick_out_text(out, "#if !defined(__ASSEMBLER__)\nstatic const unsigned char ");
    altpick_out_text(out, naming->flat);
    altpick_out_text(out, "[] = {\n");
    for (uint32_t n = 1; n <= count; n++) {
        altpick_out_text(out, "    ");
        put_name(out, naming->macro, n);
        altpick_out_text(out, ",\n");
    }
    if (atomic) {
        altpick_out_text(out, "    ");
        altpick_out_text(out, naming->macro);
        altpick_out_text(out, "5_ATOMIC,\n");
    }
    altpick_out_text(out, "};\n\nstatic const unsigned char *const ");
    altpick_out_text(out, naming->table);
    altpick_out_text(out, "[] = {\n    NULL,\n");
    for (uint32_t n = 1; n <= count + atomic; n++) {
        altpick_out_text(out, "    ");
        altpick_out_text(out, naming->flat);
        put_name(out, " + ", n * (n - 1) / 2);
        altpick_out_text(out, ",\n");
    }
    altpick_out_text(out, "};\n#endif\n\n");
}

/* Linux since 5.13: what patches text takes its 2 and 5 bytes from here too. */
static void put_modern(struct altpick_out *out, uint32_t bits,
                       const struct altpick_nop_tables *tables)
{
    const struct altpick_c_names names = {.bytes = modern.macro};
    uint32_t max = tables->longest_nop_bytes, count = max > LEGACY_MAX ? max : LEGACY_MAX;

    for (uint32_t n = 1; n <= count; n++) {
        const struct altpick_string *string = &tables->nop[n];

        if (n == tables->text_poke2.bytes)
            string = &tables->text_poke2;
        else if (n == tables->text_poke5.bytes)
            string = &tables->text_poke5;
        altpick_c_string(out, &names, bits, string);
    }
    put_assembly(out, modern.macro, count, max);
    put_pointers(out, &modern, count, false);
}

static void put_linux(struct altpick_out *out, const struct altpick_output *output)
{
    altpick_c_provenance(out, output, "NOPs for Linux since 5.13, 64-bit and 32-bit.");
    altpick_c_begin(out, "ALTPICK_NOPS_LINUX_H");
    altpick_c_bits(out);
    put_assembly_macro(out);
    altpick_out_text(out,
                     "/*\n * BYTES_NOP2 and BYTES_NOP5 are the forms for code that is replaced "
                     "while it may run:\n * jump labels and ftrace compare them.\n */\n\n");
    altpick_c_if_64(out);
    put_modern(out, 64, &output->nop64);
    altpick_c_else_32(out);
    put_modern(out, 32, &output->nop32);
    altpick_c_end_if(out);
    altpick_c_bodies(out, &output->bodies);
    altpick_c_end(out);
}

static void put_atomic(struct altpick_out *out, const char *macro,
                       const struct altpick_string *string)
{
    altpick_out_text(out, "#define ");
    altpick_out_text(out, macro);
    altpick_out_text(out, "5_ATOMIC ");
    altpick_c_bytes(out, string);
    altpick_out_text(out, "\n\n");
}

static void put_family(struct altpick_out *out, const struct family *family)
{
    struct altpick_string string = {.bytes = 0};

    altpick_out_text(out, "/* ");
    altpick_out_text(out, family->comment);
    altpick_out_text(out, " */\n");
    for (uint32_t n = 1; n <= LEGACY_MAX; n++) {
        memcpy(string.code, family->nop[n], n);
        string.bytes = n;
        altpick_c_define_bytes(out, family->naming.macro, &string);
    }
    memcpy(string.code, family->atomic, ATOMIC_BYTES);
    string.bytes = ATOMIC_BYTES;
    put_atomic(out, family->naming.macro, &string);
    put_pointers(out, &family->naming, LEGACY_MAX, true);
}

static void put_legacy_tables(struct altpick_out *out, uint32_t bits,
                              const struct altpick_nop_tables *tables)
{
    const struct altpick_c_names names = {.bytes = decided.macro};

    for (uint32_t n = 1; n <= LEGACY_MAX; n++)
        altpick_c_string(out, &names, bits, &tables->nop[n]);
    put_atomic(out, decided.macro, &tables->text_poke5);
    put_pointers(out, &decided, LEGACY_MAX, true);
}

static void put_legacy(struct altpick_out *out, const struct altpick_output *output)
{
    altpick_c_provenance(out, output, "NOPs for Linux up to 5.12, 64-bit and 32-bit.");
    altpick_c_begin(out, "ALTPICK_NOPS_LINUX_LEGACY_H");
    altpick_c_bits(out);
    put_assembly_macro(out);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (families[i].bits == 32)
            altpick_out_text(out, "#if ALTPICK_BITS == 32\n");
        put_family(out, &families[i]);
        if (families[i].bits == 32)
            altpick_c_end_if(out);
    }
    altpick_out_text(out, "/* The decided forms. */\n");
    altpick_c_if_64(out);
    put_legacy_tables(out, 64, &output->nop64);
    altpick_c_else_32(out);
    put_legacy_tables(out, 32, &output->nop32);
    altpick_c_end_if(out);
    put_assembly(out, decided.macro, LEGACY_MAX, LEGACY_MAX);
    altpick_out_text(out, "/* Index of the form for code that is replaced while it may run. */\n"
                          "#define NOP_ATOMIC5 (ASM_NOP_MAX + 1)\n\n"
                          "#if !defined(__ASSEMBLER__)\n"
                          "static const unsigned char *const *const ideal_nops = decided_nops;\n"
                          "#endif\n\n");
    altpick_c_bodies(out, &output->bodies);
    altpick_c_end(out);
}

const struct altpick_c_flavour altpick_c_linux = {"linux", put_linux};
const struct altpick_c_flavour altpick_c_linux_legacy = {"linux-legacy", put_legacy};
