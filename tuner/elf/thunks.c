/* SPDX-License-Identifier: MIT */
/* Return thunks and retpolines into the instructions that Linux puts there without them. */
#include "elf/thunks.h"

#include "diag.h"
#include "elf/insn.h"
#include "elf/nops.h"

#include <stdlib.h>
#include <string.h>

enum { INSN_MAX = 15, CALL32 = 0xe8, JMP32 = 0xe9, RET = 0xc3, INT3 = 0xcc, NOP = 0x90 };
enum { RSP = 4, THUNK_BYTES = 32 };

/* Work on one image. */
struct work {
    const struct altpick_memory *memory;
    const struct altpick_kernel *kernel;
    const struct altpick_thunks_plan *plan;
    struct altpick_rewrite *rewrites;
    size_t n;
};

/* The instruction that record @index of @table names. */
static bool decode_at(const struct altpick_memory *memory,
                      const struct altpick_rewriter_table *table, size_t index,
                      uint64_t *ret_address, const uint8_t **ret_code,
                      struct altpick_insn *ret_insn)
{
    size_t there = 0;

    if (!altpick_rewriter_address(memory, table, index, ret_address))
        return false;
    *ret_code = altpick_memory_at(memory, *ret_address, &there);
    return *ret_code && altpick_insn_decode(memory->image->code_is_64, *ret_code, there, ret_insn);
}

static uint64_t target_of(const struct altpick_memory *memory, uint64_t address,
                          const struct altpick_insn *insn)
{
    uint64_t target = address + insn->bytes + (uint64_t) insn->branch.value;

    return memory->image->code_is_64 ? target : (uint32_t) target;
}

/* --- returns ------------------------------------------------------------------------------------
 */

static const struct altpick_memory_extern *extern_at(const struct altpick_memory *memory,
                                                     uint64_t address)
{
    for (size_t i = 0; i < memory->n_externs; i++) {
        if (memory->externs[i].address == address)
            return &memory->externs[i];
    }
    return NULL;
}

bool altpick_thunks_return(const struct altpick_memory *memory,
                           const struct altpick_rewriters *rewriters, uint64_t *ret_address)
{
    const struct altpick_rewriter_table *table =
        altpick_rewriters_table(rewriters, ALTPICK_REWRITER_RETURNS);
    uint64_t candidate = 0;
    size_t lead = 0;

    /* The target of more than half is what is left when different ones cancel each other. */
    for (size_t i = 0; table && i < table->n_records; i++) {
        struct altpick_insn insn;
        const uint8_t *code;
        uint64_t address, target;

        if (!decode_at(memory, table, i, &address, &code, &insn) || !insn.is_jump ||
            insn.opcode != JMP32)
            continue;
        target = target_of(memory, address, &insn);
        if (lead == 0)
            candidate = target;
        lead = target == candidate ? lead + 1 : lead - 1;
    }
    if (lead)
        *ret_address = candidate;
    return lead > 0;
}

static void add(struct work *work, uint64_t address, const uint8_t *code, size_t bytes,
                enum altpick_origin origin)
{
    struct altpick_rewrite *rewrite = &work->rewrites[work->n++];

    *rewrite = (struct altpick_rewrite){
        .address = address, .bytes = (uint8_t) bytes, .origin = (uint8_t) origin};
    memcpy(rewrite->code, code, bytes);
}

static void returns(struct work *work, const struct altpick_rewriters *rewriters)
{
    const struct altpick_rewriter_table *table =
        altpick_rewriters_table(rewriters, ALTPICK_REWRITER_RETURNS);
    uint64_t thunk;

    if (!altpick_thunks_return(work->memory, rewriters, &thunk))
        return;
    for (size_t i = 0; i < table->n_records; i++) {
        uint8_t code[INSN_MAX];
        struct altpick_insn insn;
        const uint8_t *old;
        uint64_t address;

        if (!decode_at(work->memory, table, i, &address, &old, &insn) || !insn.is_jump ||
            insn.opcode != JMP32 || target_of(work->memory, address, &insn) != thunk)
            continue;
        memset(code, INT3, sizeof code);
        code[0] = RET;
        add(work, address, code, insn.bytes, ALTPICK_FROM_RETURN);
    }
}

/* --- retpolines ---------------------------------------------------------------------------------
 */

static int register_of_name(const char *name)
{
    static const char *const names[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di",
                                        "8",  "9",  "10", "11", "12", "13", "14", "15"};
    static const char prefix[] = "__x86_indirect_thunk_";

    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return -1;
    name += sizeof prefix - 1;
    for (unsigned i = 0; (*name == 'r' || *name == 'e') && i < 16; i++) {
        if (strcmp(name + 1, names[i]) == 0)
            return (int) i;
    }
    return -1;
}

/* The register of the thunk at @address: the one that it stores where it is to return to. */
static int register_of(const struct altpick_memory *memory, uint64_t address)
{
    const struct altpick_memory_extern *e = extern_at(memory, address);
    size_t there = 0;
    const uint8_t *code = altpick_memory_at(memory, address, &there);
    bool is_64 = memory->image->code_is_64;

    if (e)
        return register_of_name(e->name);
    for (size_t at = is_64; code && at + 3 <= there && at + 3 <= THUNK_BYTES; at++) {
        uint8_t rex = is_64 ? code[at - 1] : 0x48;

        /* mov %reg,(%rsp) */
        if (code[at] == 0x89 && (code[at + 1] & 0xc7) == 0x04 && code[at + 2] == 0x24 &&
            (rex == 0x48 || rex == 0x4c))
            return (code[at + 1] >> 3 & 7) | (rex == 0x4c ? 8 : 0);
    }
    return -1;
}

/* An indirect call or jump through @reg. */
static size_t put_indirect(uint8_t *code, bool is_call, unsigned reg)
{
    size_t n = 0;

    if (reg >= 8)
        code[n++] = 0x41;
    code[n++] = 0xff;
    code[n++] = (uint8_t) ((is_call ? 0xd0 : 0xe0) | (reg & 7));
    return n;
}

/* What takes the place of the branch @insn at @old; its length, which may be another than that. */
static size_t put_branch(const struct work *work, const struct altpick_insn *insn, unsigned reg,
                         uint8_t *code)
{
    static const uint8_t lfence[] = {0x0f, 0xae, 0xe8};
    bool is_call = insn->opcode == CALL32;
    size_t n = 0;

    if (!is_call && insn->opcode != JMP32) { /* jcc over what follows */
        code[n++] = (uint8_t) (0x70 | ((insn->opcode & 0xf) ^ 1));
        code[n++] = (uint8_t) (insn->bytes - 2);
    }
    if (work->plan->lfence) {
        memcpy(code + n, lfence, sizeof lfence);
        n += sizeof lfence;
    }
    n += put_indirect(code + n, is_call, reg);
    if (!is_call && n < insn->bytes)
        code[n++] = INT3;
    while (n < insn->bytes)
        code[n++] = NOP;
    return n;
}

static void retpolines(struct work *work, const struct altpick_rewriters *rewriters)
{
    const struct altpick_rewriter_table *table =
        altpick_rewriters_table(rewriters, ALTPICK_REWRITER_RETPOLINES);

    for (size_t i = 0; table && i < table->n_records; i++) {
        uint8_t code[2 * INSN_MAX], origin[2 * INSN_MAX];
        uint32_t by[2 * INSN_MAX];
        struct altpick_insn insn;
        const uint8_t *old;
        uint64_t address;
        int reg;

        if (!decode_at(work->memory, table, i, &address, &old, &insn) || insn.branch.bytes != 4)
            continue;
        reg = register_of(work->memory, target_of(work->memory, address, &insn));
        if (reg < 0 || reg == RSP || put_branch(work, &insn, (unsigned) reg, code) != insn.bytes)
            continue;
        altpick_nops_optimise(work->kernel, &(struct altpick_patched){code, origin, by}, insn.bytes,
                              0);
        add(work, address, code, insn.bytes, ALTPICK_FROM_RETPOLINE);
    }
}

int altpick_thunks_make(const struct altpick_memory *memory,
                        const struct altpick_rewriters *rewriters,
                        const struct altpick_kernel *kernel, const struct altpick_thunks_plan *plan,
                        struct altpick_rewrite **ret_rewrites, size_t *ret_n,
                        struct altpick_diag *diag)
{
    struct work work = {.memory = memory, .kernel = kernel, .plan = plan};
    size_t n = 0;

    for (size_t i = 0; i < rewriters->n_tables; i++)
        n += rewriters->tables[i].n_records;
    work.rewrites = calloc(n + 1, sizeof *work.rewrites);
    if (!work.rewrites)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", memory->image->path);
    if (plan->retpolines)
        retpolines(&work, rewriters);
    if (plan->returns)
        returns(&work, rewriters);
    *ret_rewrites = work.rewrites;
    *ret_n = work.n;
    return ALTPICK_OK;
}
