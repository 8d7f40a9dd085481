/* SPDX-License-Identifier: MIT */
/* What the parts of the miniature share: README.md walks through them. */
#ifndef ALTPICK_MINIATURE_H
#define ALTPICK_MINIATURE_H

#include "altpick/out.h"
#include "altpick/output.h"
#include "info.h"
#include "trap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- options.c: the command line ----------------------------------------------------------------
 */

enum mini_force { MINI_FORCE_NOTHING, MINI_FORCE_2002, MINI_FORCE_LAZY_SKIP };

struct mini_options {
    uint32_t switches;  /* to run for: MINI_SWITCHES_MIN or more */
    uint32_t budget_us; /* of probing */
    bool lazy;          /* registers change hands at their first use */
    enum mini_force force;
    char pick_item[48], pick_candidate[32]; /* empty: nothing is picked */
};

/* Returns false, and says so, where a word of @line is not known. */
bool mini_options_read(const char *line, struct altpick_out *out, struct mini_options *ret_options);

/* --- decide.c: which code --------------------------------------------------------------------- */

/*
 * Probe, print the table, and return what sites get: static memory, with what @options pick or
 * force.  NULL, and it is said why, where there is nothing.  *ret_is_core: timings of this machine
 * are those of a CPU.
 */
const struct altpick_output *mini_decide(const struct boot_info *info,
                                         const struct mini_options *options, uint64_t tsc_hz,
                                         struct altpick_out *out, bool *ret_is_core);

/* --- poke.c: code that may not be written, and writing it ------------------------------------- */

/* The pages of the program's text, which are read-only from mini_text_protect() on. */
extern const char boot_image_start[], boot_text_end[];
bool mini_text_protect(void);

/* Write code.  As struct altpick_patcher wants it: @ctx is not used, and 0 is returned. */
int mini_text_poke(void *ctx, void *address, const uint8_t *bytes, size_t n);

/* --- sites.c: the sites of this program ------------------------------------------------------- */

/* Put @output into all sites, and say what became of each.  Returns false where that fails. */
bool mini_sites_patch(const struct altpick_output *output, struct altpick_out *out);

/* What code at the site of fpu.init.body works on. */
extern const void *mini_fpu_init_data;

/* --- sites.S: code with sites, as functions --------------------------------------------------- */

/* @has_xsave: whether the CPU has XSAVE and we have enabled it. */
void mini_fpu_init(const void *data, uint32_t has_xsave);
void mini_save(void *area, uint32_t has_xsave);
void mini_restore(const void *area, uint32_t has_xsave);

/* A trace point: 5 bytes of NOP, or a call of mini_trace_hit(), which counts. */
void mini_trace(void);
void mini_trace_hit(void);
extern const uint8_t mini_trace_site[];
extern uint64_t mini_trace_hits;

/* --- task.c, switch.c: tasks ------------------------------------------------------------------ */

enum { MINI_TASKS = 2, MINI_STACK_BYTES = 8192 };
enum { MINI_TRACE_FROM = 40, MINI_TRACE_TO = 60, MINI_SWITCHES_MIN = 100 }; /* of switches */

/* What a task has in its registers: as FXSAVE64 writes it, then what FXSAVE does not know. */
struct mini_state {
    _Alignas(64) uint8_t fx[512];
    uint8_t ymm[16 * 16];      /* bits 128 to 255 of ymm0 to ymm15 */
    uint8_t zmm[16 * 32];      /* bits 256 to 511 of zmm0 to zmm15 */
    uint8_t hi16_zmm[16 * 64]; /* zmm16 to zmm31 */
    uint8_t opmask[8 * 8];
};

struct mini_task {
    _Alignas(16) uint8_t stack[MINI_STACK_BYTES];
    struct mini_state has, sees; /* the task's own */
    struct boot_frame *frame;    /* where it goes on; the idle loop has only this */
    void *area;                  /* for mini_save(); NULL: uses no registers but general ones */
    bool has_state;              /* false: new, and has never had registers */
    volatile bool is_filled;     /* its registers name it: between a load and the next look */
    uint32_t owner;              /* its number, 1 and up: another one in each life */
    uint32_t turns;              /* in this life */
};

extern struct mini_task mini_tasks[MINI_TASKS];

/* Memory for what tasks save; the first life of all.  @xcr0: 0 without XSAVE.  False: no memory. */
bool mini_tasks_start(const struct boot_info *info, uint64_t xcr0);

/* End the life of @task, which does not run, and begin another on the same stack. */
void mini_task_renew(struct mini_task *task);

/* How many references there are to what tasks share. */
unsigned mini_references(void);

struct mini_counts {
    uint32_t switches, saves, restores, inits, nm, traced;
};
extern volatile struct mini_counts mini_counts;

/* Switch tasks by the timer until options->switches.  Returns false where there is no timer. */
bool mini_switch_run(const struct mini_options *options, bool has_xsave, uint64_t tsc_hz);

/* --- check.c, state.S: who sees whose state --------------------------------------------------- */

/* Which registers tasks use: 0 x87 and SSE, 1 AVX too, 2 AVX-512 too. */
extern uint32_t mini_vectors;

void mini_state_load(const struct mini_state *state, uint32_t vectors);
void mini_state_store(struct mini_state *state, uint32_t vectors);

/* What a task does for all its life.  Where it sees what is not its own, the program ends. */
_Noreturn void mini_task_run(struct mini_task *task);

extern volatile uint32_t mini_looks, mini_first_looks;

/* --- main.c ----------------------------------------------------------------------------------- */

/* Serial line and screen. */
struct altpick_out mini_console(void);

/* Say why it cannot go on, and leave. */
_Noreturn void mini_fail(const char *why);

/* The verdict, and the end: @failed says what went wrong, NULL: nothing did. */
_Noreturn void mini_end(const char *failed);

#endif
