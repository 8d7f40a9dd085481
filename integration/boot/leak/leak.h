/* SPDX-License-Identifier: MIT */
/*
 * The extended state of a CPU filled so that every register tells its owner, and looked at later:
 * whether another owner's bits got there.  The part of altpick-leak that all its forms share:
 * freestanding, without memory of its own, without output but through a sink.
 *
 * A state belongs to an owner, 1 to ALTPICK_LEAK_OWNERS; 0 stands for the initial state, which is
 * nobody's.  An owner's states are told apart by a generation, so that an owner's own old bits are
 * not taken for its present ones.
 *
 * Code that runs between a restore and a look may not touch x87 or vector registers: compile it
 * with -mgeneral-regs-only, and call no library.
 */
#ifndef ALTPICK_LEAK_H
#define ALTPICK_LEAK_H

#include "altpick/out.h"
#include "altpick/xstate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ALTPICK_LEAK_NOBODY = 0, /* the initial state */
    ALTPICK_LEAK_OWNERS = 7,
    ALTPICK_LEAK_GENERATIONS = 32,
};

/* Whose state, and which of its states. */
struct altpick_leak_state {
    uint8_t owner;      /* 0..ALTPICK_LEAK_OWNERS */
    uint8_t generation; /* 0..ALTPICK_LEAK_GENERATIONS - 1; nothing for owner 0 */
};

/* --- parts: what is looked at (parts.c) ------------------------------------------------------- */

/* Registers of one kind.  Several parts may have one name: x87-pointers are three registers. */
struct altpick_leak_part {
    const char *name;          /* as in the guarantee no-leak:NAME, where there is one */
    const char *register_name; /* "ymm"; numbered unless it is the only one */
    uint8_t bit;               /* of XCR0 */
    uint8_t first_register;    /* the number of the first: 16 for zmm16 */
    uint8_t registers;         /* how many, at most 32 */
    uint8_t from;              /* the byte of the whole register at which the part begins */
    uint16_t offset;           /* in the legacy region (bits 0 and 1), or in the component */
    uint16_t stride, bytes;    /* of one register in the area */
    uint8_t tag_from;          /* bytes that are patterned; the rest is 0 */
    uint16_t tag_bytes;        /* 0: the part has fields of its own */
    uint16_t shows;            /* not 0: FNSTENV's copy of what an area has there */
};

enum { ALTPICK_LEAK_PARTS = 22 };
extern const struct altpick_leak_part altpick_leak_parts[ALTPICK_LEAK_PARTS];

/* Where register @index (from 0) of @part lies in an area. */
uint32_t altpick_leak_at(const struct altpick_xstate *xstate, const struct altpick_leak_part *part,
                         unsigned index);

/* Whether @xstate has @part. */
bool altpick_leak_has(const struct altpick_xstate *xstate, const struct altpick_leak_part *part);

/* --- patterns (pattern.c) --------------------------------------------------------------------- */

/*
 * Write an image to restore from in which every part of @xstate tells @state.  No exception is
 * unmasked.  @area: altpick_leak_area_bytes(), aligned to 64.
 */
void altpick_leak_make(const struct altpick_xstate *xstate, struct altpick_leak_state state,
                       uint8_t *area);

/* Bytes of an area: a multiple of 64 that holds a header even where the CPU has none. */
size_t altpick_leak_area_bytes(const struct altpick_xstate *xstate);

enum altpick_leak_whose {
    ALTPICK_LEAK_IS_OWNER,   /* some owner's */
    ALTPICK_LEAK_IS_INITIAL, /* the initial value */
    ALTPICK_LEAK_IS_UNKNOWN, /* no pattern of ours */
};

/*
 * Whose the bits of register @index of @part in @area are, as far as they differ from @expected
 * where @mask has ones.  *ret_owner is written for ALTPICK_LEAK_IS_OWNER.
 */
enum altpick_leak_whose altpick_leak_tell(const struct altpick_xstate *xstate,
                                          const struct altpick_leak_part *part, unsigned index,
                                          const uint8_t *area, const uint8_t *expected,
                                          const uint8_t *mask, uint8_t *ret_owner);

/* --- findings (compare.c) --------------------------------------------------------------------- */

enum { ALTPICK_LEAK_SAMPLE = 16, ALTPICK_LEAK_FINDINGS = 24 };

/* Registers of one part that held what they should not, in one scene, once or again and again. */
struct altpick_leak_finding {
    const char *scene;       /* constant */
    uint8_t part;            /* of altpick_leak_parts */
    uint8_t holder;          /* who looked */
    uint8_t expected;        /* whose bits should have been there */
    uint8_t whose;           /* enum altpick_leak_whose of what was there */
    uint8_t owner;           /* with ALTPICK_LEAK_IS_OWNER */
    uint32_t registers;      /* bit n: register first_register + n */
    uint16_t first, last;    /* bytes of a register in the area that differed: least, greatest */
    uint32_t count;          /* how many looks found it */
    uint8_t sample_register; /* of the first one: the register, */
    uint16_t sample_at;      /* the byte of it from which */
    uint8_t n_sample;        /* bytes are shown, */
    uint8_t seen[ALTPICK_LEAK_SAMPLE], wanted[ALTPICK_LEAK_SAMPLE];
};

struct altpick_leak_findings {
    uint32_t n;
    uint32_t lost; /* that did not fit */
    struct altpick_leak_finding finding[ALTPICK_LEAK_FINDINGS];
};

/* --- the tester (tester.c) -------------------------------------------------------------------- */

struct altpick_leak_plant;

/* One tester: of one task, used by it alone.  Everything pointed to is the caller's. */
struct altpick_leak {
    const struct altpick_xstate *xstate;
    struct altpick_leak_findings *findings;
    const struct altpick_leak_plant *plant;             /* NULL: nothing is planted */
    uint8_t *image, *wanted, *seen, *initial, *scratch; /* areas */
    uint8_t *mask;        /* an area: bits that a restore sets and a save shows */
    uint32_t visible;     /* bit n: altpick_leak_parts[n] can be looked at */
    bool has_environment; /* the area compared holds what FNSTENV stored, too */
    uint64_t in_use;      /* XINUSE at the end of the last trial; 0 where it cannot be read */
    uint64_t always_used; /* what it says right after a restore of the initial state */
    uint64_t used;        /* components in use after trials that should have left them initial */
    uint32_t n_used;      /* how many such trials */
    uint64_t looks;       /* comparisons made */
};

/* What altpick_leak_init() needs, aligned to 64. */
size_t altpick_leak_memory_bytes(const struct altpick_xstate *xstate);

/*
 * Set up @leak in @memory, and find out what can be seen here: states of several owners are
 * restored and saved with nothing between.  The caller's x87 and vector state is initial
 * afterwards.
 */
void altpick_leak_init(struct altpick_leak *leak, const struct altpick_xstate *xstate,
                       struct altpick_leak_findings *findings, uint8_t *memory);

/*
 * The same for one more tester of the CPU that @like was set up on, without looking again what
 * can be seen.
 */
void altpick_leak_init_like(struct altpick_leak *leak, const struct altpick_leak *like,
                            struct altpick_leak_findings *findings, uint8_t *memory);

/* A state held while something happens. */
struct altpick_leak_trial {
    const char *scene;               /* constant: names what happens */
    struct altpick_leak_state holds; /* restored before */
    struct altpick_leak_state wants; /* should be there after; mostly the same */
    struct altpick_leak_state other; /* whose state a plant leaves */
    uint64_t may_be_initial;         /* components that may be initial after, as well */
    void (*action)(void *ctx);       /* touches no x87 or vector register of its own */
    void *ctx;
};

/*
 * Restore, act, save, compare.  Returns how many registers held what they should not; what they
 * held is added to leak->findings.  The caller's x87 and vector state is initial afterwards.
 */
unsigned altpick_leak_try(struct altpick_leak *leak, const struct altpick_leak_trial *trial);

/* Compare what was saved in @area, and what FNSTENV stored there, with trial->wants; as below. */
unsigned altpick_leak_compare_all(struct altpick_leak *leak, const struct altpick_leak_trial *trial,
                                  uint8_t *area);

/*
 * Compare what was saved in @area, which is changed, with trial->wants.  Returns and notes the
 * same.
 */
unsigned altpick_leak_compare(struct altpick_leak *leak, const struct altpick_leak_trial *trial,
                              uint8_t *area);

/* Save the present state to @area; what it held before does not matter. */
void altpick_leak_save(const struct altpick_xstate *xstate, uint8_t *area);

/* Save the present state to leak->seen, compare that, and leave the state as it was. */
unsigned altpick_leak_look(struct altpick_leak *leak, const struct altpick_leak_trial *trial);

/* Make @state present, and leave it so. */
void altpick_leak_hold(struct altpick_leak *leak, struct altpick_leak_state state);

/* --- planted leaks (plant.c) ------------------------------------------------------------------ */

enum altpick_leak_where {
    ALTPICK_LEAK_NOWHERE,
    ALTPICK_LEAK_SWITCH,  /* a switch between tasks leaves the other's */
    ALTPICK_LEAK_HANDLER, /* a handler of a signal or an interrupt leaves its own */
    ALTPICK_LEAK_ENTRY,   /* a program starts with what was there before */
};

/* Which registers a planted leak leaves to whom they should not be. */
struct altpick_leak_plant {
    enum altpick_leak_where where;
    bool lazy;                              /* only where the task has not used any register */
    uint32_t registers[ALTPICK_LEAK_PARTS]; /* bit n: register n of the part */
};

/*
 * "switch:ymm", "handler:zmm16", "entry:all", "switch:lazy": a place, a colon, and the name of a
 * part, of a register, "x87" (all of it), "all", or, for switches, "lazy".  False for anything
 * else.
 */
bool altpick_leak_plant_parse(const char *text, struct altpick_leak_plant *ret_plant);

/* Whether some register that @plant leaves can be looked at where @leak was set up. */
bool altpick_leak_plant_shows(const struct altpick_leak *leak,
                              const struct altpick_leak_plant *plant);

/* The components that @plant leaves whole: a restore of the others is the same mistake. */
uint64_t altpick_leak_plant_components(const struct altpick_leak_plant *plant);

/*
 * Do it: put @other's registers into the present state if @leak has a plant there.  @held is the
 * state that was right.
 */
void altpick_leak_plant_apply(struct altpick_leak *leak, enum altpick_leak_where where,
                              struct altpick_leak_state held, struct altpick_leak_state other);

/*
 * The same to an image in memory, which is restored.  What only FNSTENV shows goes to where a
 * restore takes it from: its own place may be in use, as it is in frames of signals.
 */
void altpick_leak_plant_splice(struct altpick_leak *leak, enum altpick_leak_where where,
                               struct altpick_leak_state other, uint8_t *image);

/* The same to an area that was saved, FNSTENV's part and all, and is compared. */
void altpick_leak_plant_splice_seen(struct altpick_leak *leak, enum altpick_leak_where where,
                                    struct altpick_leak_state other, uint8_t *area);

/* --- words (report.c) ------------------------------------------------------------------------- */

/* @names: of owners 1.., for altpick_leak_finding.owner. */
void altpick_leak_say(struct altpick_out *out, const struct altpick_leak_finding *finding,
                      const char *const names[ALTPICK_LEAK_OWNERS + 1]);

/* "xmm3", "ymm0-ymm15", "k1 k3": the registers of a finding. */
void altpick_leak_say_registers(struct altpick_out *out,
                                const struct altpick_leak_finding *finding);

/* One line: what is looked at; further lines, if any: what cannot be looked at, and why. */
void altpick_leak_say_parts(struct altpick_out *out, const struct altpick_leak *leak);

/* Why @part cannot be looked at; NULL where it can. */
const char *altpick_leak_why_not(const struct altpick_leak *leak, unsigned part);

#endif
