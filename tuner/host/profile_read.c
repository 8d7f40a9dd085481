/* SPDX-License-Identifier: MIT */
/* Turns a profile file into a profile, all of it or nothing. */
#include "profile_read.h"

#include "altpick/xstate.h"

#include "diag.h"
#include "fields_read.h"
#include "file.h"
#include "result_read.h"

#include <stdlib.h>
#include <string.h>

enum { MACHINES_MAX = 1024 };

static int out_of_memory(const struct altpick_value *value)
{
    return altpick_fail(value->diag, ALTPICK_ENOMEM, "%s: out of memory", value->name);
}

static int read_results(const struct altpick_value *object, struct altpick_machine *ret)
{
    const char *key;
    json_t *json;
    int r = altpick_value_object(object);

    if (r < 0)
        return r;
    ret->results = calloc(json_object_size(object->json) + 1, sizeof *ret->results);
    if (!ret->results)
        return out_of_memory(object);
    json_object_foreach (object->json, key, json) {
        struct altpick_value value = altpick_value_of(object, key, json);

        r = altpick_result_read(&value, ret->selftest_shuffle != 0, &ret->results[ret->n_results]);
        ret->results[ret->n_results++].components = altpick_cpu_components(&ret->cpu);
        if (r < 0)
            return r;
    }
    return ALTPICK_OK;
}

static int read_flat(const struct altpick_value *object, const struct altpick_fields *fields,
                     void *ret)
{
    int r = altpick_fields_read(object, fields, ret);

    return r < 0 ? r : altpick_fields_only(object, fields, NULL);
}

static int read_machine(const struct altpick_value *object, struct altpick_machine *ret)
{
    static const char *const keys[] = {"name", "cpu", "measured", "questions", NULL};
    struct altpick_value name, cpu, measured, questions;
    int r;

    r = altpick_value_object(object);
    if (r == 0)
        r = altpick_value_only(object, keys);
    if (r < 0)
        return r;
    name = altpick_value_member(object, "name");
    cpu = altpick_value_member(object, "cpu");
    measured = altpick_value_member(object, "measured");
    questions = altpick_value_member(object, "questions");

    r = altpick_value_name(&name, sizeof ret->name, ret->name);
    if (r == 0)
        r = read_flat(&cpu, &altpick_fields_cpu, &ret->cpu);
    if (r == 0)
        r = read_flat(&measured, &altpick_fields_measured, ret);
    if (r == 0)
        r = read_results(&questions, ret);
    return r;
}

static int read_machines(const struct altpick_value *array, struct altpick_profile *ret)
{
    size_t n = json_array_size(array->json);
    int r = altpick_value_array(array);

    if (r == 0 && n > MACHINES_MAX)
        r = altpick_value_fail(array, ALTPICK_EFORMAT, "more than %d machines", MACHINES_MAX);
    if (r < 0)
        return r;
    ret->machines = calloc(n + 1, sizeof *ret->machines);
    if (!ret->machines)
        return out_of_memory(array);
    for (size_t i = 0; i < n; i++) {
        struct altpick_value value = altpick_value_element(array, i);

        r = read_machine(&value, &ret->machines[ret->n_machines++]);
        for (size_t j = 0; r == 0 && j < i; j++) {
            struct altpick_value name = altpick_value_member(&value, "name");

            if (strcmp(ret->machines[i].name, ret->machines[j].name) == 0)
                r = altpick_value_fail(&name, ALTPICK_EFORMAT, "the name of machine %zu, too", j);
        }
        if (r < 0)
            return r;
    }
    return ALTPICK_OK;
}

int altpick_profile_parse(const char *name, const char *text, size_t bytes,
                          struct altpick_profile *ret_profile, struct altpick_diag *diag)
{
    static const char *const keys[] = {"format", "version", "machines", NULL};
    struct altpick_profile profile = {0};
    struct altpick_value top, machines;
    json_t *json = NULL;
    int r;

    r = altpick_document_parse(name, text, bytes, ALTPICK_PROFILE_FORMAT, ALTPICK_PROFILE_VERSION,
                               diag, &json);
    if (r < 0)
        return r;
    top = altpick_value_top(name, json, diag);
    machines = altpick_value_member(&top, "machines");
    r = altpick_value_only(&top, keys);
    if (r == 0)
        r = read_machines(&machines, &profile);
    json_decref(json);
    if (r < 0)
        altpick_profile_fini(&profile);
    else
        *ret_profile = profile;
    return r;
}

int altpick_profile_read(const char *path, struct altpick_profile *ret_profile,
                         struct altpick_diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    int r = altpick_file_read(path, ALTPICK_DOCUMENT_BYTES_MAX, &text, &bytes, diag);

    if (r < 0)
        return r;
    r = altpick_profile_parse(strcmp(path, "-") == 0 ? "<stdin>" : path, text, bytes, ret_profile,
                              diag);
    free(text);
    return r;
}

void altpick_profile_fini(struct altpick_profile *profile)
{
    for (size_t i = 0; i < profile->n_machines; i++) {
        struct altpick_machine *machine = &profile->machines[i];

        for (size_t j = 0; j < machine->n_results; j++)
            free(machine->results[j].candidates);
        free(machine->results);
    }
    free(profile->machines);
    *profile = (struct altpick_profile){0};
}
