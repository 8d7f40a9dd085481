/* SPDX-License-Identifier: MIT */
/* Sweeps code and counts its NOPs by length and encoding. */
#include "elf/census.h"

#include "diag.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

/* --- what an instruction is ---------------------------------------------------------------------
 */

/* Bytes with which a NOP can begin; all others are not looked at. */
enum { NEVER, MAY, MAY_IN_32, MAY_IN_64 };

static const uint8_t begins_nop[256] = {
    [0x0f] = MAY,       [0x90] = MAY,       [0x66] = MAY,       [0x2e] = MAY,
    [0x26] = MAY,       [0x36] = MAY,       [0x3e] = MAY,       [0x64] = MAY,
    [0x65] = MAY,       [0x67] = MAY,       [0xf2] = MAY,       [0xf3] = MAY,
    [0x8d] = MAY_IN_32, [0x89] = MAY_IN_32, [0x8b] = MAY_IN_32, [0x40] = MAY_IN_64,
    [0x42] = MAY_IN_64, [0x44] = MAY_IN_64, [0x46] = MAY_IN_64, [0x48] = MAY_IN_64,
    [0x4a] = MAY_IN_64, [0x4c] = MAY_IN_64, [0x4e] = MAY_IN_64,
};

/* What is in front of an opcode. */
struct prefixes {
    unsigned n_66, n_2e;
    unsigned n_other; /* segments, address size, F2, F3, LOCK, REX */
    unsigned n_3e;    /* of the others */
    bool f3, address_size, rex_b;
    unsigned bytes; /* of all */
};

static void read_prefixes(bool is_64, const uint8_t *in, unsigned length, struct prefixes *ret)
{
    struct prefixes prefixes = {0};
    bool rex = false;

    for (; prefixes.bytes + 1 < length && !rex; prefixes.bytes++) {
        uint8_t byte = in[prefixes.bytes];

        rex = is_64 && byte >= 0x40 && byte <= 0x4f;
        if (byte == 0x66)
            prefixes.n_66++;
        else if (byte == 0x2e)
            prefixes.n_2e++;
        else if (rex || byte == 0x26 || byte == 0x36 || byte == 0x3e || byte == 0x64 ||
                 byte == 0x65 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3)
            prefixes.n_other++;
        else
            break;
        prefixes.n_3e += byte == 0x3e;
        prefixes.f3 |= byte == 0xf3;
        prefixes.address_size |= byte == 0x67;
        prefixes.rex_b = rex && byte & 1;
    }
    *ret = prefixes;
}

/* The parts of a ModRM byte. */
#define MOD(modrm) ((modrm) >> 6)
#define REG(modrm) ((modrm) >> 3 & 7)
#define RM(modrm)  ((modrm) &7)

static bool are_zero(const uint8_t *bytes, unsigned n)
{
    while (n > 0 && bytes[n - 1] == 0)
        n--;
    return n == 0;
}

/* 0F 1F, by the operand at @modrm, of which @bytes are left. */
static enum altpick_nop_form form_0f1f(const uint8_t *modrm, unsigned bytes)
{
    static const struct {
        uint8_t modrm, bytes;
        enum altpick_nop_form form;
    } recommended[] = {
        {0x00, 1, ALTPICK_NOP_FORM_0F1F_00},
        {0x40, 2, ALTPICK_NOP_FORM_0F1F_40},
        {0x44, 3, ALTPICK_NOP_FORM_0F1F_44},
        {0x80, 5, ALTPICK_NOP_FORM_0F1F_80},
        {0x84, 6, ALTPICK_NOP_FORM_0F1F_84},
    };

    for (size_t i = 0; i < sizeof recommended / sizeof *recommended; i++) {
        if (*modrm == recommended[i].modrm && bytes == recommended[i].bytes &&
            are_zero(modrm + 1, bytes - 1))
            return recommended[i].form;
    }
    return ALTPICK_NOP_FORM_0F1F_OTHER;
}

/* LEA of a register to itself, by the operand at @modrm; N_NOP_FORMS where it is not. */
static enum altpick_nop_form form_lea(const uint8_t *modrm, unsigned bytes)
{
    static const enum altpick_nop_form forms[3][2] = {
        {ALTPICK_NOP_FORM_LEA,        ALTPICK_NOP_FORM_LEA           },
        {ALTPICK_NOP_FORM_LEA_DISP8,  ALTPICK_NOP_FORM_LEA_SIB_DISP8 },
        {ALTPICK_NOP_FORM_LEA_DISP32, ALTPICK_NOP_FORM_LEA_SIB_DISP32},
    };
    unsigned mod = MOD(*modrm), base = RM(*modrm);
    bool has_sib = base == 4;

    if (mod == 3)
        return ALTPICK_N_NOP_FORMS;
    if (has_sib) {
        if (bytes < 2 || REG(modrm[1]) != 4) /* an index */
            return ALTPICK_N_NOP_FORMS;
        base = RM(modrm[1]);
    }
    if (base != REG(*modrm) || (mod == 0 && base == 5) || /* then it is an address alone */
        !are_zero(modrm + 1 + has_sib, bytes - 1 - has_sib))
        return ALTPICK_N_NOP_FORMS;
    return forms[mod][has_sib];
}

static bool is_mov_to_itself(uint8_t modrm)
{
    return MOD(modrm) == 3 && REG(modrm) == RM(modrm);
}

/* The form of opcode 0F xx, which Zydis calls @mnemonic. */
static enum altpick_nop_form form_0f(const uint8_t *opcode, unsigned bytes, ZydisMnemonic mnemonic)
{
    if (mnemonic != ZYDIS_MNEMONIC_NOP || bytes < 3)
        return ALTPICK_N_NOP_FORMS;
    switch (opcode[1]) {
    case 0x1f:
        return form_0f1f(opcode + 2, bytes - 2);
    case 0x0d:
        return ALTPICK_NOP_FORM_HINT_0D;
    default:
        return opcode[1] >= 0x18 && opcode[1] <= 0x1e
                   ? (enum altpick_nop_form)(ALTPICK_NOP_FORM_HINT_18 + opcode[1] - 0x18)
                   : ALTPICK_N_NOP_FORMS;
    }
}

/* The form behind @prefixes; N_NOP_FORMS where the instruction is no NOP. */
static enum altpick_nop_form form_of(bool is_64, const uint8_t *opcode, unsigned bytes,
                                     const struct prefixes *prefixes, ZydisMnemonic mnemonic)
{
    switch (*opcode) {
    case 0x90:
        return prefixes->f3 || prefixes->rex_b ? ALTPICK_N_NOP_FORMS : ALTPICK_NOP_FORM_90;
    case 0x0f:
        return form_0f(opcode, bytes, mnemonic);
    case 0x8d:
        /* With another address size the operand is written in another way. */
        return is_64 || prefixes->address_size ? ALTPICK_N_NOP_FORMS
                                               : form_lea(opcode + 1, bytes - 1);
    case 0x89:
    case 0x8b:
        return !is_64 && is_mov_to_itself(opcode[1]) ? ALTPICK_NOP_FORM_MOV : ALTPICK_N_NOP_FORMS;
    default:
        return ALTPICK_N_NOP_FORMS;
    }
}

/* --- counting -----------------------------------------------------------------------------------
 */

/* A run of code and how it is swept. */
struct sweep {
    ZydisDecoder decoder;
    bool is_64;
    const uint8_t *code;
    size_t bytes;
    const struct altpick_relocation *relocations;
    size_t n_relocations;
    struct altpick_census *census;
};

/* Whether a relocation fills any of the @bytes bytes at @at; they are asked for in order. */
static bool is_relocated(struct sweep *sweep, size_t at, size_t bytes)
{
    while (sweep->n_relocations > 0 && sweep->relocations->offset < at) {
        sweep->relocations++;
        sweep->n_relocations--;
    }
    return sweep->n_relocations > 0 && sweep->relocations->offset < at + bytes;
}

static void count(struct altpick_census *census, enum altpick_nop_form form,
                  const struct prefixes *prefixes, unsigned length, uint64_t n)
{
    unsigned n_66 = prefixes->n_66, n_2e = prefixes->n_2e;
    struct altpick_nop_count *cell;

    if (prefixes->n_other > 0 || n_2e > ALTPICK_NOP_2E_MAX) {
        bool is_padding = form == ALTPICK_NOP_FORM_LEA_SIB_DISP8 && prefixes->n_3e == 1 &&
                          prefixes->n_other == 1 && length == 5;

        form = is_padding ? ALTPICK_NOP_FORM_LEA_3E : ALTPICK_NOP_FORM_OTHER;
        n_66 = n_2e = 0;
    }
    cell = &census->cell[form][n_66][n_2e];
    cell->count += n;
    cell->bytes += n * length;
    census->by_length[length] += n;
    census->nops.count += n;
    census->nops.bytes += n * length;
}

/* The instruction at @at, which may be a NOP by its first byte. */
static void look_at(struct sweep *sweep, size_t at, const ZydisDecodedInstruction *in)
{
    const uint8_t *code = sweep->code + at;
    struct prefixes prefixes;
    enum altpick_nop_form form;

    read_prefixes(sweep->is_64, code, in->length, &prefixes);
    form = form_of(sweep->is_64, code + prefixes.bytes, in->length - prefixes.bytes, &prefixes,
                   in->mnemonic);
    if (form != ALTPICK_N_NOP_FORMS && !is_relocated(sweep, at, in->length))
        count(sweep->census, form, &prefixes, in->length, 1);
}

/* How often the byte at @at is repeated from there on. */
static size_t run_at(const struct sweep *sweep, size_t at)
{
    size_t end = at + 1;

    while (end < sweep->bytes && sweep->code[end] == sweep->code[at])
        end++;
    return end - at;
}

static void sweep_all(struct sweep *sweep)
{
    static const struct prefixes none;
    struct altpick_census *census = sweep->census;
    unsigned may_here = sweep->is_64 ? MAY_IN_64 : MAY_IN_32;
    size_t at = 0, n;

    while (at < sweep->bytes) {
        uint8_t first = sweep->code[at], may = begins_nop[first];
        ZydisDecodedInstruction in;

        if (first == 0xcc || first == 0x90) {
            /* Padding is runs of these, each an instruction, whatever is behind it. */
            n = run_at(sweep, at);
            if (first == 0x90)
                count(census, ALTPICK_NOP_FORM_90, &none, 1, n);
            census->instructions += n;
            at += n;
        } else if (ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
                       &sweep->decoder, NULL, sweep->code + at, sweep->bytes - at, &in))) {
            if (may == MAY || may == may_here)
                look_at(sweep, at, &in);
            census->instructions++;
            at += in.length;
        } else {
            census->undecodable_bytes++;
            at++;
        }
    }
    census->bytes += sweep->bytes;
}

void altpick_census_code(unsigned bits, const uint8_t *code, size_t bytes,
                         const struct altpick_relocation *relocations, size_t n_relocations,
                         struct altpick_census *census)
{
    struct sweep sweep = {
        .is_64 = bits == 64,
        .code = code,
        .bytes = bytes,
        .relocations = relocations,
        .n_relocations = n_relocations,
        .census = census,
    };

    ZydisDecoderInit(&sweep.decoder,
                     sweep.is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     sweep.is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    sweep_all(&sweep);
}

int altpick_census_image(const struct altpick_image *image, struct altpick_census *ret_census,
                         struct altpick_diag *diag)
{
    unsigned bits = image->code_is_64 ? 64 : 32;

    memset(ret_census, 0, sizeof *ret_census);
    for (uint32_t i = 1; i < image->n_sections; i++) {
        const struct altpick_section *section = &image->sections[i];
        struct altpick_relocation *relocations = NULL;
        size_t n = 0;
        int r;

        if (!altpick_section_is_code(section))
            continue;
        /* A relocation makes something else of the LEA forms, which only 32-bit code has. */
        if (bits == 32) {
            r = altpick_image_relocations(image, i, &relocations, &n, diag);
            if (r < 0)
                return r;
        }
        altpick_census_code(bits, section->data, (size_t) section->bytes, relocations, n,
                            ret_census);
        free(relocations);
    }
    return ALTPICK_OK;
}

/* --- listing ------------------------------------------------------------------------------------
 */

const char *altpick_nop_form_text(enum altpick_nop_form form)
{
    static const char *const texts[] = {
#define X(name, text) text,
        ALTPICK_NOP_FORMS(X)
#undef X
    };

    return texts[form];
}

static int by_count(const void *a, const void *b)
{
    const struct altpick_nop_encoding *left = a, *right = b;

    if (left->nops.count != right->nops.count)
        return left->nops.count > right->nops.count ? -1 : 1;
    if (left->form != right->form)
        return left->form < right->form ? -1 : 1;
    return left->prefixes_66 != right->prefixes_66 ? left->prefixes_66 - right->prefixes_66
                                                   : left->prefixes_2e - right->prefixes_2e;
}

size_t altpick_census_list(const struct altpick_census *census,
                           struct altpick_nop_encoding ret_list[ALTPICK_NOP_LISTED])
{
    size_t n = 0;

    for (unsigned form = 0; form < ALTPICK_N_NOP_FORMS; form++) {
        for (unsigned n_66 = 0; n_66 < ALTPICK_NOP_BYTES_MAX; n_66++) {
            for (unsigned n_2e = 0; n_2e <= ALTPICK_NOP_2E_MAX; n_2e++) {
                const struct altpick_nop_count *cell = &census->cell[form][n_66][n_2e];

                if (cell->count == 0 || n == ALTPICK_NOP_LISTED)
                    continue;
                ret_list[n++] = (struct altpick_nop_encoding){
                    (enum altpick_nop_form) form, (uint8_t) n_66, (uint8_t) n_2e, *cell};
            }
        }
    }
    qsort(ret_list, n, sizeof *ret_list, by_count);
    return n;
}
