/* SPDX-License-Identifier: MIT */
/* Finds what an output has for an item: a body, a NOP, or the filling of a gap. */
#include "altpick/item_code.h"

#include "altpick/question.h"
#include "bytes.h"

enum { JMP_REL8 = 0xeb, JMP_REL32 = 0xe9, NOP_90 = 0x90, REL8_REACH = 2 + 127 };

#define FEATURE(id) (UINT64_C(1) << ALTPICK_CPU_##id)

/* What every CPU with 64-bit mode has (System V ABI for AMD64, x86-64 baseline). */
#define BASELINE_64                                                                                \
    (FEATURE(FPU) | FEATURE(TSC) | FEATURE(CMOV) | FEATURE(MMX) | FEATURE(FXSR) | FEATURE(SSE) |   \
     FEATURE(SSE2) | FEATURE(LM))

enum kind { FILL, POKE, FPU_INIT, KERNEL_FPU, REFCOUNT, XSTATE };

enum { SAVE, RESTORE };

/* An item a line: its name, the bits of its code (0: both), and which of its kind it is. */
static const struct entry {
    const char *name;
    uint32_t bits;
    enum kind kind;
    unsigned index;
} entries[] = {
    {"nop.fill.64",             64, FILL,       0                           },
    {"nop.fill.32",             32, FILL,       0                           },
    {"nop.text-poke.2",         0,  POKE,       2                           },
    {"nop.text-poke.5",         0,  POKE,       5                           },
    {"fpu.init.body",           64, FPU_INIT,   0                           },
    {"kernel-fpu.begin.sse",    64, KERNEL_FPU, ALTPICK_FPU_USER_SSE        },
    {"kernel-fpu.begin.x87",    64, KERNEL_FPU, ALTPICK_FPU_USER_X87        },
    {"kernel-fpu.begin.efi",    64, KERNEL_FPU, ALTPICK_FPU_USER_EFI        },
    {"kernel-fpu.begin.sse-32", 32, KERNEL_FPU, ALTPICK_FPU_USER_SSE        },
    {"kernel-fpu.begin.x87-32", 32, KERNEL_FPU, ALTPICK_FPU_USER_X87        },
    {"kernel-fpu.begin.efi-32", 32, KERNEL_FPU, ALTPICK_FPU_USER_EFI        },
    {"refcount.add",            0,  REFCOUNT,   ALTPICK_COUNTER_ADD         },
    {"refcount.inc",            0,  REFCOUNT,   ALTPICK_COUNTER_INC         },
    {"refcount.inc_not_zero",   0,  REFCOUNT,   ALTPICK_COUNTER_INC_NOT_ZERO},
    {"refcount.dec",            0,  REFCOUNT,   ALTPICK_COUNTER_DEC         },
    {"refcount.dec_and_test",   0,  REFCOUNT,   ALTPICK_COUNTER_DEC_AND_TEST},
    {"refcount.sub_and_test",   0,  REFCOUNT,   ALTPICK_COUNTER_SUB_AND_TEST},
    {"xstate.save",             64, XSTATE,     SAVE                        },
    {"xstate.restore",          64, XSTATE,     RESTORE                     },
};

const char *altpick_item_code_name(size_t index)
{
    return index < sizeof entries / sizeof *entries ? entries[index].name : NULL;
}

static void jump(uint32_t bytes, uint8_t *ret_code)
{
    uint32_t length = bytes <= REL8_REACH ? 2 : 5;

    ret_code[0] = length == 2 ? JMP_REL8 : JMP_REL32;
    altpick_put(ret_code + 1, length - 1, bytes - length);
    for (uint32_t i = length; i < bytes; i++)
        ret_code[i] = NOP_90;
}

void altpick_nop_tables_fill(const struct altpick_nop_tables *tables, uint32_t bytes,
                             uint8_t *ret_code)
{
    uint32_t pieces;

    if (bytes <= ALTPICK_NOP_BYTES_MAX) {
        altpick_copy_bytes(ret_code, tables->nop[bytes].code, bytes);
        return;
    }
    for (size_t i = 0; i < tables->n_gaps; i++) {
        if (tables->gap[i].bytes == bytes) {
            altpick_copy_bytes(ret_code, tables->gap[i].code, bytes);
            return;
        }
    }
    if (tables->jump_from_bytes && bytes >= tables->jump_from_bytes) {
        jump(bytes, ret_code);
        return;
    }
    pieces = (bytes + tables->longest_nop_bytes - 1) / tables->longest_nop_bytes;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t one = bytes / pieces + (i < bytes % pieces);

        altpick_copy_bytes(ret_code, tables->nop[one].code, one);
        ret_code += one;
    }
}

static const struct altpick_body *find_body(const struct altpick_bodies *bodies,
                                            const struct entry *entry)
{
    switch (entry->kind) {
    case FPU_INIT:
        return &bodies->fpu_init;
    case KERNEL_FPU:
        return &(entry->bits == 64 ? bodies->kernel_fpu64 : bodies->kernel_fpu32)[entry->index];
    case XSTATE:
        return entry->index == SAVE ? &bodies->xstate_save : &bodies->xstate_restore;
    default:
        return &bodies->refcount[entry->index];
    }
}

/*
 * All 32-bit code with LDMXCSR asks eax whether there is SSE (docs/formats.md): who runs it without
 * has said so.
 */
static uint64_t unmet(const struct altpick_body *body, uint32_t bits)
{
    return body->needs & ~(bits == 64 ? BASELINE_64 : FEATURE(SSE));
}

static enum altpick_item_answer take_body(const struct altpick_bodies *bodies,
                                          const struct entry *entry, uint32_t bits,
                                          struct altpick_item_code *ret)
{
    const struct altpick_body *body = find_body(bodies, entry);

    if (!body->name)
        return ALTPICK_ITEM_UNKNOWN;
    altpick_copy_bytes(ret->code, body->code, body->bytes);
    ret->bytes = body->bytes;
    ret->body = body;
    ret->needs = unmet(body, bits);
    ret->xcr0 = entry->kind == FPU_INIT ? bodies->fpu_init_xcr0
                : entry->kind == XSTATE ? bodies->xstate_xcr0
                                        : UINT64_MAX;
    return ALTPICK_ITEM_FOUND;
}

static enum altpick_item_answer take_padding(const struct altpick_nop_tables *tables,
                                             const struct entry *entry, uint32_t bytes,
                                             struct altpick_item_code *ret)
{
    const struct altpick_string *poke =
        entry->index == 2 ? &tables->text_poke2 : &tables->text_poke5;

    if (entry->kind == POKE && bytes != poke->bytes)
        return ALTPICK_ITEM_LENGTH;
    if (entry->kind == POKE)
        altpick_copy_bytes(ret->code, poke->code, bytes);
    else
        altpick_nop_tables_fill(tables, bytes, ret->code);
    ret->bytes = bytes;
    ret->body = NULL;
    ret->needs = 0;
    ret->xcr0 = UINT64_MAX;
    return ALTPICK_ITEM_FOUND;
}

enum altpick_item_answer altpick_item_code(const struct altpick_output *output, const char *item,
                                           uint32_t bits, uint32_t place_bytes,
                                           struct altpick_item_code *ret_code)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const struct entry *entry = &entries[i];

        if (!altpick_equal(entry->name, item))
            continue;
        if (entry->bits && entry->bits != bits)
            return ALTPICK_ITEM_OTHER_BITS;
        if (entry->kind == FILL || entry->kind == POKE)
            return take_padding(bits == 64 ? &output->nop64 : &output->nop32, entry, place_bytes,
                                ret_code);
        return take_body(&output->bodies, entry, bits, ret_code);
    }
    return ALTPICK_ITEM_UNKNOWN;
}

/* The bytes of @name before its first dot: of "xadd.inc" those of the variant. */
static size_t variant_bytes(const char *name)
{
    size_t n = 0;

    while (name[n] && name[n] != '.')
        n++;
    return n;
}

/* What the operations of @candidate's variant declare together: each speaks of its own. */
static uint64_t declared(const struct altpick_question *question,
                         const struct altpick_candidate *candidate)
{
    size_t bytes = variant_bytes(candidate->name);
    struct altpick_candidate other;
    uint64_t guarantees = 0;

    for (size_t i = 0; question->candidate(question, i, &other); i++) {
        if (variant_bytes(other.name) == bytes &&
            altpick_equal_bytes((const uint8_t *) other.name, (const uint8_t *) candidate->name,
                                bytes))
            guarantees |= other.guarantees;
    }
    return guarantees;
}

static uint32_t shortest_body(const struct entry *entry)
{
    static const char *const questions[] = {
        [FPU_INIT] = "fpu.init",
        [KERNEL_FPU] = "kernel-fpu.begin",
        [REFCOUNT] = "refcount",
        [XSTATE] = "xstate.save",
    };
    const struct altpick_question *question = altpick_question_find(questions[entry->kind]);
    /* "xsave.all"; a restore has an instruction of the same length. */
    const char *operation =
        entry->kind == XSTATE ? ".all" : entry->name + variant_bytes(entry->name);
    struct altpick_candidate candidate;
    uint32_t shortest = 0;

    for (size_t i = 0;
         question && question->candidate && question->candidate(question, i, &candidate); i++) {
        bool is_other = (entry->kind == REFCOUNT || entry->kind == XSTATE) &&
                        !altpick_equal(candidate.name + variant_bytes(candidate.name), operation);

        if (!is_other && !(question->requires & ~declared(question, &candidate)) &&
            (shortest == 0 || candidate.code_bytes < shortest))
            shortest = candidate.code_bytes;
    }
    return shortest;
}

uint32_t altpick_item_code_shortest(const char *item)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (!altpick_equal(entries[i].name, item))
            continue;
        if (entries[i].kind == FILL)
            return 1;
        return entries[i].kind == POKE ? entries[i].index : shortest_body(&entries[i]);
    }
    return 0;
}
