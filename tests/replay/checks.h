/* SPDX-License-Identifier: MIT */
/* What is checked by replay.  Each prints a line of figures and returns whether its bar was met. */
#ifndef ALTPICK_REPLAY_CHECKS_H
#define ALTPICK_REPLAY_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

/* The same bytes under two names: no winner in any of @runs. */
bool replay_check_same(size_t runs);

/* 20, 20, 22 and 25 equal instructions: the losers are found. */
bool replay_check_power(size_t runs);

#endif
