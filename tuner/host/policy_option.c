/* SPDX-License-Identifier: MIT */
/* Turns a command-line option into a change of a policy. */
#include "diag.h"
#include "json_read.h"
#include "policy_read.h"
#include "policy_set.h"

#include "altpick/xstate.h"

#include <string.h>

/* "NUMBER" with at most @decimals decimals, in units of 10^-decimals, below 10^6. */
static bool parse_decimal(const char *text, unsigned decimals, uint32_t max, uint32_t *ret)
{
    size_t whole = strspn(text, "0123456789");
    size_t part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    uint32_t value = 0;

    if (whole == 0 || whole > 5 || part > decimals || text[whole + (part ? part + 1 : 0)])
        return false;
    for (size_t i = 0; i < whole; i++)
        value = value * 10 + (uint32_t) (text[i] - '0');
    for (size_t i = 0; i < decimals; i++)
        value = value * 10 + (i < part ? (uint32_t) (text[whole + 1 + i] - '0') : 0);
    if (value > max)
        return false;
    *ret = value;
    return true;
}

/*
 * Split @argument at the first '=' into @ret_key, which is cut at @capacity (and then too long for
 * every name), and what follows.  Returns NULL where there is no '='.
 */
static const char *split(const char *argument, char *ret_key, size_t capacity)
{
    const char *equals = strchr(argument, '=');
    size_t n = equals ? (size_t) (equals - argument) : 0;

    if (n >= capacity)
        n = capacity - 1;
    memcpy(ret_key, argument, n);
    ret_key[n] = '\0';
    return equals ? equals + 1 : NULL;
}

static const char *option_target(struct altpick_policy *policy, const char *argument)
{
    int target = altpick_enum_find(altpick_target_name, argument);

    if (target < 0)
        return "must be any-x86-64, listed or this-cpu";
    policy->target = (enum altpick_target) target;
    return NULL;
}

static const char *option_require(struct altpick_policy *policy, const char *argument)
{
    char question[128];
    const char *name = split(argument, question, sizeof question);
    int guarantee = name ? altpick_enum_find(altpick_guarantee_name, name) : 0;

    if (!name)
        return "must be QUESTION=GUARANTEE";
    return guarantee < 0 ? "unknown guarantee: altpick list candidates and show name them"
                         : altpick_policy_set_require(policy, question, (unsigned) guarantee);
}

static const char *option_weight(struct altpick_policy *policy, const char *argument)
{
    char question[128];
    const char *number = split(argument, question, sizeof question);
    char *dot = strrchr(question, '.'); /* questions have dots, conditions have none */
    uint32_t weight = 0;
    int condition = dot ? altpick_enum_find(altpick_condition_name, dot + 1) : 0;

    if (!number || !dot)
        return "must be QUESTION.CONDITION=NUMBER";
    *dot = '\0';
    if (condition < 0)
        return "unknown condition: altpick list questions names them";
    if (!parse_decimal(number, 0, ALTPICK_POLICY_WEIGHT_MAX, &weight))
        return "the weight must be a whole number, 0..1000";
    return altpick_policy_set_weight(policy, question, (unsigned) condition, weight);
}

static const char *option_pin(struct altpick_policy *policy, const char *argument)
{
    char item[128];
    const char *candidate = split(argument, item, sizeof item);

    return candidate ? altpick_policy_set_pin(policy, item, candidate) : "must be ITEM=CANDIDATE";
}

static const char *option_tie_margin(struct altpick_policy *policy, const char *argument)
{
    if (!parse_decimal(argument, 1, ALTPICK_POLICY_MARGIN_PERMILLE_MAX,
                       &policy->tie_margin_permille))
        return "must be 0..50 with at most one decimal";
    return NULL;
}

static const char *option_max_nop(struct altpick_policy *policy, const char *argument)
{
    uint32_t bytes = 0;

    if (!parse_decimal(argument, 0, ALTPICK_POLICY_NOP_BYTES_MAX, &bytes) ||
        bytes < ALTPICK_POLICY_NOP_BYTES_MIN)
        return "must be 4..15";
    policy->max_nop_bytes = bytes;
    return NULL;
}

static const char *option_strict(struct altpick_policy *policy, const char *argument)
{
    (void) argument;
    policy->strict = true;
    return NULL;
}

static const char *option_rebuild_world(struct altpick_policy *policy, const char *argument)
{
    (void) argument;
    policy->rebuild_world = true;
    return NULL;
}

/* Names between commas. */
static const char *option_components(struct altpick_policy *policy, const char *argument)
{
    uint32_t components = 0;

    for (const char *p = argument;; p++) {
        char name[32];
        size_t n = strcspn(p, ",");
        int component;

        if (n >= sizeof name)
            return "unknown component";
        memcpy(name, p, n);
        name[n] = '\0';
        component = altpick_enum_find(altpick_component_name, name);
        if (component < 0)
            return "unknown component; there are x87, xmm, ymm, bnd, opmask, zmm, hi16-zmm, tile, "
                   "apx";
        components |= 1u << component;
        p += n;
        if (!*p)
            break;
    }
    policy->components = components;
    return NULL;
}

static const char *option_allow_lazy(struct altpick_policy *policy, const char *argument)
{
    (void) argument;
    policy->allow_lazy = true;
    return NULL;
}

/* An option a line. */
static const struct setting {
    const char *option;
    const char *(*apply)(struct altpick_policy *policy, const char *argument);
    bool takes_argument;
} settings[] = {
    {"target",        option_target,        true },
    {"tie-margin",    option_tie_margin,    true },
    {"max-nop",       option_max_nop,       true },
    {"strict",        option_strict,        false},
    {"components",    option_components,    true },
    {"allow-lazy",    option_allow_lazy,    false},
    {"rebuild-world", option_rebuild_world, false},
    {"weight",        option_weight,        true },
    {"require",       option_require,       true },
    {"pin",           option_pin,           true },
};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

int altpick_policy_option(struct altpick_policy *policy, const char *option, const char *argument,
                          struct altpick_diag *diag)
{
    struct altpick_policy changed = *policy;
    const struct setting *setting = settings;
    const char *fault;

    while (setting < settings + N_SETTINGS && strcmp(setting->option, option) != 0)
        setting++;
    if (setting == settings + N_SETTINGS)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--%s: no option of a policy", option);
    if (setting->takes_argument && !argument)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--%s: needs an argument", option);
    fault = setting->apply(&changed, argument);
    if (fault)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--%s %s: %s", option, argument ? argument : "",
                            fault);
    *policy = changed;
    return ALTPICK_OK;
}

int altpick_policy_check(const struct altpick_policy *policy, struct altpick_diag *diag)
{
    for (size_t i = 0; i < policy->n_weights; i++) {
        const char *question = policy->weights[i].question;

        if (altpick_policy_all_weights_zero(policy, question))
            return altpick_fail(diag, ALTPICK_EUSAGE, "--weight: all weights of %s are 0",
                                question);
    }
    return ALTPICK_OK;
}
