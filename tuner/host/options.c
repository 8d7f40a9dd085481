/* SPDX-License-Identifier: MIT */
/* Every option of every command, in one table. */
#include "options.h"

#include "diag.h"
#include "number.h"
#include "policy_read.h"
#include "profile_read.h"
#include "suggest.h"
#include "table.h"

#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_BASE = UCHAR_MAX + 1, TIME_LIMIT_MIN_MS = 50, TIME_LIMIT_MAX_MS = 3600 * 1000 };

struct option_spec {
    const char *name;
    char letter;          /* '\0': has none */
    const char *argument; /* name of its argument, NULL: takes none */
    unsigned groups;
    const char *help;
    int (*set)(struct altpick_options *options, const struct option_spec *spec,
               const char *argument, struct altpick_diag *diag);
    size_t offset; /* of the field that set_text and set_flag fill */
};

static int set_text(struct altpick_options *options, const struct option_spec *spec,
                    const char *argument, struct altpick_diag *diag)
{
    const char **field = (const char **) (void *) ((char *) options + spec->offset);

    if (*field)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--%s is given twice, as '%s' and as '%s'",
                            spec->name, *field, argument);
    if (!*argument && strcmp(spec->argument, "LIST") != 0)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--%s needs %s, and has an empty one", spec->name,
                            spec->argument);
    *field = argument;
    return ALTPICK_OK;
}

static int set_flag(struct altpick_options *options, const struct option_spec *spec,
                    const char *argument, struct altpick_diag *diag)
{
    (void) argument;
    (void) diag;
    *(bool *) ((char *) options + spec->offset) = true;
    return ALTPICK_OK;
}

static int set_policy(struct altpick_options *options, const struct option_spec *spec,
                      const char *argument, struct altpick_diag *diag)
{
    if (options->n_policy == ALTPICK_POLICY_ARGUMENTS_MAX)
        return altpick_fail(diag, ALTPICK_EUSAGE, "too many policy options");
    options->policy[options->n_policy].option = spec->name;
    options->policy[options->n_policy++].argument = argument;
    return ALTPICK_OK;
}

/* Seconds with an optional decimal part into milliseconds; more than three decimals are refused. */
static bool parse_seconds(const char *text, uint64_t *ret_ms)
{
    char whole[16], decimals[4] = "000";
    size_t n = strcspn(text, ".");
    const char *rest = text + n + (text[n] == '.');
    uint32_t seconds, ms;

    if (n >= sizeof whole || strlen(rest) > 3 || (text[n] == '.' && !*rest))
        return false;
    memcpy(whole, text, n);
    whole[n] = '\0';
    memcpy(decimals, rest, strlen(rest));
    if (!altpick_number_parse(whole, TIME_LIMIT_MAX_MS, &seconds) ||
        !altpick_number_parse(decimals, 999, &ms))
        return false;
    *ret_ms = (uint64_t) seconds * 1000 + ms;
    return true;
}

static int set_time_limit(struct altpick_options *options, const struct option_spec *spec,
                          const char *argument, struct altpick_diag *diag)
{
    uint64_t ms;

    (void) spec;
    if (!parse_seconds(argument, &ms) || ms < TIME_LIMIT_MIN_MS || ms > TIME_LIMIT_MAX_MS)
        return altpick_fail(diag, ALTPICK_EUSAGE,
                            "--time-limit: '%s' is not a number of seconds from 0.05 to 3600",
                            argument);
    options->probe.time_limit_ms = ms;
    return ALTPICK_OK;
}

static int set_cpu(struct altpick_options *options, const struct option_spec *spec,
                   const char *argument, struct altpick_diag *diag)
{
    uint32_t value;

    (void) spec;
    if (!altpick_number_parse(argument, 65535, &value))
        return altpick_fail(diag, ALTPICK_EUSAGE, "--cpu: '%s' is not the number of a CPU",
                            argument);
    options->probe.cpu = (int) value;
    return ALTPICK_OK;
}

static int set_seed(struct altpick_options *options, const struct option_spec *spec,
                    const char *argument, struct altpick_diag *diag)
{
    uint32_t value;

    if (!altpick_number_parse(argument, UINT32_MAX, &value))
        return altpick_fail(diag, ALTPICK_EUSAGE, "--%s: '%s' is not a number from 0 to %u",
                            spec->name, argument, UINT32_MAX);
    *(uint32_t *) (void *) ((char *) options + spec->offset) = value;
    return ALTPICK_OK;
}

static int set_fallback(struct altpick_options *options, const struct option_spec *spec,
                        const char *argument, struct altpick_diag *diag)
{
    (void) spec;
    if (strcmp(argument, "default") != 0)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--fallback: '%s' is not 'default'", argument);
    options->fallback_default = true;
    return ALTPICK_OK;
}

static int set_ring0(struct altpick_options *options, const struct option_spec *spec,
                     const char *argument, struct altpick_diag *diag)
{
    (void) spec;
    if (strcmp(argument, "kvm") != 0)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--ring0: '%s' is not 'kvm'", argument);
    options->ring0_kvm = true;
    return ALTPICK_OK;
}

#define SPEC(name, letter, argument, group, help, set, offset)                                     \
    {                                                                                              \
        name, letter, argument, ALTPICK_OPTIONS_##group, help, set, offset                         \
    }
#define TEXT(name, letter, argument, group, field, help)                                           \
    SPEC(name, letter, argument, group, help, set_text, offsetof(struct altpick_options, field))
#define FLAG(name, letter, group, field, help)                                                     \
    SPEC(name, letter, NULL, group, help, set_flag, offsetof(struct altpick_options, field))
#define SEED(name, group, field, help)                                                             \
    SPEC(name, 0, "N", group, help, set_seed, offsetof(struct altpick_options, field))
#define POLICY(name, argument, help) SPEC(name, 0, argument, POLICY, help, set_policy, 0)

/* An option a line, in the order of --help. */
static const struct option_spec specs[] = {
    TEXT("output", 'o', "FILE", OUTPUT, output, "write to FILE, not to standard output"),
    TEXT("output", 'o', "FILE", COPY, output, "the patched copy; needed"),
    TEXT("format", 'f', "FORMAT", FORMAT, format, "what to write: see altpick list formats"),
    TEXT("flavour", 0, "NAME", FORMAT, flavour, "naming style of the format"),
    TEXT("layout", 0, "NAME", FORMAT, layout,
         "a table for the engine of a consumer: altpick list layouts"),
    TEXT("sites", 0, "FILE", FORMAT, sites,
         "the consumer's sites, of which --layout makes a table"),
    TEXT("machine", 0, "NAME", MACHINE, machine, "the machine of the profile to speak of"),
    FLAG("json", 0, JSON, json, "print JSON, for programs"),
    FLAG("brief", 0, BRIEF, brief, "print what is decided, without the candidates"),
    FLAG("entries", 0, INSPECT, entries, "print every record with its code"),
    TEXT("layout", 0, "NAME", INSPECT, layout,
         "take tables to have this layout: see altpick list layouts"),
    FLAG("no-census", 0, INSPECT, no_census, "do not count NOPs, which takes most of the time"),
    TEXT("keep", 0, "FILE", TUNE, keep, "keep the profile in FILE"),
    SPEC("fallback", 0, "default", TUNE,
         "where this machine cannot be measured, write the recommended forms", set_fallback, 0),
    FLAG("allow-native", 0, TUNE, allow_native, "measure even with SOURCE_DATE_EPOCH set"),
    TEXT("only", 0, "GLOB", PROBE, probe.only, "measure only questions whose name matches"),
    SPEC("time-limit", 0, "SECONDS", PROBE, "for the whole probe, 0.05 to 3600", set_time_limit, 0),
    FLAG("thorough", 0, PROBE, probe.thorough, "take longer and separate more"),
    SPEC("cpu", 0, "N", CPU, "measure on CPU N", set_cpu, 0),
    FLAG("boot-table", 0, PROBE, probe.boot_table,
         "print what everything costs, hot and cold, fenced and not"),
    SEED("seed", PROBE, probe.seed, "seed of the code layouts"),
    TEXT("samples", 0, "FILE", PROBE, probe.samples_path, "write the raw samples to FILE as TSV"),
    SEED("selftest-shuffle", PROBE, probe.selftest_shuffle,
         "permute the code behind names of equal length"),
    SPEC(
        "ring0", 0, "kvm", RING0,
        "measure in ring 0 of a virtual machine by /dev/kvm; where that cannot be trusted, in ring "
        "3, with status 3",
        set_ring0, 0),
    TEXT("from-serial", 0, "FILE", SERIAL, from_serial,
         "measure nothing: take the profile from the serial log of a boot program"),
    TEXT("policy", 0, "FILE", POLICY, policy_path,
         "read the policy file; the options below override it"),
    POLICY("target", "TARGET", "this-cpu, listed or any-x86-64 (default)"),
    POLICY("require", "Q=GUARANTEE", "candidates of question Q must guarantee it"),
    POLICY("weight", "Q.CONDITION=N", "weight of a condition, 0 to 1000"),
    POLICY("pin", "ITEM=CANDIDATE", "decide an item without the figures"),
    POLICY("tie-margin", "PERCENT", "gains below it change nothing (default 5)"),
    POLICY("max-nop", "N", "longest NOP allowed, 4 to 15 bytes"),
    TEXT("previous", 0, "FILE", POLICY, previous_path,
         "profile whose decisions win the last tie-break"),
    POLICY("rebuild-world", NULL, "let figures decide where other code compares the bytes, too"),
    POLICY("components", "LIST", "state that tasks may own, as x87,xmm; else all that is enabled"),
    POLICY("allow-lazy", NULL, "accept that lazy FPU switching leaks registers (CVE-2018-3665)"),
    POLICY("strict", NULL, "an undecided item is a failure (exit status 3)"),
    TEXT("features", 0, "LIST", VIEW, features,
         "features of the CPU: W*32+B, !W*32+B, names, this-cpu or a file, between commas"),
    TEXT("cpufeatures", 0, "FILE", VIEW, cpufeatures,
         "the kernel's asm/cpufeatures.h, which names the features"),
    TEXT("function", 0, "NAME", VIEW, function, "show the code of a function"),
    TEXT("range", 0, "A-B", VIEW, range, "show the code from address A to before B"),
    FLAG("sites", 0, VIEW, every_site, "show every site"),
    TEXT("diff", 0, "LIST", VIEW, diff, "show what runs otherwise on a CPU with these features"),
    FLAG("up", 0, VIEW, up, "the machine has one CPU: no lock prefixes"),
    TEXT("kernel", 0, "X.Y", VIEW, kernel, "the release of Linux, whatever the file says"),
    TEXT("symbols", 0, "FILE", VIEW, symbols, "take names from a System.map or the output of nm"),
    TEXT("syntax", 0, "NAME", VIEW, syntax, "of instructions: att (default) or intel"),
    TEXT("layout", 0, "NAME", VIEW, layout,
         "take the table to have this layout: see altpick list layouts"),
    FLAG("help", 'h', ALWAYS, help, "print this and exit"),
};

enum { N_SPECS = sizeof specs / sizeof *specs };

/* What getopt_long needs for @groups.  An option's value is its letter, or its index in specs. */
static void getopt_tables(unsigned groups, struct option *ret_long, char *ret_short)
{
    *ret_short++ = ':';
    for (int i = 0; i < N_SPECS; i++) {
        if (!(specs[i].groups & (groups | ALTPICK_OPTIONS_ALWAYS)))
            continue;
        *ret_long++ = (struct option){
            .name = specs[i].name,
            .has_arg = specs[i].argument ? required_argument : no_argument,
            .val = OPTION_BASE + i,
        };
        if (specs[i].letter) {
            *ret_short++ = specs[i].letter;
            if (specs[i].argument)
                *ret_short++ = ':';
        }
    }
    *ret_long = (struct option){0};
    *ret_short = '\0';
}

static const struct option_spec *spec_of(int value)
{
    if (value >= OPTION_BASE && value < OPTION_BASE + N_SPECS)
        return &specs[value - OPTION_BASE];
    for (int i = 0; i < N_SPECS; i++) {
        if (value && specs[i].letter == value)
            return &specs[i];
    }
    return NULL;
}

/* What getopt_long() complained about, in our words. */
static int complain(int c, char **argv, unsigned groups, struct altpick_diag *diag)
{
    const struct option_spec *spec = spec_of(optopt);
    char typed[40] = "";
    struct altpick_suggestion suggestion = {.typed = typed};
    const char *word = argv[optind - 1];

    if (c == ':')
        return altpick_fail(diag, ALTPICK_EUSAGE, "--%s needs %s", spec ? spec->name : word,
                            spec ? spec->argument : "an argument");
    if (spec && optopt >= OPTION_BASE)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--%s takes no argument", spec->name);
    if (optopt)
        return altpick_fail(diag, ALTPICK_EUSAGE, "unknown option '-%c'", optopt);

    strncat(typed, word + strspn(word, "-"), sizeof typed - 1);
    typed[strcspn(typed, "=")] = '\0';
    for (int i = 0; i < N_SPECS; i++) {
        if (specs[i].groups & (groups | ALTPICK_OPTIONS_ALWAYS))
            altpick_suggest(&suggestion, specs[i].name);
    }
    if (suggestion.best)
        return altpick_fail(diag, ALTPICK_EUSAGE, "unknown option '%s'; did you mean '--%s'?", word,
                            suggestion.best);
    return altpick_fail(diag, ALTPICK_EUSAGE, "unknown option '%s'", word);
}

int altpick_options_parse(int argc, char **argv, unsigned groups,
                          struct altpick_options *ret_options, struct altpick_diag *diag)
{
    struct altpick_options options = {.probe.cpu = -1};
    struct option long_options[N_SPECS + 1];
    char short_options[2 * N_SPECS + 2];
    int c, r;

    getopt_tables(groups, long_options, short_options);
    opterr = 0; /* the messages are ours */
    while ((c = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        const struct option_spec *spec = c == '?' || c == ':' ? NULL : spec_of(c);

        r = spec ? spec->set(&options, spec, optarg, diag) : complain(c, argv, groups, diag);
        if (r < 0)
            return r;
    }
    options.operands = argv + optind;
    options.n_operands = (size_t) (argc - optind);
    for (size_t i = 0; i < options.n_operands; i++) {
        if (!options.operands[i][0])
            return altpick_fail(diag, ALTPICK_EUSAGE, "argument %zu is empty", i + 1);
    }
    *ret_options = options;
    return ALTPICK_OK;
}

void altpick_options_print(unsigned groups, struct altpick_out *out)
{
    struct altpick_table table;

    altpick_table_init(&table, "ll", 2);
    for (int i = 0; i < N_SPECS; i++) {
        const struct option_spec *spec = &specs[i];
        char letter[5];

        if (!(spec->groups & (groups | ALTPICK_OPTIONS_ALWAYS)))
            continue;
        if (spec->letter)
            snprintf(letter, sizeof letter, "-%c, ", spec->letter);
        altpick_table_cell(&table, "%s--%s%s%s", spec->letter ? letter : "    ", spec->name,
                           spec->argument ? " " : "", spec->argument ? spec->argument : "");
        altpick_table_cell(&table, "%s", spec->help);
    }
    altpick_table_print(&table, out);
}

/* What --previous decides under the same policy; it breaks ties that nothing else breaks. */
static int read_incumbents(const struct altpick_options *options, struct altpick_wishes *wishes,
                           struct altpick_diag *diag)
{
    int r = altpick_profile_read(options->previous_path, &wishes->previous, diag);

    if (r < 0)
        return r;
    if (wishes->previous.n_machines != 1)
        return altpick_fail(diag, ALTPICK_ENOFIT, "%s: one machine is needed, there are %zu",
                            options->previous_path, wishes->previous.n_machines);
    if (!altpick_trust_is_usable(wishes->previous.machines[0].trust))
        return altpick_fail(diag, ALTPICK_EUNTRUSTED, "%s: it was not measured on a real core",
                            options->previous_path);
    r = altpick_choices_make(&wishes->previous.machines[0], &wishes->policy, &wishes->incumbents,
                             diag);
    wishes->policy.previous = wishes->incumbents.questions;
    wishes->policy.n_previous = wishes->incumbents.n_questions;
    return r;
}

int altpick_wishes_read(const struct altpick_options *options, struct altpick_wishes *ret_wishes,
                        struct altpick_diag *diag)
{
    struct altpick_wishes wishes = {0};
    int r;

    altpick_policy_init(&wishes.policy);
    if (options->policy_path) {
        r = altpick_policy_read(options->policy_path, &wishes.policy, diag);
        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < options->n_policy; i++) {
        r = altpick_policy_option(&wishes.policy, options->policy[i].option,
                                  options->policy[i].argument, diag);
        if (r < 0)
            return r;
    }
    r = altpick_policy_check(&wishes.policy, diag);
    if (r < 0)
        return r;
    if (options->previous_path) {
        r = read_incumbents(options, &wishes, diag);
        if (r < 0) {
            altpick_wishes_fini(&wishes);
            return r;
        }
    }
    *ret_wishes = wishes;
    return ALTPICK_OK;
}

void altpick_wishes_fini(struct altpick_wishes *wishes)
{
    altpick_choices_fini(&wishes->incumbents);
    altpick_profile_fini(&wishes->previous);
}
