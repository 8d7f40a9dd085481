/* SPDX-License-Identifier: MIT */
/* What the consumer's assembly and the engines of tests/sites share. */
#ifndef ALTPICK_TESTS_SITES_H
#define ALTPICK_TESTS_SITES_H

/* ALTPICK_TEST_LAYOUT is one of these; all but the last have the size of a record in them. */
#define LAYOUT_linux12 12
#define LAYOUT_linux13 13
#define LAYOUT_linux14 14
#define LAYOUT_xen14   114
#define LAYOUT_altpick 0

/* Features that a set may have are 3*32+1 to 3*32+4; ALWAYS is in every set. */
#define FEATURE(n) (3 * 32 + (n))
#define N_FEATURES 4
#if ALTPICK_TEST_LAYOUT == LAYOUT_xen14
#define ALWAYS (2 * 32 + 29)
#else
#define ALWAYS (3 * 32 + 21)
#endif

#ifndef __ASSEMBLER__
#include <stdint.h>

extern uint8_t __start_sites_text[], __stop_sites_text[]; /* all code that has sites */

/* engine.c: apply the linked table for a set of features: bit n is FEATURE(n + 1). */
void apply(unsigned set);
#endif

#endif
