/* SPDX-License-Identifier: MIT */
/* The words of a boot program's command line. */
#ifndef ALTPICK_BOOT_FRONT_OPTIONS_H
#define ALTPICK_BOOT_FRONT_OPTIONS_H

#include "altpick/boot.h"
#include "altpick/out.h"

enum { ALTPICK_FRONT_QUESTIONS_MAX = 64 };

/*
 * Add to @options what @words say: words with spaces between, each at most once.
 *
 *   budget=US        wall time in microseconds, 0 (whatever it takes) to 4294967295
 *   only=GLOB[,GLOB] questions whose name matches one of them; '*' and '?' are special
 *   seed=N           0 (from the counter) to 4294967295
 *   xcr0=WHAT        state components to enable: "all", "as-is" or a hexadecimal mask
 *   rehearse         time candidates even where that says nothing, and discard it
 *
 * @questions has ALTPICK_FRONT_QUESTIONS_MAX elements and lives as long as @options: only= puts
 * there what it selects of options->questions (NULL: of all built-in ones).  Returns 0, or
 * ALTPICK_EUSAGE: a line on @out says which word is wrong and what is expected, and @options is
 * as it was.
 */
int altpick_front_options(const char *words, const struct altpick_question **questions,
                          struct altpick_boot_options *options, struct altpick_out *out);

#endif
