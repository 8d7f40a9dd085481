/* SPDX-License-Identifier: MIT */
/* altpick claims: what was asserted in public threads, tested on machines. */
#include "claims_print.h"
#include "command.h"
#include "inputs.h"

#include "diag.h"

#include <stdlib.h>

/* The machines of @inputs, or the one that was named, as an array that the caller frees. */
static int machines_of(const struct altpick_inputs *inputs, const struct altpick_options *options,
                       struct altpick_claim_evidence *evidence,
                       const struct altpick_machine ***ret_machines, struct altpick_diag *diag)
{
    const struct altpick_machine **machines, *machine;
    size_t n = 0;
    int r;

    if (options->machine) {
        r = altpick_inputs_machine(inputs, options->machine, &machine, diag);
        if (r < 0)
            return r;
    }
    while (altpick_inputs_nth(inputs, options->machine, n))
        n++;
    machines = calloc(n + 1, sizeof *machines);
    if (!machines)
        return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        machines[i] = altpick_inputs_nth(inputs, options->machine, i);
    evidence->here = machines;
    evidence->n_here = n;
    *ret_machines = machines;
    return ALTPICK_OK;
}

static int claims(struct altpick_command_io *io, const struct altpick_options *options)
{
    struct altpick_inputs inputs = {0};
    struct altpick_claim_evidence evidence = {0};
    const struct altpick_machine **machines = NULL;
    int r;

    r = altpick_inputs_read(options->operands, options->n_operands, &inputs, &io->diag);
    if (r < 0)
        goto out;
    r = machines_of(&inputs, options, &evidence, &machines, &io->diag);
    if (r < 0)
        goto out;
    r = altpick_claim_evidence_load(&evidence, &io->diag);
    if (r < 0)
        goto out;
    if (options->json)
        altpick_claims_json(&evidence, &io->out);
    else
        altpick_claims_text(&evidence, &io->out);
out:
    altpick_claim_evidence_fini(&evidence);
    free(machines);
    altpick_inputs_fini(&inputs);
    return r;
}

const struct altpick_command altpick_command_claims = {
    .name = "claims",
    .operands = "[PROFILE]...",
    .title = "test what public threads claim: on profiles, and on all published figures",
    .groups = ALTPICK_OPTIONS_MACHINE | ALTPICK_OPTIONS_JSON,
    .max_operands = 64,
    .run = claims,
};
