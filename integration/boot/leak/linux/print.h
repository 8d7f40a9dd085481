/* SPDX-License-Identifier: MIT */
/* What a run of scenes found, as text and as JSON. */
#ifndef ALTPICK_LEAK_LINUX_PRINT_H
#define ALTPICK_LEAK_LINUX_PRINT_H

#include "scene.h"

/* One run of altpick-leak. */
struct altpick_leak_report {
    const struct altpick_leak *leak;
    int cpus[2]; /* see struct altpick_scene_run */
    struct {
        const struct altpick_scene *scene; /* NULL: was not asked for */
        struct altpick_scene_result *result;
    } played[ALTPICK_SCENES];
};

/* Exit status: 0 clean, 1 a leak was found, 3 a scene could not be played. */
int altpick_leak_report_status(const struct altpick_leak_report *report);

/* What is looked at and what cannot be. */
void altpick_leak_print_start(struct altpick_out *out, const struct altpick_leak_report *report);

/* One line for scene @i, and what it found. */
void altpick_leak_print_scene(struct altpick_out *out, const struct altpick_leak_report *report,
                              unsigned i);

/* The result in one line. */
void altpick_leak_print_end(struct altpick_out *out, const struct altpick_leak_report *report);

/* All of it. */
void altpick_leak_print_json(struct altpick_out *out, const struct altpick_leak_report *report);

#endif
