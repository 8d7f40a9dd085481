/* SPDX-License-Identifier: MIT */
/* Measure this machine: a child process per question and batch, samples in shared memory. */
#ifndef ALTPICK_HOST_PROBE_H
#define ALTPICK_HOST_PROBE_H

#include "altpick/err.h"
#include "altpick/profile.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct altpick_probe_options {
    const char *only;       /* glob over question names; NULL: all */
    uint64_t time_limit_ms; /* whole probe, 0: the default */
    bool thorough;
    int cpu;                   /* pin to this one; -1: choose */
    uint32_t seed;             /* of layouts; 0: from the clock */
    uint32_t selftest_shuffle; /* permute bytes behind names of equal length; 0: off */
    const char *samples_path;  /* raw samples as TSV, NULL: none */
    bool boot_table; /* measure what a boot table has (boot_table.h), not what questions ask */

    /* Called now and then with the share done; NULL: silent. */
    void (*progress)(void *ctx, const char *what, unsigned percent);
    void *progress_ctx;
};

/* How long a probe with @options may take: what they say, or the default for what they ask. */
uint64_t altpick_probe_time_limit_ms(const struct altpick_probe_options *options);

/*
 * Measure this machine into a profile of one machine, freed with altpick_profile_fini().  In an
 * untrusted environment nothing emitted is executed, every cost is unmeasured, and the result is
 * ALTPICK_EUNTRUSTED with *ret_profile still set (its warnings say why).  Anything that degrades
 * the result without preventing it (no pinning, a busy sibling) is a warning in the profile.
 */
int altpick_probe_run(const struct altpick_probe_options *options,
                      struct altpick_profile *ret_profile, struct altpick_diag *diag);

#endif
