/* SPDX-License-Identifier: MIT */
/* Scenes: ways in which a Linux system could let bits of one task get into another. */
#ifndef ALTPICK_LEAK_LINUX_SCENE_H
#define ALTPICK_LEAK_LINUX_SCENE_H

#include "held.h"
#include "leak.h"

/* Who holds states; leak.h's owners. */
enum altpick_scene_owner {
    ALTPICK_SCENE_NOBODY,
    ALTPICK_SCENE_FIRST,
    ALTPICK_SCENE_SECOND,
    ALTPICK_SCENE_THIRD,
    ALTPICK_SCENE_HANDLER,
    ALTPICK_SCENE_NESTED,
    ALTPICK_SCENE_TRACER,
};
extern const char *const altpick_scene_owner_names[ALTPICK_LEAK_OWNERS + 1];

/* What one member of a scene found. */
struct altpick_scene_share {
    uint64_t times; /* how often what the scene is about happened */
    uint64_t looks;
    uint64_t used;   /* components in use where all should be initial, */
    uint32_t n_used; /* after so many looks */
    struct altpick_leak_findings findings;
};

/* In memory that all processes of a scene share. */
struct altpick_scene_result {
    struct altpick_scene_share share[ALTPICK_HELD_MEMBERS];
    struct altpick_held_board board;
    uint32_t round;   /* of a process that is traced */
    char cannot[160]; /* why the scene could not be played; "": it was */
};

struct altpick_scene;

struct altpick_scene_run {
    const struct altpick_scene *scene;
    const struct altpick_leak *leak;     /* a tester to set up others like it */
    struct altpick_scene_result *result; /* zeroed */
    int cpus[2];          /* the one that all run on, and another; -1: there is none */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC: when to come to an end */
};

struct altpick_scene {
    const char *name, *what;
    void (*play)(const struct altpick_scene_run *run);
    /* For crews: */
    void (*action)(void *held);
    uint8_t owners[ALTPICK_HELD_MEMBERS];
    uint8_t members;
    bool threads;
    bool moves; /* between two CPUs: where there is only one the scene is not essential */
    /* For signals: */
    bool on_stack, timer;
};

enum { ALTPICK_SCENES = 15 };
extern const struct altpick_scene altpick_scenes[ALTPICK_SCENES];

/*
 * Play @scene for about @ns nanoseconds in a process of its own, on this CPU.  Whatever happens to
 * that process, what it said so far is in @ret_result, which is the caller's and zeroed first.
 * @cpus: see struct altpick_scene_run.
 */
void altpick_scene_play(const struct altpick_scene *scene, const struct altpick_leak *leak,
                        const int cpus[2], uint64_t ns, struct altpick_scene_result *ret_result);

/* Whether @scene has such a place: what is planted elsewhere makes no leak in it. */
bool altpick_scene_has_place(const struct altpick_scene *scene, enum altpick_leak_where where);

/* How often what a scene is about happened. */
uint64_t altpick_scene_times(const struct altpick_scene_result *result);

/* Say why @run cannot be played; the first reason stays. */
__attribute__((format(printf, 2, 3))) void altpick_scene_cannot(const struct altpick_scene_run *run,
                                                                const char *format, ...);

/* A tester like run->leak, with findings in share @share.  Never freed: its process ends. */
struct altpick_leak *altpick_scene_tester(const struct altpick_scene_run *run, unsigned share);

/* Add what @leak counted to its share. */
void altpick_scene_count(const struct altpick_scene_run *run, unsigned share,
                         const struct altpick_leak *leak, uint64_t times);

/*
 * Wait for @child until some time after the run's deadline, then end it.  Says why the run cannot
 * be played where the child did not end by itself with status 0.
 */
void altpick_scene_wait(const struct altpick_scene_run *run, int child);

/* The plays. */
void altpick_scene_crew(const struct altpick_scene_run *run);
void altpick_scene_signals(const struct altpick_scene_run *run);
void altpick_scene_fork(const struct altpick_scene_run *run);
void altpick_scene_exec(const struct altpick_scene_run *run);
void altpick_scene_trace(const struct altpick_scene_run *run);
void altpick_scene_switch(const struct altpick_scene_run *run);

#endif
