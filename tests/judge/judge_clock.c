/* SPDX-License-Identifier: MIT */
/* Prints what 50 ms tell of instructions whose cost is known: the ruler's own error. */
#include "measured.h"

#include <stdio.h>
#include <stdlib.h>

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    static const struct altpick_candidate list[] = {
        {.name = "xor",  .code = {0x48, 0x31, 0xd8}, .code_bytes = 3}, /* xor rax, rbx */
        {.name = "imul", .code = {0x0f, 0xaf, 0xc0}, .code_bytes = 3}, /* imul eax, eax */
        {.name = "nop1", .code = {0x90},             .code_bytes = 1}, /* nop */
        {.name = "nop5",
         .code = {0x0f, 0x1f, 0x44, 0x00, 0x00},
         .code_bytes = 5                                            }  /* nop [rax+rax] */
    };

    (void) question;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        ret[i] = list[i];
    return sizeof list / sizeof *list;
}

int main(void)
{
    static const struct altpick_question question = {.name = "test.clock",
                                                     .conditions = 1u << ALTPICK_HOT,
                                                     .may_change = 1u << ALTPICK_REGISTER_RAX |
                                                                   1u << ALTPICK_REGISTER_FLAGS,
                                                     .candidates = candidates};
    struct altpick_result result;

    measure_hot(&question, 50, 384, 1, 500, &result);
    for (size_t i = 0; i < result.n_candidates; i++)
        printf("%s%s %.6f", i ? " " : "", result.candidates[i].candidate.name,
               (double) result.candidates[i].cost[ALTPICK_HOT].cycles_micro / 1e6);
    printf("\n");
    free(result.candidates);
    return 0;
}
