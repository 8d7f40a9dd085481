/* SPDX-License-Identifier: MIT */
/*
 * fpu.init: how to bring the FPU and the vector registers into a state that tells a task nothing of
 * another one.
 */
#include "fpu_init.h"
#include "altpick/output.h"

#include "bytes.h"
#include "code_bytes.h"

/*
 * A task's first use of the FPU is cold: that is what the 2002 thread measured and concluded.  A
 * weight is a share of calls.
 */
static const uint8_t weights[ALTPICK_N_CONDITIONS] = {[ALTPICK_COLD_BOTH] = 1};

static const char needs_to_know[] = "right only for the components of one CPU: not for any-x86-64";
static const char one_of_several[] =
    "right only for the components of one CPU: several machines are listed";

/* Components whose owner must not be told: what the machine has, or what the policy says. */
static uint32_t components_of(const struct altpick_result *result,
                              const struct altpick_policy *policy)
{
    uint32_t legacy = 1u << ALTPICK_COMPONENT_X87 | 1u << ALTPICK_COMPONENT_XMM;
    uint32_t here = result->components ? result->components : legacy;

    return policy->components ? here & policy->components : here;
}

/*
 * Ties keep what restores the whole initial state, as kernels do: with one instruction where the
 * CPU is known, else by a choice at run time; register clearing comes last.
 */
static uint32_t rank_of(const struct altpick_candidate *candidate, size_t order)
{
    return (altpick_fpu_init_dispatches(candidate) ? ALTPICK_ENTRIES_MAX : 0) + (uint32_t) order;
}

/* Why code without a choice at run time is not for the target; NULL where it is. */
static const char *unfit(const struct altpick_policy *policy)
{
    if (policy->target == ALTPICK_TARGET_ANY_X86_64)
        return needs_to_know;
    return policy->several ? one_of_several : NULL;
}

static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    (void) earlier;
    altpick_contest_init(ret_contest, question, index == FPU_INIT_BODY ? "body" : "warm", result,
                         policy);
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS && index == FPU_INIT_WARM; c++)
        ret_contest->weight[c] = c == ALTPICK_WARM && result->condition[c].asked;
    ret_contest->requires = altpick_fpu_init_requires(components_of(result, policy));
    ret_contest->forgives = altpick_fpu_init_state_guarantees();
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_candidate *candidate = &result->candidates[i].candidate;
        struct altpick_entry *entry =
            altpick_contest_add(ret_contest, candidate->name, &result->candidates[i]);

        entry->rank = rank_of(candidate, i);
        if (!altpick_fpu_init_dispatches(candidate))
            entry->out = unfit(policy);
    }
}

extern const struct altpick_question altpick_question_fpu_init;
const struct altpick_question altpick_question_fpu_init = {
    .name = "fpu.init",
    .title = "how to bring the FPU and vector state to one that tells nothing of another task",
    .bits = 64,
    .conditions = 1u << ALTPICK_WARM | 1u << ALTPICK_COLD_DATA | 1u << ALTPICK_COLD_CODE |
                  1u << ALTPICK_COLD_BOTH | 1u << ALTPICK_STREAMED | 1u << ALTPICK_NEXT_SAVE,
    .unranked = 1u << ALTPICK_NEXT_SAVE,
    .promises = FPU_INIT_PROMISES,
    .examines = UINT64_MAX,
    .margin_permille = 150, /* cold figures repeat to 12 % (docs/measuring.md) */
    .may_change = 1u << ALTPICK_REGISTER_RAX | 1u << ALTPICK_REGISTER_RDX |
                  1u << ALTPICK_REGISTER_FLAGS | 1u << ALTPICK_REGISTER_MXCSR |
                  1u << ALTPICK_REGISTER_X87_CONTROL | 1u << ALTPICK_REGISTER_X87 |
                  1u << ALTPICK_REGISTER_VECTORS,
    .look = altpick_look_state,
    .weights = weights,
    .n_candidates = 14,
    .candidates = altpick_fpu_init_candidates,
    .candidate = altpick_fpu_init_candidate,
    .emits = &altpick_emits_fpu_init,
    .n_items = FPU_INIT_N_ITEMS,
    .item = item,
};
