/* SPDX-License-Identifier: MIT */
/*
 * nop.text-poke: which single NOP of 5 or 2 bytes to put where code is patched while it may run.
 * A CPU must never be stopped inside it, whatever state it is in, and it must change nothing.
 */
#include "altpick/output.h"
#include "bytes.h"
#include "code_bytes.h"
#include "nop_fill.h"

/* The guarantees, and where each comes from (docs/guarantees.md). */
enum {
    ONE = 1u << ALTPICK_GUARANTEE_ONE_INSTRUCTION,
    CALM = 1u << ALTPICK_GUARANTEE_CANNOT_FAULT,
    SAME = 1u << ALTPICK_GUARANTEE_NO_REGISTER_WRITE,
};

/* clang-format off */
/* What was proposed for 5 bytes on the kernel's list in 2015, and the usual 2-byte forms. */
static const struct altpick_code built_in[] = {
    /* nop dword [rax+rax+0]; the recommended form */
    {.name = "0f1f.5", BYTES(0x0f, 0x1f, 0x44, 0x00, 0x00), .guarantees = ONE | CALM | SAME},
    /* o16 o16 nop; o16 nop: two instructions */
    {.name = "k8.5", BYTES(0x66, 0x66, 0x90, 0x66, 0x90), .guarantees = CALM | SAME},
    /* o16 o16 o16 o16 nop */
    {.name = "6690.5", BYTES(0x66, 0x66, 0x66, 0x66, 0x90), .guarantees = ONE | CALM | SAME},
    /* lea rsi, [rsi+0] */
    {.name = "lea64.5", BYTES(0x48, 0x8d, 0x74, 0x26, 0x00), .guarantees = ONE | CALM | SAME},
    /* ds lea esi, [rsi+0]: clears the upper half of rsi */
    {.name = "lea32.5", BYTES(0x3e, 0x8d, 0x74, 0x26, 0x00), .guarantees = ONE | CALM},
    /* xchg ax, ax */
    {.name = "xchg.5", BYTES(0x66, 0x66, 0x66, 0x87, 0xc0), .guarantees = ONE | CALM | SAME},
    /* mov ax, ax */
    {.name = "mov.5", BYTES(0x66, 0x66, 0x66, 0x89, 0xc0), .guarantees = ONE | CALM | SAME},
    /* fdisi, feni: x87, so that they fault while CR0.TS or CR0.EM is set */
    {.name = "fdisi.5", BYTES(0x66, 0x66, 0x66, 0xdb, 0xe1), .guarantees = ONE | SAME},
    {.name = "feni.5", BYTES(0x66, 0x66, 0x66, 0xdb, 0xe0), .guarantees = ONE | SAME},
    /* jmp near to the end */
    {.name = "jmp-near.5", BYTES(0xe9, 0x00, 0x00, 0x00, 0x00), .guarantees = ONE | CALM | SAME, .branches = true},
    /* jmp short over three nop */
    {.name = "jmp-short.5", BYTES(0xeb, 0x03, 0x90, 0x90, 0x90), .guarantees = ONE | CALM | SAME, .branches = true},

    /* o16 nop; the recommended form */
    {.name = "6690.2", BYTES(0x66, 0x90), .guarantees = ONE | CALM | SAME},
    /* mov esi, esi; mov edi, edi: NOPs of 32-bit code, which clear an upper half here */
    {.name = "mov-esi.2", BYTES(0x89, 0xf6), .guarantees = ONE | CALM},
    {.name = "mov-edi.2", BYTES(0x8b, 0xff), .guarantees = ONE | CALM},
    /* jmp short to the end */
    {.name = "jmp-short.2", BYTES(0xeb, 0x00), .guarantees = ONE | CALM | SAME, .branches = true},
    /* nop; nop: two instructions */
    {.name = "90.2", BYTES(0x90, 0x90), .guarantees = CALM | SAME},
};
/* clang-format on */

enum { N_BUILT_IN = sizeof built_in / sizeof *built_in };

static const uint32_t lengths[] = {5, 2};

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    return altpick_code_copy(built_in, N_BUILT_IN, ret);
}

static bool is_jump(const struct altpick_candidate *candidate)
{
    return candidate->code[0] == 0xeb || candidate->code[0] == 0xe9;
}

/* By bytes, never by name.  Kernels and tracers compare them with the recommended form. */
static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    uint32_t bytes = lengths[index];
    uint8_t recommended[ALTPICK_NOP_LONGEST];
    char name[ALTPICK_NAME_MAX] = "";

    (void) earlier;
    altpick_nop_recommended(recommended, bytes);
    altpick_append_u64(name, sizeof name, bytes);
    altpick_contest_init(ret_contest, question, name, result, policy);
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_measurement *measurement = &result->candidates[i];
        const struct altpick_candidate *candidate = &measurement->candidate;
        struct altpick_entry *entry;

        if (candidate->code_bytes != bytes)
            continue;
        entry = altpick_contest_add(ret_contest, candidate->name, measurement);
        entry->rank = (uint32_t) ret_contest->n_entries;
        entry->must_win_each = is_jump(candidate);
        entry->elsewhere = altpick_policy_elsewhere(policy, candidate->code, bytes);
        if (altpick_equal_bytes(candidate->code, recommended, bytes)) {
            entry->rank = 0;
            ret_contest->fixed = (int) ret_contest->n_entries - 1;
        }
    }
}

extern const struct altpick_question altpick_question_nop_text_poke;
const struct altpick_question altpick_question_nop_text_poke = {
    .name = "nop.text-poke",
    .title = "the single NOP of 5 and of 2 bytes for code that is patched while it may run",
    .bits = 64,
    .layouts_percent = 67,
    .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_LEGACY_DECODE | 1u << ALTPICK_L1I_MISS,
    .requires = ONE | CALM | SAME,
    /* What some of them change is not wrong code, only no NOP: it is timed and filtered. */
    .may_change = 1u << ALTPICK_REGISTER_RSI | 1u << ALTPICK_REGISTER_RDI,
    .n_candidates = 16,
    .candidates = candidates,
    .emits = &altpick_emits_nop_text_poke,
    .n_items = sizeof lengths / sizeof *lengths,
    .item = item,
};
