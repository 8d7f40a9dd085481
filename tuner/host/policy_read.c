/* SPDX-License-Identifier: MIT */
/* Turns a policy file into a policy. */
#include "policy_read.h"

#include "file.h"
#include "json_read.h"
#include "policy_set.h"

#include "altpick/xstate.h"

#include <stdlib.h>
#include <string.h>

/* Turns what a setter found into a result. */
static int result_of(const struct altpick_value *value, const char *fault)
{
    return fault ? altpick_value_fail(value, ALTPICK_EFORMAT, "%s", fault) : ALTPICK_OK;
}

static int read_question_weights(const struct altpick_value *object, struct altpick_policy *policy)
{
    const char *key;
    json_t *json;
    int r = altpick_value_object(object);

    if (r < 0)
        return r;
    json_object_foreach (object->json, key, json) {
        struct altpick_value value = altpick_value_of(object, key, json);
        int condition = altpick_enum_find(altpick_condition_name, key);
        uint64_t weight = 0;

        if (condition < 0)
            return altpick_value_fail(&value, ALTPICK_EFORMAT,
                                      "unknown condition: altpick list questions names them");
        r = altpick_value_count(&value, ALTPICK_POLICY_WEIGHT_MAX, &weight);
        if (r == 0)
            r = result_of(&value,
                          altpick_policy_set_weight(policy, object->key, (unsigned) condition,
                                                    (uint32_t) weight));
        if (r < 0)
            return r;
    }
    return altpick_policy_all_weights_zero(policy, object->key)
               ? result_of(object, "all weights are 0")
               : r;
}

static int read_question_requires(const struct altpick_value *array, struct altpick_policy *policy)
{
    int r = altpick_value_array(array);

    for (size_t i = 0; r == 0 && i < json_array_size(array->json); i++) {
        struct altpick_value value = altpick_value_element(array, i);
        unsigned guarantee = 0;

        r = altpick_value_enum(&value, altpick_guarantee_name, &guarantee);
        if (r == 0)
            r = result_of(&value, altpick_policy_set_require(policy, array->key, guarantee));
    }
    return r;
}

static int read_pin(const struct altpick_value *value, struct altpick_policy *policy)
{
    char candidate[ALTPICK_NAME_MAX];
    int r = altpick_value_name(value, sizeof candidate, candidate);

    return r < 0 ? r : result_of(value, altpick_policy_set_pin(policy, value->key, candidate));
}

/* Apply @read to every member of an object that may be missing. */
static int read_each(const struct altpick_value *object, struct altpick_policy *policy,
                     int (*read)(const struct altpick_value *member, struct altpick_policy *policy))
{
    const char *key;
    json_t *json;
    int r = object->json ? altpick_value_object(object) : ALTPICK_OK;

    json_object_foreach (object->json, key, json) {
        struct altpick_value value = altpick_value_of(object, key, json);

        if (r == 0)
            r = read(&value, policy);
    }
    return r;
}

static int read_weights(const struct altpick_value *value, struct altpick_policy *policy)
{
    return read_each(value, policy, read_question_weights);
}

static int read_requires(const struct altpick_value *value, struct altpick_policy *policy)
{
    return read_each(value, policy, read_question_requires);
}

static int read_pins(const struct altpick_value *value, struct altpick_policy *policy)
{
    return read_each(value, policy, read_pin);
}

static int read_target(const struct altpick_value *value, struct altpick_policy *policy)
{
    unsigned target = 0;
    int r = altpick_value_enum(value, altpick_target_name, &target);

    if (r == 0)
        policy->target = (enum altpick_target) target;
    return r;
}

static int read_margin(const struct altpick_value *value, struct altpick_policy *policy)
{
    uint64_t permille = 0;
    double rest;
    int r = altpick_value_scaled(value, 10, ALTPICK_POLICY_MARGIN_PERMILLE_MAX, &permille);

    if (r < 0)
        return r;
    rest = json_number_value(value->json) * 10 - (double) permille;
    if (rest > 1e-6 || rest < -1e-6)
        return altpick_value_fail(value, ALTPICK_EFORMAT, "at most one decimal");
    policy->tie_margin_permille = (uint32_t) permille;
    return ALTPICK_OK;
}

static int read_max_nop(const struct altpick_value *value, struct altpick_policy *policy)
{
    uint64_t bytes = 0;
    int r = altpick_value_count(value, UINT32_MAX, &bytes);

    if (r == 0 && (bytes < ALTPICK_POLICY_NOP_BYTES_MIN || bytes > ALTPICK_POLICY_NOP_BYTES_MAX))
        r = altpick_value_fail(value, ALTPICK_EFORMAT, "must be %d..%d",
                               ALTPICK_POLICY_NOP_BYTES_MIN, ALTPICK_POLICY_NOP_BYTES_MAX);
    if (r == 0)
        policy->max_nop_bytes = (uint32_t) bytes;
    return r;
}

static int read_strict(const struct altpick_value *value, struct altpick_policy *policy)
{
    return altpick_value_bool(value, &policy->strict);
}

static int read_rebuild_world(const struct altpick_value *value, struct altpick_policy *policy)
{
    return altpick_value_bool(value, &policy->rebuild_world);
}

static int read_components(const struct altpick_value *array, struct altpick_policy *policy)
{
    int r = altpick_value_array(array);

    if (r == 0 && json_array_size(array->json) == 0)
        r = altpick_value_fail(array, ALTPICK_EFORMAT, "no component: leave the member out");
    for (size_t i = 0; r == 0 && i < json_array_size(array->json); i++) {
        struct altpick_value value = altpick_value_element(array, i);
        unsigned component = 0;

        r = altpick_value_enum(&value, altpick_component_name, &component);
        policy->components |= 1u << component;
    }
    return r;
}

static int read_allow_lazy(const struct altpick_value *value, struct altpick_policy *policy)
{
    return altpick_value_bool(value, &policy->allow_lazy);
}

/* A member of the file a line. */
static const struct setting {
    const char *key;
    int (*read)(const struct altpick_value *value, struct altpick_policy *policy);
} settings[] = {
    {"target",             read_target       },
    {"tie_margin_percent", read_margin       },
    {"max_nop",            read_max_nop      },
    {"strict",             read_strict       },
    {"rebuild_world",      read_rebuild_world},
    {"components",         read_components   },
    {"allow_lazy",         read_allow_lazy   },
    {"weights",            read_weights      },
    {"require",            read_requires     },
    {"pin",                read_pins         },
};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

static int read_settings(const struct altpick_value *top, struct altpick_policy *policy)
{
    const char *keys[N_SETTINGS + 3] = {"format", "version"};
    int r;

    for (size_t i = 0; i < N_SETTINGS; i++)
        keys[i + 2] = settings[i].key;
    r = altpick_value_only(top, keys);
    for (size_t i = 0; r == 0 && i < N_SETTINGS; i++) {
        struct altpick_value value = altpick_value_member(top, settings[i].key);

        if (value.json)
            r = settings[i].read(&value, policy);
    }
    return r;
}

int altpick_policy_parse(const char *name, const char *text, size_t bytes,
                         struct altpick_policy *policy, struct altpick_diag *diag)
{
    struct altpick_policy changed = *policy;
    struct altpick_value top;
    json_t *json = NULL;
    int r;

    r = altpick_document_parse(name, text, bytes, "altpick-policy", ALTPICK_POLICY_VERSION, diag,
                               &json);
    if (r < 0)
        return r;
    top = altpick_value_top(name, json, diag);
    r = read_settings(&top, &changed);
    json_decref(json);
    if (r == 0)
        *policy = changed;
    return r;
}

int altpick_policy_read(const char *path, struct altpick_policy *policy, struct altpick_diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    int r = altpick_file_read(path, ALTPICK_DOCUMENT_BYTES_MAX, &text, &bytes, diag);

    if (r < 0)
        return r;
    r = altpick_policy_parse(strcmp(path, "-") == 0 ? "<stdin>" : path, text, bytes, policy, diag);
    free(text);
    return r;
}
