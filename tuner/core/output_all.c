/* SPDX-License-Identifier: MIT */
/* Outputs with something of every registered question. */
#include "altpick/output.h"

#include "altpick/err.h"

void altpick_output_default(uint32_t max_nop_bytes, struct altpick_output *ret_output)
{
    altpick_output_begin(altpick_questions, altpick_question_count, max_nop_bytes, ret_output);
}

int altpick_output_build(const struct altpick_machine *machine, const struct altpick_policy *policy,
                         const struct altpick_output_decisions *decisions,
                         struct altpick_output *ret_output)
{
    const struct {
        const struct altpick_decisions *decisions;
        const char *question;
    } sources[] = {
        {decisions->nop_fill_64,      "nop.fill.64"     },
        {decisions->nop_fill_32,      "nop.fill.32"     },
        {decisions->nop_text_poke,    "nop.text-poke"   },
        {decisions->fpu_init,         "fpu.init"        },
        {decisions->kernel_fpu_begin, "kernel-fpu.begin"},
        {decisions->refcount,         "refcount"        },
        {decisions->xstate_save,      "xstate.save"     },
    };
    struct altpick_output output;

    altpick_output_default(policy->max_nop_bytes, &output);
    output.machine = machine;
    output.target = policy->target;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const struct altpick_question *question = altpick_question_find(sources[i].question);
        int r = ALTPICK_OK;

        if (sources[i].decisions && question && question->emits)
            r = question->emits->take(machine, policy, question, sources[i].decisions, &output);
        if (r < 0)
            return r;
    }
    *ret_output = output;
    return ALTPICK_OK;
}
