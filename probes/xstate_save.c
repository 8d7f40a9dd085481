/* SPDX-License-Identifier: MIT */
/* xstate.save: which instruction to save the state of a task with, by the components it has. */
#include "altpick/output.h"
#include "bytes.h"
#include "code_bytes.h"
#include "exits.h"

#include "altpick/decide.h"
#include "altpick/look.h"

enum { SETS = 4, FORMS = 3 };

/* The instructions with a mask in EDX:EAX, on [rdi]. */
static const struct {
    const char *name;
    uint8_t code[4];
    uint64_t needs, guarantees;
} forms[FORMS] = {
    {"xsave",    {0x48, 0x0f, 0xae, 0x27}, FEATURE(XSAVE),    GUARANTEE(STANDARD_LAYOUT)},
    {"xsavec",   {0x48, 0x0f, 0xc7, 0x27}, FEATURE(XSAVEC),   0                         },
    {"xsaveopt", {0x48, 0x0f, 0xae, 0x37}, FEATURE(XSAVEOPT), GUARANTEE(STANDARD_LAYOUT)},
};

static const struct {
    const char *name;
    uint32_t mask; /* of XCR0: components that are not enabled do not count */
    uint64_t needs;
} sets[SETS] = {
    {"x87-sse", 0x3,        0               },
    {"avx",     0x7,        FEATURE(AVX)    },
    {"avx512",  0xe7,       FEATURE(AVX512F)},
    {"all",     0xfffffdff, 0               }, /* all but PKRU */
};

static void make_masked(struct altpick_candidate *candidate, size_t set, const char *name,
                        const uint8_t code[4], uint64_t needs, uint64_t guarantees)
{
    uint32_t mask = sets[set].mask;

    altpick_code_begin(candidate, name);
    altpick_append(candidate->name, sizeof candidate->name, ".");
    altpick_append(candidate->name, sizeof candidate->name, sets[set].name);
    CODE(candidate, 0xb8, (uint8_t) mask, (uint8_t) (mask >> 8), (uint8_t) (mask >> 16),
         (uint8_t) (mask >> 24)); /* mov eax, mask */
    CODE(candidate, 0x31, 0xd2);  /* xor edx, edx */
    altpick_code_append(candidate, code, 4);
    candidate->data = ALTPICK_DATA_SAVE_AREA;
    candidate->saves = mask;
    candidate->needs = FEATURE(OSXSAVE) | needs | sets[set].needs;
    candidate->guarantees = GUARANTEE(SAVES_STATE) | guarantees;
}

enum { LEGACY, MASKED, SUPERVISOR = MASKED + SETS * FORMS, N_CANDIDATES };

static void make_legacy(struct altpick_candidate *candidate)
{
    altpick_code_begin(candidate, "fxsave");
    CODE(candidate, 0x48, 0x0f, 0xae, 0x07); /* fxsave64 [rdi] */
    candidate->data = ALTPICK_DATA_SAVE_AREA;
    candidate->saves = sets[0].mask;
    candidate->needs = FEATURE(FXSR);
    candidate->guarantees = GUARANTEE(SAVES_STATE) | GUARANTEE(STANDARD_LAYOUT);
}

static bool candidate(const struct altpick_question *question, size_t index,
                      struct altpick_candidate *ret)
{
    static const uint8_t xsaves[4] = {0x48, 0x0f, 0xc7, 0x2f}; /* xsaves64 [rdi] */

    (void) question;
    if (index >= N_CANDIDATES)
        return false;
    if (index == LEGACY) {
        make_legacy(ret);
    } else if (index < SUPERVISOR) {
        size_t set = (index - MASKED) / FORMS, form = (index - MASKED) % FORMS;

        make_masked(ret, set, forms[form].name, forms[form].code, forms[form].needs,
                    forms[form].guarantees);
    } else {
        make_masked(ret, SETS - 1, "xsaves", xsaves, FEATURE(XSAVES), 0);
        ret->compacted = true;
        ret->ring0 = true;
    }
    return true;
}

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    size_t n = 0;

    while (candidate(question, n, &ret[n]))
        n++;
    return n;
}

static bool has_form(const struct altpick_candidate *candidate, size_t form)
{
    return candidate->code_bytes > sizeof forms[form].code &&
           altpick_equal_bytes(candidate->code + candidate->code_bytes - sizeof forms[form].code,
                               forms[form].code, sizeof forms[form].code);
}

/*
 * Ties keep XSAVEOPT, which skips what is initial or unmodified and keeps the standard layout, then
 * XSAVEC, then XSAVE; FXSAVE where there is no other.
 */
static uint32_t rank_of(const struct altpick_candidate *candidate)
{
    return has_form(candidate, 2) ? 0 : has_form(candidate, 1) ? 1 : has_form(candidate, 0) ? 2 : 3;
}

static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    (void) earlier;
    altpick_contest_init(ret_contest, question, sets[index].name, result, policy);
    ret_contest->requires = GUARANTEE(SAVES_STATE);
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_candidate *candidate = &result->candidates[i].candidate;
        struct altpick_entry *entry;

        if (candidate->saves != sets[index].mask)
            continue;
        entry = altpick_contest_add(ret_contest, candidate->name, &result->candidates[i]);
        entry->rank = rank_of(candidate) * ALTPICK_ENTRIES_MAX + (uint32_t) ret_contest->n_entries;
    }
}

/*
 * A save follows a restore from the same memory and all that the task did since: warm counts.  With
 * the memory in no cache other instructions win, by whether they touch it: that is shown, and a
 * policy can give it weight.
 */
static const uint8_t weights[ALTPICK_N_CONDITIONS] = {
    [ALTPICK_INIT] = 1, [ALTPICK_DIRTY] = 1, [ALTPICK_UNMODIFIED] = 1};

extern const struct altpick_question altpick_question_xstate_save;
const struct altpick_question altpick_question_xstate_save = {
    .name = "xstate.save",
    .title = "which instruction to save a task's FPU and vector state with, by its components",
    .bits = 64,
    .conditions = 1u << ALTPICK_INIT | 1u << ALTPICK_DIRTY | 1u << ALTPICK_UNMODIFIED |
                  1u << ALTPICK_ZEROED | 1u << ALTPICK_COLD_INIT | 1u << ALTPICK_COLD_DIRTY |
                  1u << ALTPICK_COLD_UNMODIFIED,
    .unranked = 1u << ALTPICK_ZEROED, /* what user code did before is not the saver's choice */
    .may_change =
        1u << ALTPICK_REGISTER_RAX | 1u << ALTPICK_REGISTER_RDX | 1u << ALTPICK_REGISTER_FLAGS,
    .look = altpick_look_save,
    .weights = weights,
    .n_candidates = N_CANDIDATES,
    .candidate = candidate,
    .mark_exits = altpick_exits_mark,
    .candidates = candidates,
    .emits = &altpick_emits_xstate_save,
    .n_items = SETS,
    .item = item,
};
