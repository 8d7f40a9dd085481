/* SPDX-License-Identifier: MIT */
/* CPUs with published figures: found by name or signature, made into profiles. */
#ifndef ALTPICK_HOST_KNOWN_FIND_H
#define ALTPICK_HOST_KNOWN_FIND_H

#include "altpick/err.h"
#include "altpick/profile.h"

#include <stddef.h>

/*
 * The one known CPU that @text names: by its machine name or the name of a dump,
 * case-insensitively; by signature ("00600f12", "21-1-2"); or by a part of a name or brand that
 * only one has. ALTPICK_ENOFIT and a message with at most ten names when there is none or more than
 * one.
 */
int altpick_known_find(const char *text, size_t *ret_index, struct altpick_diag *diag);

/*
 * A profile of the known CPUs that @names name, each once, in their order.  Freed with
 * altpick_profile_fini().
 */
int altpick_known_profile(char *const *names, size_t n, struct altpick_profile *ret_profile,
                          struct altpick_diag *diag);

/* Machine @index of all known CPUs, with its results; freed with altpick_known_machine_fini(). */
int altpick_known_machine(size_t index, struct altpick_machine *ret_machine,
                          struct altpick_diag *diag);
void altpick_known_machine_fini(struct altpick_machine *machine);

#endif
