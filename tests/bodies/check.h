/* SPDX-License-Identifier: MIT */
/* What the checks of emitted code work with. */
#ifndef ALTPICK_TEST_BODIES_CHECK_H
#define ALTPICK_TEST_BODIES_CHECK_H

#include "altpick/live.h"
#include "altpick/measure.h"
#include "altpick/question.h"
#include "emitted.h"

#include <stdbool.h>
#include <stdint.h>

struct check {
    struct altpick_cpu cpu;
    struct altpick_xstate xstate;
    struct altpick_live live;
    struct altpick_timer timer;
    struct altpick_plan plan;
    struct altpick_session *session;
    bool decided; /* what the question requires must hold here, too */
    int bad;
};

/* The candidate of @question called @name, or, without a name, that whose code and a return @code
 * is. */
bool find_candidate(const char *question, const char *name, const unsigned char *code,
                    struct altpick_candidate *ret);

/* Whether what can be seen of @requires, which must be something, holds after run @index. */
bool holds(const struct altpick_session *session, uint32_t index, uint64_t requires);

/* count.c: an operation on a reference counter, by its bytes and as a function. */
void check_count(struct check *check, const struct emitted_count *count);

#endif
