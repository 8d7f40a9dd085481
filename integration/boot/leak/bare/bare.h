/* SPDX-License-Identifier: MIT */
/*
 * altpick-leak where there is no operating system: the layer below (firmware, a former guest, the
 * hypervisor) and interrupts are who could leave or change registers.  What the ELF image and the
 * UEFI program share; each gives it a sink, a timer and memory.
 */
#ifndef ALTPICK_LEAK_BARE_H
#define ALTPICK_LEAK_BARE_H

#include "leak.h"

/* Who holds states here; leak.h's owners. */
enum altpick_bare_owner {
    ALTPICK_BARE_FIRST = 1, /* switcher.h */
    ALTPICK_BARE_SECOND,
    ALTPICK_BARE_HANDLER, /* of interrupts */
    ALTPICK_BARE_FORMER,  /* who ran before this program: planted at entry only */
};

/* The state that a program was started with. */
struct altpick_bare_entry {
    _Alignas(64) uint8_t fx[576]; /* FXSAVE64, and FNSTENV at 464; before FNINIT */
    _Alignas(64) uint8_t rest[ALTPICK_XSTATE_BYTES_MAX]; /* XSAVE64, as soon as XCR0 allows it */
};

/* What a form gives. */
struct altpick_bare {
    struct altpick_out *out;
    const char *words; /* "plant=switch:ymm rounds=100"; "": none */
    const struct altpick_bare_entry *entry;
    const struct altpick_xstate *xstate;
    uint8_t *memory; /* altpick_bare_memory_bytes(), aligned to 64 */
    uint64_t tsc_hz; /* 0: unknown */
    bool interrupts; /* are on all the time; else only while a timer is waited for */

    /* Begin and end ticks, which call altpick_bare_tick(); false where there is no timer. */
    bool (*timer_start)(void *ctx);
    void (*timer_stop)(void *ctx);
    void *ctx;

    /* Services of firmware, which may change what its calling convention lets it. */
    const struct altpick_bare_service *services;
    unsigned n_services;
};

struct altpick_bare_service {
    const char *name; /* constant */
    void (*call)(void *ctx);
};

/* What came out. */
enum altpick_bare_result {
    ALTPICK_BARE_CLEAN,
    ALTPICK_BARE_LEAK,
    ALTPICK_BARE_NOT_TESTED, /* something could not be tried, and nothing was found */
    ALTPICK_BARE_USAGE,      /* words that are wrong: the sink says which */
};

/* To be the first thing that touches state.  Needs CR4.OSFXSR; CR0.EM and TS clear. */
void altpick_bare_see_entry(struct altpick_bare_entry *ret_entry);

/* Then, behind boot_xstate_enable(): which components there are, and all of them. */
void altpick_bare_see_rest(struct altpick_bare_entry *entry, struct altpick_xstate *ret_xstate);

size_t altpick_bare_memory_bytes(const struct altpick_xstate *xstate);

/*
 * Try everything and report it.  XCR0 is as @bare->xstate says.  x87 and vector state is initial
 * afterwards.
 */
enum altpick_bare_result altpick_bare_run(const struct altpick_bare *bare);

/* A tick of the form's timer: to be called by its handler, which changes no vector register. */
void altpick_bare_tick(void);

/* --- what makes the layer below run (exits.c) ------------------------------------------------- */

struct altpick_bare_exit {
    const char *name;
    const char *what;
    void (*act)(void *ctx);
    bool (*is_here)(void); /* NULL: always */
};

enum { ALTPICK_BARE_EXITS = 9 };
extern const struct altpick_bare_exit altpick_bare_exits[ALTPICK_BARE_EXITS];

/* --- words (words.c) -------------------------------------------------------------------------- */

struct altpick_bare_words {
    struct altpick_leak_plant plant; /* .where is ALTPICK_LEAK_NOWHERE without one */
    uint32_t rounds;                 /* of each scene: 1..100000 */
};

/* False for words that are wrong; @out says which. */
bool altpick_bare_words_read(const char *words, struct altpick_out *out,
                             struct altpick_bare_words *ret_words);

#endif
