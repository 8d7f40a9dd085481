/* SPDX-License-Identifier: MIT */
/* Every option of every command, in one table. */
#ifndef ALTPICK_HOST_OPTIONS_H
#define ALTPICK_HOST_OPTIONS_H

#include "choices.h"
#include "probe.h"

#include "altpick/err.h"
#include "altpick/out.h"
#include "altpick/policy.h"
#include "altpick/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* Which commands take an option. */
enum altpick_option_group {
    ALTPICK_OPTIONS_PROBE = 1 << 0,
    ALTPICK_OPTIONS_POLICY = 1 << 1,
    ALTPICK_OPTIONS_MACHINE = 1 << 2,
    ALTPICK_OPTIONS_OUTPUT = 1 << 3,
    ALTPICK_OPTIONS_FORMAT = 1 << 4,
    ALTPICK_OPTIONS_JSON = 1 << 5,
    ALTPICK_OPTIONS_TUNE = 1 << 6,
    ALTPICK_OPTIONS_ALWAYS = 1 << 7,
    ALTPICK_OPTIONS_CPU = 1 << 8,
    ALTPICK_OPTIONS_BRIEF = 1 << 9,
    ALTPICK_OPTIONS_INSPECT = 1 << 10,
    ALTPICK_OPTIONS_VIEW = 1 << 11,
    ALTPICK_OPTIONS_COPY = 1 << 12,
    ALTPICK_OPTIONS_SERIAL = 1 << 13,
    ALTPICK_OPTIONS_RING0 = 1 << 14,
};

enum { ALTPICK_POLICY_ARGUMENTS_MAX = 3 * ALTPICK_POLICY_LIST_MAX + 4 };

/* What a command line says.  Texts belong to argv. */
struct altpick_options {
    const char *output;
    const char *machine;
    const char *format;
    const char *flavour;
    const char *layout;
    const char *sites;
    const char *keep;
    const char *from_serial;

    /* Of view. */
    const char *features, *diff, *cpufeatures;
    const char *function, *range;
    const char *kernel, *symbols, *syntax;
    bool every_site, up;

    bool help;
    bool json;
    bool brief;
    bool entries;
    bool no_census;
    bool fallback_default;
    bool allow_native;
    bool ring0_kvm;

    struct altpick_probe_options probe;

    /* Policy options in their order; they apply after the file: altpick_options_policy(). */
    const char *policy_path;
    const char *previous_path;
    struct {
        const char *option, *argument;
    } policy[ALTPICK_POLICY_ARGUMENTS_MAX];
    size_t n_policy;

    char **operands; /* what is no option */
    size_t n_operands;
};

/* The policy of a command, and the profile whose decisions are the incumbents of a last tie-break.
 */
struct altpick_wishes {
    struct altpick_policy policy;
    struct altpick_profile previous;   /* no machines without --previous */
    struct altpick_choices incumbents; /* what it decides; policy.previous points there */
};

/*
 * Parse @argv, whose first element is the command's name and is skipped, taking the options of
 * @groups.  Reorders @argv.  ALTPICK_EUSAGE and a message when it is wrong.
 */
int altpick_options_parse(int argc, char **argv, unsigned groups,
                          struct altpick_options *ret_options, struct altpick_diag *diag);

/* Print the options of @groups for people. */
void altpick_options_print(unsigned groups, struct altpick_out *out);

/* Defaults, then the policy file, then the options; and the profile of --previous. */
int altpick_wishes_read(const struct altpick_options *options, struct altpick_wishes *ret_wishes,
                        struct altpick_diag *diag);
void altpick_wishes_fini(struct altpick_wishes *wishes);

#endif
