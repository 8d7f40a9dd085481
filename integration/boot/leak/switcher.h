/* SPDX-License-Identifier: MIT */
/*
 * Two owners of extended state on one CPU and the switch between them, as a small kernel has it:
 * what altpick-leak checks where there is no operating system, and where planted leaks are real.
 */
#ifndef ALTPICK_LEAK_SWITCHER_H
#define ALTPICK_LEAK_SWITCHER_H

#include "leak.h"

/* The caller's memory; testers are set up by altpick_leak_init_like() without a plant. */
struct altpick_leak_switcher {
    struct altpick_leak *first, *second; /* testers of the two owners */
    struct altpick_leak *planter;        /* a tester with the plant, or without */
    uint8_t *first_area, *second_area;   /* where the switch saves: areas */
    const char *scene;
    void (*between)(void *ctx); /* runs while the second owner's state is present; NULL: nothing */
    void *ctx;
};

/*
 * Switch from the first owner (1) to the second (2, in every third round the initial state) and
 * back, each with states of @round, and look after each switch.  Returns how many registers held
 * what they should not.  The caller's x87 and vector state is initial afterwards.
 */
unsigned altpick_leak_switch_round(const struct altpick_leak_switcher *switcher, uint32_t round);

#endif
