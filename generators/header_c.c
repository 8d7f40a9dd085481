/* SPDX-License-Identifier: MIT */
/* Flavour c: names of altpick's own, a table, and a function that fills any gap. */
#include "c_text.h"

static const struct altpick_c_names nop_names = {"ALTPICK_NOP", "ALTPICK_ASM_NOP"};
static const struct altpick_c_names gap_names = {"ALTPICK_NOP_GAP", "ALTPICK_ASM_NOP_GAP"};
static const struct altpick_c_names poke_names = {"ALTPICK_TEXT_POKE", "ALTPICK_ASM_TEXT_POKE"};

/* One kind of code under names that say which. */
static const struct explicit_names {
    const char *bits, *nop, *gap;
} names64 = {"64", "ALTPICK_NOP64_", "ALTPICK_NOP64_GAP"},
  names32 = {"32", "ALTPICK_NOP32_", "ALTPICK_NOP32_GAP"};

static void put_values(struct altpick_out *out, uint32_t bits,
                       const struct altpick_nop_tables *tables)
{
    for (size_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++)
        altpick_c_string(out, &nop_names, bits, &tables->nop[n]);
    for (size_t i = 0; i < tables->n_gaps; i++)
        altpick_c_string(out, &gap_names, bits, &tables->gap[i]);

    altpick_out_text(out, "/* Lengths with a form of their own: 1 .. this. */\n"
                          "#define ALTPICK_NOP_TABLE_MAX 15\n\n");
    altpick_c_number(out, "Longest NOP worth using: a longer gap is split evenly.",
                     tables->longest_remark, "ALTPICK_NOP_", "MAX", tables->longest_nop_bytes);
    altpick_c_number(out, "Most prefixes on one NOP before two NOPs are better.",
                     tables->prefix_remark, "ALTPICK_NOP_", "PREFIX_LIMIT", tables->prefix_limit);
    altpick_c_number(out, "Gaps beyond the table from here on: a jump over 90s; 0: never.",
                     tables->jump_remark, "ALTPICK_NOP_", "JUMP_FROM", tables->jump_from_bytes);
    altpick_out_text(out,
                     "/* One instruction each, for code that is replaced while it may run. */\n");
    altpick_c_string(out, &poke_names, bits, &tables->text_poke2);
    altpick_c_string(out, &poke_names, bits, &tables->text_poke5);
}

/* Every byte list has the length that its name says, in C99, C11 and C++17. */
static void put_checks(struct altpick_out *out)
{
    altpick_out_text(
        out, "#if defined(__cplusplus)\n"
             "#define ALTPICK_CHECK_(condition, name) static_assert(condition, #name)\n"
             "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n"
             "#define ALTPICK_CHECK_(condition, name) _Static_assert(condition, #name)\n"
             "#else\n"
             "#define ALTPICK_CHECK_(condition, name) typedef char name[(condition) ? 1 : -1]\n"
             "#endif\n\n"
             "/* How many bytes, up to 16, a list has. */\n"
             "#define ALTPICK_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) "
             "count\n"
             "#define ALTPICK_COUNT_BYTES(...) \\\n"
             "    ALTPICK_COUNT_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, "
             "1, 0)\n\n");
    for (size_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++) {
        altpick_out_text(out, "ALTPICK_CHECK_(ALTPICK_COUNT_BYTES(ALTPICK_NOP");
        altpick_out_u64(out, n);
        altpick_out_text(out, ") == ");
        altpick_out_u64(out, n);
        altpick_out_text(out, ", altpick_nop_length_");
        altpick_out_u64(out, n);
        altpick_out_text(out, ");\n");
    }
    altpick_out_text(out, "ALTPICK_CHECK_(ALTPICK_NOP_MAX >= 1 && ALTPICK_NOP_MAX <= "
                          "ALTPICK_NOP_TABLE_MAX, altpick_nop_max);\n\n");
}

/* A table of all lengths, made of the byte lists that begin with @nop. */
static void put_table(struct altpick_out *out, const char *bits, const char *nop)
{
    altpick_out_text(out, "/* altpick_nops");
    altpick_out_text(out, bits);
    altpick_out_text(out, "[n] begins with the n bytes that fill a gap of n. */\n"
                          "static const unsigned char altpick_nops");
    altpick_out_text(out, bits);
    altpick_out_text(out, "[ALTPICK_NOP_TABLE_MAX + 1][ALTPICK_NOP_TABLE_MAX] = {\n"
                          "    {0},\n");
    for (size_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++) {
        altpick_out_text(out, "    {");
        altpick_out_text(out, nop);
        altpick_out_u64(out, n);
        altpick_out_text(out, "},\n");
    }
    altpick_out_text(out, "};\n\n");
}

/* The gaps that are not split evenly: an array each. */
static void put_gap_arrays(struct altpick_out *out, const struct altpick_nop_tables *tables)
{
    for (size_t i = 0; i < tables->n_gaps; i++) {
        uint32_t bytes = tables->gap[i].bytes;

        altpick_out_text(out, "static const unsigned char altpick_nop_gap_");
        altpick_out_u64(out, bytes);
        altpick_out_text(out, "[] = {ALTPICK_NOP_GAP");
        altpick_out_u64(out, bytes);
        altpick_out_text(out, "};\nALTPICK_CHECK_(sizeof(altpick_nop_gap_");
        altpick_out_u64(out, bytes);
        altpick_out_text(out, ") == ");
        altpick_out_u64(out, bytes);
        altpick_out_text(out, ", altpick_nop_gap_length_");
        altpick_out_u64(out, bytes);
        altpick_out_text(out, ");\n\n");
    }
}

static void put_gap_cases(struct altpick_out *out, const struct altpick_nop_tables *tables)
{
    if (tables->n_gaps == 0)
        return;
    altpick_out_text(out, "    switch (n) {\n");
    for (size_t i = 0; i < tables->n_gaps; i++) {
        altpick_out_text(out, "    case ");
        altpick_out_u64(out, tables->gap[i].bytes);
        altpick_out_text(out, ":\n        altpick_nop_copy_(to, altpick_nop_gap_");
        altpick_out_u64(out, tables->gap[i].bytes);
        altpick_out_text(out, ", n);\n        return;\n");
    }
    altpick_out_text(out, "    default:\n        break;\n    }\n");
}

static const char split[] =
    "/* As few NOPs of up to ALTPICK_NOP_MAX bytes as fill n > 0 bytes, even, longer first. */\n"
    "static inline void altpick_nop_split_(unsigned char *to, size_t n)\n"
    "{\n"
    "    size_t count = n / ALTPICK_NOP_MAX + (n % ALTPICK_NOP_MAX != 0 ? 1u : 0u);\n"
    "    size_t each = n / count, longer = n % count, i;\n\n"
    "    for (i = 0; i < count; i++) {\n"
    "        size_t bytes = i < longer ? each + 1 : each;\n\n"
    "        altpick_nop_copy_(to, altpick_nops[bytes], bytes);\n"
    "        to += bytes;\n"
    "    }\n"
    "}\n\n";

static void put_fill(struct altpick_out *out, const struct altpick_nop_tables *tables)
{
    altpick_out_text(out, "/* Fill n bytes at dst with padding that execution may run through. */\n"
                          "static inline void altpick_nop_fill(void *dst, size_t n)\n"
                          "{\n"
                          "    unsigned char *to = (unsigned char *) dst;\n\n"
                          "    if (n <= ALTPICK_NOP_TABLE_MAX) {\n"
                          "        altpick_nop_copy_(to, altpick_nops[n], n);\n"
                          "        return;\n"
                          "    }\n");
    put_gap_cases(out, tables);
    if (tables->jump_from_bytes)
        altpick_out_text(out, "    for (; n > 0x7fffffff; n -= 0x40000000, to += 0x40000000)\n"
                              "        altpick_nop_jump_(to, 0x40000000);\n"
                              "    if (n >= ALTPICK_NOP_JUMP_FROM) {\n"
                              "        altpick_nop_jump_(to, n);\n"
                              "        return;\n"
                              "    }\n");
    altpick_out_text(out, "    altpick_nop_split_(to, n);\n"
                          "}\n\n");
}

/* Whether the same text fills gaps of both kinds of code: only bytes and numbers differ. */
static bool fill_alike(const struct altpick_nop_tables *a, const struct altpick_nop_tables *b)
{
    if (a->n_gaps != b->n_gaps || !a->jump_from_bytes != !b->jump_from_bytes)
        return false;
    for (size_t i = 0; i < a->n_gaps; i++) {
        if (a->gap[i].bytes != b->gap[i].bytes)
            return false;
    }
    return true;
}

/* @put for both kinds of code, or once where they are alike. */
static void put_both(struct altpick_out *out, const struct altpick_output *output,
                     void (*put)(struct altpick_out *out, const struct altpick_nop_tables *tables))
{
    if (fill_alike(&output->nop64, &output->nop32)) {
        put(out, &output->nop64);
        return;
    }
    altpick_c_if_64(out);
    put(out, &output->nop64);
    altpick_c_else_32(out);
    put(out, &output->nop32);
    altpick_c_end_if(out);
}

static void put_explicit_gaps(struct altpick_out *out, const struct explicit_names *names,
                              const struct altpick_nop_tables *tables)
{
    altpick_out_text(out, "static const struct altpick_nop_gap altpick_nop_gaps");
    altpick_out_text(out, names->bits);
    altpick_out_text(out, "[] = {\n");
    for (size_t i = 0; i < tables->n_gaps; i++) {
        altpick_out_text(out, "    {");
        altpick_out_u64(out, tables->gap[i].bytes);
        altpick_out_text(out, ", {");
        altpick_out_text(out, names->gap);
        altpick_out_u64(out, tables->gap[i].bytes);
        altpick_out_text(out, "}},\n");
    }
    altpick_out_text(out, "    {0, {0}},\n};\n\n");
}

/* "static inline void altpick_nop_fill64(void *dst, size_t n)" and its 32-bit sister. */
static void put_explicit_fill(struct altpick_out *out, const struct explicit_names *names)
{
    altpick_out_text(out, "static inline void altpick_nop_fill");
    altpick_out_text(out, names->bits);
    altpick_out_text(out, "(void *dst, size_t n)\n{\n    altpick_nop_fill_by_(altpick_nops");
    altpick_out_text(out, names->bits);
    altpick_out_text(out, ", altpick_nop_gaps");
    altpick_out_text(out, names->bits);
    altpick_out_text(out, ", ");
    altpick_out_text(out, names->nop);
    altpick_out_text(out, "MAX,\n                         ");
    altpick_out_text(out, names->nop);
    altpick_out_text(out, "JUMP_FROM, (unsigned char *) dst, n);\n}\n\n");
}

static void put_explicit(struct altpick_out *out, const struct explicit_names *names,
                         const struct altpick_nop_tables *tables)
{
    for (size_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++)
        altpick_c_define_bytes(out, names->nop, &tables->nop[n]);
    for (size_t i = 0; i < tables->n_gaps; i++)
        altpick_c_define_bytes(out, names->gap, &tables->gap[i]);
    altpick_c_number(out, NULL, NULL, names->nop, "MAX", tables->longest_nop_bytes);
    altpick_c_number(out, NULL, NULL, names->nop, "PREFIX_LIMIT", tables->prefix_limit);
    altpick_c_number(out, NULL, NULL, names->nop, "JUMP_FROM", tables->jump_from_bytes);
    altpick_out_text(out, "\n");
    put_table(out, names->bits, names->nop);
    put_explicit_gaps(out, names, tables);
    put_explicit_fill(out, names);
}

static void put(struct altpick_out *out, const struct altpick_output *output)
{
    bool jumps = output->nop64.jump_from_bytes || output->nop32.jump_from_bytes;

    altpick_c_provenance(out, output, "NOPs and other code for 64-bit and 32-bit x86.");
    altpick_c_begin(out, "ALTPICK_H");
    altpick_out_text(out, "#include <stddef.h>\n\n");
    altpick_c_bits(out);
    altpick_c_if_64(out);
    put_values(out, 64, &output->nop64);
    altpick_c_else_32(out);
    put_values(out, 32, &output->nop32);
    altpick_c_end_if(out);
    put_checks(out);
    put_table(out, "", "ALTPICK_NOP");
    put_both(out, output, put_gap_arrays);
    altpick_c_copy(out);
    altpick_out_text(out, split);
    if (jumps)
        altpick_c_jump(out);
    put_both(out, output, put_fill);

    altpick_out_text(out,
                     "/*\n * Both kinds of code under names that say which, for a program that "
                     "writes code\n * of another kind than its own.\n */\n");
    altpick_c_gap_type(out);
    altpick_c_fill_by(out, jumps);
    put_explicit(out, &names64, &output->nop64);
    put_explicit(out, &names32, &output->nop32);
    altpick_c_bodies(out, &output->bodies);
    altpick_c_end(out);
}

const struct altpick_c_flavour altpick_c_plain = {"c", put};
