/* SPDX-License-Identifier: MIT */
/* How processes start: a forked child with its parent's state, a new program with the initial one.
 */
#include "scene.h"

#include "start_file.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TILES = 0x60000, WAIT_MS = 1000, PREFIX_BYTES = 64, AREA_ALIGN = 64 };
enum share { PARENT, CHILD };

static bool fork_round(const struct altpick_scene_run *run, struct altpick_held_fork *forking,
                       uint32_t round)
{
    int status = 0;

    forking->trial = (struct altpick_leak_trial){
        .scene = "fork",
        .holds = {ALTPICK_SCENE_FIRST,  (uint8_t) (round % ALTPICK_LEAK_GENERATIONS)},
        .other = {ALTPICK_SCENE_SECOND, 0                                           },
        .may_be_initial = TILES, /* Linux gives a child none */
        .action = altpick_held_fork,
        .ctx = forking,
    };
    forking->trial.wants = forking->trial.holds;
    altpick_leak_try(forking->leak, &forking->trial);
    if (forking->pid == 0) {
        altpick_scene_count(run, CHILD, forking->leak, 1);
        _exit(0);
    }
    if (forking->pid < 0) {
        altpick_scene_cannot(run, "fork: %s", strerror((int) -forking->pid));
        return false;
    }
    waitpid((pid_t) forking->pid, &status, 0);
    if (status != 0)
        altpick_scene_cannot(run, "a child ended with status 0x%x", (unsigned) status);
    return status == 0;
}

void altpick_scene_fork(const struct altpick_scene_run *run)
{
    struct altpick_held_fork forking = {
        .leak = altpick_scene_tester(run, PARENT),
        .of_child = &run->result->share[CHILD].findings,
    };
    uint32_t round = 0;

    while (altpick_held_now_ns() < run->deadline_ns && fork_round(run, &forking, round))
        round++;
    altpick_scene_count(run, PARENT, forking.leak, 0);
}

/* --- new programs ----------------------------------------------------------------------------- */

/* What the new program wrote: false where it is not all there. */
static bool read_area(int fd, uint8_t *to, size_t bytes)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    while (bytes > 0) {
        ssize_t n = poll(&ready, 1, WAIT_MS) == 1 ? read(fd, to, bytes) : 0;

        if (n <= 0)
            return false;
        to += n;
        bytes -= (size_t) n;
    }
    return true;
}

/* One new program, and a look at what it started with. */
struct starting {
    const struct altpick_scene_run *run;
    struct altpick_leak *leak;
    int file, ends[2]; /* the program, and a pipe from it */
    uint8_t *got;      /* what it writes */
};

static bool exec_round(const struct starting *starting, uint32_t round)
{
    struct altpick_leak *leak = starting->leak;
    const struct altpick_xstate *xstate = leak->xstate;
    const struct altpick_leak_trial start = {.scene = "exec"}; /* wants the initial state */
    uint64_t in_use;
    int status = 0, file = starting->file;
    bool is_whole;
    pid_t child = fork();

    if (child == 0) {
        const struct altpick_leak_trial trial = {
            .scene = "exec",
            .holds = {ALTPICK_SCENE_FIRST, (uint8_t) (round % ALTPICK_LEAK_GENERATIONS)},
            .action = altpick_held_exec,
            .ctx = &file,
        };

        altpick_leak_try(leak, &trial);
    }
    is_whole =
        child > 0 && read_area(starting->ends[0], starting->got, altpick_start_bytes(xstate));
    if (child > 0)
        waitpid(child, &status, 0);
    if (!is_whole || status != 0) {
        altpick_scene_cannot(starting->run, "a new program could not be run from memory");
        return false;
    }
    memcpy(&in_use, starting->got, sizeof in_use);
    in_use &= xstate->xcr0 & ~leak->always_used;
    if (xstate->has_xgetbv1 && in_use) {
        leak->used |= in_use;
        leak->n_used++;
    }
    memset(leak->seen, 0, altpick_leak_area_bytes(xstate));
    memcpy(leak->seen, starting->got + PREFIX_BYTES, xstate->bytes);
    altpick_leak_compare_all(leak, &start, leak->seen);
    return true;
}

/* What is planted at the start of the program: the image that it restores first; else NULL. */
static uint8_t *planted_image(const struct starting *starting)
{
    const struct altpick_leak_plant *plant = starting->leak->plant;
    uint8_t *image = aligned_alloc(AREA_ALIGN, altpick_leak_area_bytes(starting->leak->xstate));

    if (!plant || plant->where != ALTPICK_LEAK_ENTRY || !image) {
        free(image);
        return NULL;
    }
    altpick_leak_make(starting->leak->xstate, (struct altpick_leak_state){0, 0}, image);
    altpick_leak_plant_splice(starting->leak, ALTPICK_LEAK_ENTRY,
                              (struct altpick_leak_state){ALTPICK_SCENE_FIRST, 0}, image);
    return image;
}

void altpick_scene_exec(const struct altpick_scene_run *run)
{
    struct starting starting = {
        .run = run,
        .leak = altpick_scene_tester(run, PARENT),
        .got = malloc(altpick_start_bytes(run->leak->xstate)),
    };
    uint8_t *planted = planted_image(&starting);
    uint32_t round = 0;

    if (!starting.got || pipe(starting.ends) < 0) {
        altpick_scene_cannot(run, "pipe: %s", strerror(errno));
        return;
    }
    starting.file = altpick_start_file(run->leak->xstate, starting.ends[1], planted);
    free(planted);
    if (starting.file < 0) {
        altpick_scene_cannot(run, "no program in memory: %s", strerror(-starting.file));
        return;
    }
    while (altpick_held_now_ns() < run->deadline_ns && exec_round(&starting, round))
        round++;
    altpick_scene_count(run, PARENT, starting.leak, round);
}
