/* SPDX-License-Identifier: MIT */
/* The profiles that a command was given, and the machine that it speaks of. */
#include "inputs.h"

#include "diag.h"
#include "known_find.h"
#include "profile_read.h"

#include <stdlib.h>
#include <string.h>

int altpick_inputs_read(char **paths, size_t n, struct altpick_inputs *ret_inputs,
                        struct altpick_diag *diag)
{
    struct altpick_inputs inputs = {.profiles = calloc(n ? n : 1, sizeof *inputs.profiles)};
    int r;

    if (!inputs.profiles)
        return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        r = altpick_profile_read(paths[i], &inputs.profiles[i], diag);
        if (r < 0) {
            altpick_inputs_fini(&inputs);
            return r;
        }
        inputs.n_profiles++;
    }
    inputs.path = n == 1 ? paths[0] : NULL;
    *ret_inputs = inputs;
    return ALTPICK_OK;
}

int altpick_inputs_known(const char *name, struct altpick_inputs *ret_inputs,
                         struct altpick_diag *diag)
{
    struct altpick_inputs inputs = {.profiles = calloc(1, sizeof *inputs.profiles)};
    char *names[] = {(char *) name};
    int r;

    if (!inputs.profiles)
        return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
    r = altpick_known_profile(names, 1, inputs.profiles, diag);
    if (r < 0) {
        altpick_inputs_fini(&inputs);
        return r;
    }
    inputs.n_profiles = 1;
    *ret_inputs = inputs;
    return ALTPICK_OK;
}

void altpick_inputs_fini(struct altpick_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n_profiles; i++)
        altpick_profile_fini(&inputs->profiles[i]);
    free(inputs->profiles);
    *inputs = (struct altpick_inputs){0};
}

const struct altpick_machine *altpick_inputs_nth(const struct altpick_inputs *inputs,
                                                 const char *name, size_t index)
{
    for (size_t i = 0; i < inputs->n_profiles; i++) {
        for (size_t k = 0; k < inputs->profiles[i].n_machines; k++) {
            const struct altpick_machine *machine = &inputs->profiles[i].machines[k];

            if ((!name || strcmp(machine->name, name) == 0) && index-- == 0)
                return machine;
        }
    }
    return NULL;
}

/* Append the names of all machines to the message; what does not fit is cut. */
static int list_machines(const struct altpick_inputs *inputs, const char *problem,
                         struct altpick_diag *diag)
{
    char names[sizeof diag->text / 2] = "";

    for (size_t i = 0; altpick_inputs_nth(inputs, NULL, i); i++) {
        strncat(names, i ? ", " : "", sizeof names - 1 - strlen(names));
        strncat(names, altpick_inputs_nth(inputs, NULL, i)->name, sizeof names - 1 - strlen(names));
    }
    return altpick_fail(diag, ALTPICK_ENOFIT, "%s%s%s; there is %s",
                        inputs->path ? inputs->path : "", inputs->path ? ": " : "", problem,
                        names[0] ? names : "no machine");
}

int altpick_inputs_machine(const struct altpick_inputs *inputs, const char *name,
                           const struct altpick_machine **ret_machine, struct altpick_diag *diag)
{
    const struct altpick_machine *machine = altpick_inputs_nth(inputs, name, 0);
    char problem[128] = "no machine called ";

    if (!machine && name) {
        strncat(problem, name, sizeof problem - 1 - strlen(problem));
        return list_machines(inputs, problem, diag);
    }
    if (!machine)
        return list_machines(inputs, "nothing to decide", diag);
    if (altpick_inputs_nth(inputs, name, 1))
        return list_machines(inputs,
                             name ? "that name is not unique: give one profile at a time"
                                  : "--machine is needed",
                             diag);
    *ret_machine = machine;
    return ALTPICK_OK;
}

void altpick_inputs_target(const struct altpick_inputs *inputs, struct altpick_policy *policy)
{
    policy->several =
        policy->target == ALTPICK_TARGET_LISTED && altpick_inputs_nth(inputs, NULL, 1) != NULL;
}
