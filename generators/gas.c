/* SPDX-License-Identifier: MIT */
/* Format gas: macros for GNU as and clang that fill a gap of any length. */
#include "altpick/err.h"
#include "altpick/generator.h"
#include "c_text.h"
#include "gas_text.h"
#include "nop_text.h"

enum { BYTES_PER_LINE = 16 };

static void put_name(struct altpick_out *out, const char *before, const char *bits,
                     const char *after)
{
    altpick_out_text(out, before);
    altpick_out_text(out, bits);
    altpick_out_text(out, after);
}

void altpick_gas_bytes(struct altpick_out *out, const uint8_t *code, size_t bytes)
{
    altpick_out_text(out, "    .byte ");
    for (size_t i = 0; i < bytes; i++) {
        if (i)
            altpick_out_text(out, i % BYTES_PER_LINE ? "," : "\n    .byte ");
        altpick_out_text(out, "0x");
        altpick_out_hex(out, code[i], 2);
    }
    altpick_out_text(out, "\n");
}

static void put_rule(struct altpick_out *out, const char *remark)
{
    altpick_out_text(out, " [");
    altpick_out_text(out, remark);
    altpick_out_text(out, "] */\n");
}

/* One branch of a chain of .if: the bytes for a gap of exactly this length. */
static void put_case(struct altpick_out *out, uint32_t code_bits, bool first,
                     const struct altpick_string *string)
{
    altpick_out_text(out, first ? "    .if (\\n)==" : "    .elseif (\\n)==");
    altpick_out_u64(out, string->bytes);
    altpick_out_text(out, " /* ");
    altpick_nop_describe(out, code_bits, string->code, string->bytes);
    put_rule(out, string->remark);
    altpick_gas_bytes(out, string->code, string->bytes);
}

static void put_number(struct altpick_out *out, const char *bits, const char *name, uint32_t value,
                       const char *remark)
{
    put_name(out, ".set ALTPICK_NOP", bits, name);
    altpick_out_text(out, ", ");
    altpick_out_u64(out, value);
    altpick_out_text(out, " /*");
    put_rule(out, remark);
}

/* Lengths of the table and gaps of their own. */
static void put_table_macro(struct altpick_out *out, const char *bits, uint32_t code_bits,
                            const struct altpick_nop_tables *tables)
{
    put_name(out, ".macro altpick_nop", bits, "_entry n\n");
    for (uint32_t n = 1; n <= ALTPICK_NOP_BYTES_MAX; n++)
        put_case(out, code_bits, n == 1, &tables->nop[n]);
    for (size_t i = 0; i < tables->n_gaps; i++)
        put_case(out, code_bits, false, &tables->gap[i]);
    altpick_out_text(out, "    .endif\n.endm\n\n");
}

/* ceil(n / longest) entries, even, longer first. */
static void put_split_macro(struct altpick_out *out, const char *bits,
                            const struct altpick_nop_tables *tables)
{
    put_name(out, ".macro altpick_nop", bits, "_pieces n, count\n");
    put_name(out, "    .rept (\\n)%(\\count)\n    altpick_nop", bits,
             "_entry ((\\n)/(\\count)+1)\n    .endr\n");
    put_name(out, "    .rept (\\count)-(\\n)%(\\count)\n    altpick_nop", bits,
             "_entry ((\\n)/(\\count))\n    .endr\n.endm\n\n");
    put_name(out, ".macro altpick_nop", bits, "_split n\n");
    put_name(out, "    altpick_nop", bits, "_pieces (\\n), (((\\n)+");
    altpick_out_u64(out, tables->longest_nop_bytes - 1);
    altpick_out_text(out, ")/");
    altpick_out_u64(out, tables->longest_nop_bytes);
    altpick_out_text(out, ")\n.endm\n\n");
}

/* The rule for any gap: the table, gaps of their own, a jump, an even split. */
static void put_fill_macro(struct altpick_out *out, const char *bits,
                           const struct altpick_nop_tables *tables)
{
    put_name(out,
             "/* n bytes of padding that execution may run through; n is absolute. */\n"
             ".macro altpick_nop",
             bits, " n\n    .if (\\n)<0\n    .error \"altpick_nop: a gap below 0\"\n");
    altpick_out_text(out, "    .elseif (\\n)<=15");
    for (size_t i = 0; i < tables->n_gaps; i++) {
        altpick_out_text(out, "||(\\n)==");
        altpick_out_u64(out, tables->gap[i].bytes);
    }
    put_name(out, "\n    altpick_nop", bits, "_entry (\\n)\n");
    if (tables->jump_from_bytes) {
        altpick_out_text(out, "    .elseif (\\n)>=");
        altpick_out_u64(out, tables->jump_from_bytes);
        altpick_out_text(out, "\n    altpick_nop_jump (\\n)\n");
    }
    put_name(out, "    .else\n    altpick_nop", bits, "_split (\\n)\n    .endif\n.endm\n\n");
}

static void put_poke(struct altpick_out *out, const char *bits, uint32_t code_bits,
                     const struct altpick_string *string)
{
    altpick_out_text(out, "/* ");
    altpick_nop_describe(out, code_bits, string->code, string->bytes);
    put_rule(out, string->remark);
    altpick_out_text(out, ".macro altpick_text_poke");
    altpick_out_u64(out, string->bytes);
    put_name(out, "_", bits, "\n");
    altpick_gas_bytes(out, string->code, string->bytes);
    altpick_out_text(out, ".endm\n\n");
}

static void put_set(struct altpick_out *out, const char *bits, uint32_t code_bits,
                    const struct altpick_nop_tables *tables)
{
    put_name(out, "/* ", bits, "-bit code. */\n");
    put_number(out, bits, "_MAX", tables->longest_nop_bytes, tables->longest_remark);
    put_number(out, bits, "_PREFIX_LIMIT", tables->prefix_limit, tables->prefix_remark);
    put_number(out, bits, "_JUMP_FROM", tables->jump_from_bytes, tables->jump_remark);
    altpick_out_text(out, "\n");
    put_table_macro(out, bits, code_bits, tables);
    put_split_macro(out, bits, tables);
    put_fill_macro(out, bits, tables);
    put_poke(out, bits, code_bits, &tables->text_poke2);
    put_poke(out, bits, code_bits, &tables->text_poke5);
}

static const char jump[] = "/* A jump over the rest of n bytes. */\n"
                           ".macro altpick_nop_jump n\n"
                           "    .if (\\n)<=129\n"
                           "    .byte 0xeb,(\\n)-2\n"
                           "    .fill (\\n)-2,1,0x90\n"
                           "    .else\n"
                           "    .byte 0xe9\n"
                           "    .long (\\n)-5\n"
                           "    .fill (\\n)-5,1,0x90\n"
                           "    .endif\n"
                           ".endm\n\n";

/* The macros without a 64 or 32: one text, which the assembler decides. */
static void put_chooser(struct altpick_out *out, const char *name, const char *separator,
                        const char *parameter, const char *argument)
{
    put_name(out, ".macro ", name, parameter);
    altpick_out_text(out, "\n    .if ALTPICK_BITS==32\n    ");
    put_name(out, name, separator, "32");
    put_name(out, argument, "", "\n    .else\n    ");
    put_name(out, name, separator, "64");
    put_name(out, argument, "", "\n    .endif\n.endm\n\n");
}

static int emit(const struct altpick_output *output, const char *flavour, struct altpick_out *out)
{
    if (flavour)
        return ALTPICK_EUSAGE;
    altpick_c_provenance(out, output,
                         "NOPs and other code for GNU as and clang, 64-bit and 32-bit.");
    altpick_out_text(out, ".ifndef ALTPICK_INCLUDED\n.set ALTPICK_INCLUDED, 1\n\n"
                          "/* The code that macros without a 64 or 32 are for; --defsym "
                          "ALTPICK_BITS=32 chooses. */\n"
                          ".ifndef ALTPICK_BITS\n.set ALTPICK_BITS, 64\n.endif\n"
                          ".if (ALTPICK_BITS-64)*(ALTPICK_BITS-32)\n"
                          ".error \"ALTPICK_BITS must be 64 or 32\"\n.endif\n\n");
    if (output->nop64.jump_from_bytes || output->nop32.jump_from_bytes)
        altpick_out_text(out, jump);
    put_set(out, "64", 64, &output->nop64);
    put_set(out, "32", 32, &output->nop32);
    put_chooser(out, "altpick_nop", "", " n", " (\\n)");
    put_chooser(out, "altpick_text_poke2", "_", "", "");
    put_chooser(out, "altpick_text_poke5", "_", "", "");
    altpick_gas_bodies(out, &output->bodies);
    altpick_out_text(out, ".endif\n");
    return out->err;
}

const struct altpick_generator altpick_generator_gas = {
    .name = "gas",
    .title = "assembler include for GNU as and clang: macros",
    .emit = emit,
};
