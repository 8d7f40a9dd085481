/* SPDX-License-Identifier: MIT */
/* CPUs known from figures of others, in the form that a probe gives: machines with costs. */
#ifndef ALTPICK_PROBES_KNOWN_H
#define ALTPICK_PROBES_KNOWN_H

#include "altpick/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who a known CPU is.  Texts are static. */
struct altpick_known {
    const char *name;    /* "K15_Zambezi8C" */
    const char *names;   /* of all that was merged, with spaces between them */
    const char *brands;  /* all different ones, with "; " between them; may be "" */
    const char *thread;  /* of the claim that it belongs to, or NULL */
    uint32_t figures;    /* how many pieces of code have one */
    uint32_t sources;    /* dumps, or rows of a table, that were merged */
    bool full_signature; /* signature, model and stepping are known, not the family alone */
};

/* CPUs of published dumps first, then those of threads; the order is that of the tables. */
size_t altpick_known_count(void);

/*
 * Who CPU @index is, for people in *ret_known (NULL: not asked for) and as a machine without
 * results, with a name that is unique among all known CPUs.
 */
void altpick_known_identify(size_t index, struct altpick_known *ret_known,
                            struct altpick_machine *ret_machine);

/*
 * What @measurement's code, a candidate of @question, costs on CPU @index, which is @machine: fills
 * its status, guarantees and costs.  In the dumps, a sequence of which only the single NOPs have
 * figures is estimated from them, and figures have an interval of at least a tenth of a cycle;
 * those of threads are exact to their digits.  What a CPU is known to lack is unsupported.
 */
void altpick_known_cost(size_t index, const struct altpick_machine *machine, const char *question,
                        struct altpick_measurement *measurement);

/*
 * Start *ret_result for @question on CPU @index, which is @machine: in which conditions there are
 * figures, without candidates.  False where nothing is published about @question.
 */
bool altpick_known_result(size_t index, const struct altpick_machine *machine,
                          const struct altpick_question *question,
                          struct altpick_result *ret_result);

#endif
