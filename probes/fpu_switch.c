/* SPDX-License-Identifier: MIT */
/* fpu.switch: when to save and restore the FPU and vector state of tasks, made of measured terms.
 */
#include "fpu_switch.h"

#include "bytes.h"
#include "code_bytes.h"
#include "exits.h"

/* Saves and restores of all components but PKRU; what ring 3 cannot run is listed. */
/* clang-format off */
#define MASK 0xb8, 0xff, 0xfd, 0xff, 0xff, 0x31, 0xd2 /* mov eax, ~PKRU; xor edx, edx */
static const struct altpick_code built_in[] = {
    /* fxsave64 [rdi], fxrstor64 [rdi] */
    {.name = "fxsave", BYTES(0x48, 0x0f, 0xae, 0x07),
     .data = ALTPICK_DATA_SAVE_AREA, .needs = FEATURE(FXSR)},
    {.name = "fxrstor", BYTES(0x48, 0x0f, 0xae, 0x0f),
     .data = ALTPICK_DATA_SAVE_AREA, .needs = FEATURE(FXSR)},
    /* xsave64 [rdi] */
    {.name = "xsave", BYTES(MASK, 0x48, 0x0f, 0xae, 0x27),
     .data = ALTPICK_DATA_SAVE_AREA, .needs = FEATURE(OSXSAVE)},
    /* xsavec64 [rdi] */
    {.name = "xsavec", BYTES(MASK, 0x48, 0x0f, 0xc7, 0x27),
     .data = ALTPICK_DATA_SAVE_AREA, .needs = FEATURE(OSXSAVE) | FEATURE(XSAVEC)},
    /* xsaveopt64 [rdi] */
    {.name = "xsaveopt", BYTES(MASK, 0x48, 0x0f, 0xae, 0x37),
     .data = ALTPICK_DATA_SAVE_AREA, .needs = FEATURE(OSXSAVE) | FEATURE(XSAVEOPT)},
    /* xrstor64 [rdi] */
    {.name = "xrstor", BYTES(MASK, 0x48, 0x0f, 0xae, 0x2f),
     .data = ALTPICK_DATA_SAVE_AREA, .needs = FEATURE(OSXSAVE)},
    /* xsaves64 [rdi], xrstors64 [rdi]: components of IA32_XSS, too */
    {.name = "xsaves", BYTES(MASK, 0x48, 0x0f, 0xc7, 0x2f),
     .data = ALTPICK_DATA_SAVE_AREA, .needs = FEATURE(OSXSAVE) | FEATURE(XSAVES),
     .compacted = true, .ring0 = true},
    {.name = "xrstors", BYTES(MASK, 0x48, 0x0f, 0xc7, 0x1f),
     .data = ALTPICK_DATA_SAVE_AREA, .needs = FEATURE(OSXSAVE) | FEATURE(XSAVES),
     .compacted = true, .ring0 = true},
    /* mov rax, cr0 */
    {.name = "cr0-read", BYTES(0x0f, 0x20, 0xc0), .ring0 = true},
    /* mov cr0, rax: the value that it has */
    {.name = "cr0-write", BYTES(0x0f, 0x22, 0xc0), .data = ALTPICK_DATA_CR0,
     .ring0 = true},
    /* clts while CR0.TS is clear */
    {.name = "clts", BYTES(0x0f, 0x06), .ring0 = true},
    /* mov rax, cr0; or al, 8; mov cr0, rax; clts */
    {.name = "stts+clts", BYTES(0x0f, 0x20, 0xc0, 0x0c, 0x08, 0x0f, 0x22, 0xc0, 0x0f, 0x06),
     .ring0 = true},
    /* To a handler of #NM that steps over the instruction, and back, by who uses the registers. */
    {.name = "nm", BYTES(0xd9, 0xd0), .traps = 2, .ring0 = true}, /* fnop */
    /* movaps xmm0, xmm0 */
    {.name = "nm-sse", BYTES(0x0f, 0x28, 0xc0), .traps = 3, .ring0 = true},
    /* vmovaps ymm0, ymm0 */
    {.name = "nm-avx", BYTES(0xc5, 0xfc, 0x28, 0xc0), .traps = 4,
     .needs = FEATURE(AVX), .ring0 = true},
    /* xsave64 [rdi] */
    {.name = "nm-xsave", BYTES(0x48, 0x0f, 0xae, 0x27), .traps = 4,
     .data = ALTPICK_DATA_SAVE_AREA, .needs = FEATURE(OSXSAVE), .ring0 = true},
};
/* clang-format on */

enum { N_BUILT_IN = sizeof built_in / sizeof *built_in };

static const char *const item_names[FPU_SWITCH_N_ITEMS] = {"policy", "int-int", "int-fpu",
                                                           "fpu-int", "fpu-fpu"};

static const char by_rule[] =
    "estimates decide nothing, and eager switching is what leaks on no CPU";

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    return altpick_code_copy(built_in, N_BUILT_IN, ret);
}

/* Half of the tasks use the FPU: what the policy is decided for; the table has other shares. */
static void average(const struct altpick_cost kind[FPU_SWITCH_KINDS], struct altpick_cost *ret)
{
    struct altpick_cost sum = {.status = ALTPICK_STATUS_MEASURED, .count = UINT32_MAX};

    for (unsigned k = 0; k < FPU_SWITCH_KINDS; k++) {
        if (kind[k].status == ALTPICK_STATUS_UNMEASURED) {
            *ret = kind[k];
            return;
        }
        sum.cycles_micro += kind[k].cycles_micro / FPU_SWITCH_KINDS;
        sum.low_micro += kind[k].low_micro / FPU_SWITCH_KINDS;
        sum.high_micro += kind[k].high_micro / FPU_SWITCH_KINDS;
        sum.count = kind[k].count < sum.count ? kind[k].count : sum.count;
        if (kind[k].status != ALTPICK_STATUS_MEASURED)
            sum.status = kind[k].status;
    }
    *ret = sum;
}

static void entry_cost(const struct altpick_result *result, enum fpu_switch_policy policy,
                       size_t index, bool cold, struct altpick_cost *ret)
{
    struct altpick_cost kind[FPU_SWITCH_KINDS];

    for (unsigned k = 0; k < FPU_SWITCH_KINDS; k++)
        altpick_fpu_switch_cost(result, policy, (enum fpu_switch_kind) k, cold, &kind[k]);
    if (index == FPU_SWITCH_POLICY)
        average(kind, ret);
    else
        *ret = kind[index - 1];
}

static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    struct altpick_cost lazy; /* the sum that has every term */

    (void) earlier;
    altpick_contest_init(ret_contest, question, item_names[index], result, policy);
    ret_contest->requires = policy->allow_lazy ? 0 : GUARANTEE(NO_LAZY_LEAK);
    for (unsigned p = 0; p < FPU_SWITCH_POLICIES; p++) {
        struct altpick_entry *entry =
            altpick_contest_add(ret_contest, altpick_fpu_switch_policies[p], NULL);

        entry->promises = true;
        if (altpick_fpu_switch_is_eager((enum fpu_switch_policy) p))
            entry->guarantee[ALTPICK_GUARANTEE_NO_LAZY_LEAK] = ALTPICK_GUARANTEE_IS_DECLARED;
        entry_cost(result, (enum fpu_switch_policy) p, index, false, &entry->cost[ALTPICK_WARM]);
        entry_cost(result, (enum fpu_switch_policy) p, index, true,
                   &entry->cost[ALTPICK_COLD_DATA]);
    }
    altpick_fpu_switch_cost(result, FPU_SWITCH_LAZY, FPU_SWITCH_FPU_FPU, false, &lazy);
    if (lazy.status == ALTPICK_STATUS_MEASURED)
        return;
    ret_contest->given = FPU_SWITCH_EAGER;
    ret_contest->given_text = by_rule;
    ret_contest->given_verdict = ALTPICK_VERDICT_PINNED;
    ret_contest->given_distance_ppm = ALTPICK_DISTANCE_FAR;
}

/* What the terms cost in other states is part of sums; alone it decides nothing. */
static const uint8_t weights[ALTPICK_N_CONDITIONS] = {[ALTPICK_WARM] = 1, [ALTPICK_COLD_DATA] = 1};

extern const struct altpick_question altpick_question_fpu_switch;
const struct altpick_question altpick_question_fpu_switch = {
    .name = "fpu.switch",
    .title = "when to save and restore the FPU and vector state of tasks: eagerly or lazily",
    .bits = 64,
    .conditions =
        1u << ALTPICK_WARM | 1u << ALTPICK_INIT | 1u << ALTPICK_COLD_DATA | 1u << ALTPICK_COLD_INIT,
    .unranked = 1u << ALTPICK_INIT | 1u << ALTPICK_COLD_INIT,
    .layouts_percent = 50,
    .margin_permille = 150, /* as for fpu.init: half of the sum is cold */
    .may_change = 1u << ALTPICK_REGISTER_RAX | 1u << ALTPICK_REGISTER_RDX |
                  1u << ALTPICK_REGISTER_FLAGS | 1u << ALTPICK_REGISTER_MXCSR |
                  1u << ALTPICK_REGISTER_X87_CONTROL | 1u << ALTPICK_REGISTER_X87 |
                  1u << ALTPICK_REGISTER_VECTORS,
    .weights = weights,
    .n_candidates = 16,
    .mark_exits = altpick_exits_mark,
    .candidates = candidates,
    .n_items = FPU_SWITCH_N_ITEMS,
    .item = item,
};
