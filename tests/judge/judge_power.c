/* SPDX-License-Identifier: MIT */
/*
 * Runs emitted code whose costs stand in a known ratio, 20, 20, 22 and 25 independent adds, and
 * prints whether the decision finds the losers and none between equals.
 */
#include "measured.h"

#include "altpick/decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* add REG, ebx; twelve registers in turn, so that no chain is longer than the ports need. */
static void write_adds(struct altpick_candidate *candidate, const char *name, unsigned adds)
{
    static const uint8_t low[] = {0xd9, 0xde, 0xdf, 0xdd, 0xd8}; /* ecx, esi, edi, ebp, eax */
    enum { LOW = sizeof low, ALL = 12 };

    memset(candidate, 0, sizeof *candidate);
    snprintf(candidate->name, sizeof candidate->name, "%s", name);
    for (unsigned i = 0; i < adds; i++) {
        uint8_t *p = candidate->code + candidate->code_bytes;
        unsigned reg = i % ALL;

        if (reg < LOW) {
            memcpy(p, (uint8_t[]){0x01, low[reg]}, 2);
            candidate->code_bytes += 2;
        } else {
            memcpy(p, (uint8_t[]){0x41, 0x01, (uint8_t) (0xd8 + reg - LOW)}, 3); /* r8d .. r14d */
            candidate->code_bytes += 3;
        }
    }
}

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    write_adds(&ret[0], "base", 20);
    write_adds(&ret[1], "same", 20);
    write_adds(&ret[2], "loser10", 22);
    write_adds(&ret[3], "loser25", 25);
    return 4;
}

/* Each of the others is the preferred form of a contest against the first. */
static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    const struct altpick_measurement *other = &result->candidates[index + 1];

    (void) earlier;
    altpick_contest_init(ret_contest, question, other->candidate.name, result, policy);
    altpick_contest_add(ret_contest, other->candidate.name, other);
    altpick_contest_add(ret_contest, "base", &result->candidates[0]);
}

int main(void)
{
    static const struct altpick_question question = {.name = "test.power",
                                                     .conditions = 1u << ALTPICK_HOT,
                                                     .may_change = UINT32_MAX,
                                                     .candidates = candidates,
                                                     .n_items = 3,
                                                     .item = item};
    struct altpick_decisions *decisions = calloc(1, sizeof *decisions);
    struct altpick_result result;
    struct altpick_policy policy;

    if (!decisions)
        return 1;
    altpick_policy_init(&policy);
    policy.target = ALTPICK_TARGET_THIS_CPU;
    measure_hot(&question, 200, 144, 3, 100, &result);
    altpick_decide(&question, &result, &policy, decisions);
    printf("loser10 %s loser25 %s aa %s\n", decisions->decision[1].displaced ? "found" : "missed",
           decisions->decision[2].displaced ? "found" : "missed",
           decisions->decision[0].displaced ? "false" : "tie");
    free(result.candidates);
    free(decisions);
    return 0;
}
