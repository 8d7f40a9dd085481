/* SPDX-License-Identifier: MIT */
/* Takes the CPU from one task and gives it to the next, at each interrupt of the timer. */
#include "mini.h"

#include "port.h"
#include "timer.h"

enum { TIMER_VECTOR = 0x40, NM_VECTOR = 7, PERIOD_US = 200 };
enum { TURNS_OF_A_LIFE = 12 };
enum { CALL_REL32 = 0xe8, CALL_BYTES = 5 };

#define CR0_TS UINT64_C(0x8)

static struct mini_task idle;             /* main(): waits for the last switch */
static struct mini_task *current = &idle; /* whose code runs */
static struct mini_task *registers_of;    /* lazy: whose state the registers hold, or NULL */
static const struct mini_options *wanted;
static uint32_t has_xsave;
volatile struct mini_counts mini_counts;

/* The registers become those of @task: its own as it left them or, if it is new, initial ones. */
static void give_registers(struct mini_task *task)
{
    if (task->has_state) {
        mini_restore(task->area, has_xsave);
        mini_counts.restores++;
    } else {
        mini_fpu_init(mini_fpu_init_data, has_xsave);
        mini_counts.inits++;
    }
    task->has_state = true;
}

static void keep_registers(struct mini_task *task)
{
    mini_save(task->area, has_xsave);
    mini_counts.saves++;
}

/* Eager: everything changes hands at once. */
static void switch_eagerly(struct mini_task *from, struct mini_task *to)
{
    if (from->area)
        keep_registers(from);
    if (to->area)
        give_registers(to);
}

static void set_ts(bool traps)
{
    uint64_t cr0;

    __asm__ volatile("movq %%cr0, %0" : "=r"(cr0));
    cr0 = traps ? cr0 | CR0_TS : cr0 & ~CR0_TS;
    __asm__ volatile("movq %0, %%cr0" : : "r"(cr0) : "memory");
}

/* Forced: #NM is lost where both tasks have something that can be seen. */
static bool loses_nm(const struct mini_task *to)
{
    return wanted->force == MINI_FORCE_LAZY_SKIP && to->is_filled && registers_of &&
           registers_of->is_filled;
}

/*
 * Lazy: the first use of registers that are not one's own raises #NM.  An operating system must not
 * do so on a CPU that runs ahead of that trap (CVE-2018-3665); altpick never decides it.
 */
static void switch_lazily(const struct mini_task *to)
{
    set_ts(to != registers_of && !loses_nm(to));
}

static struct boot_frame *on_nm(struct boot_frame *frame)
{
    __asm__ volatile("clts" : : : "memory");
    mini_counts.nm++;
    if (registers_of)
        keep_registers(registers_of);
    give_registers(current);
    registers_of = current;
    return frame;
}

/* Its registers go with it: nobody will ask for them again. */
static void renew(struct mini_task *task)
{
    mini_task_renew(task);
    if (registers_of == task)
        registers_of = NULL;
}

/* The tasks in turn, then idle. */
static struct mini_task *next(void)
{
    for (size_t i = 0; i < MINI_TASKS; i++) {
        if (current == &mini_tasks[i])
            return i + 1 < MINI_TASKS ? &mini_tasks[i + 1] : &idle;
    }
    return &mini_tasks[0];
}

/* Let mini_trace() call mini_trace_hit(), or do nothing, as it was decided that nothing is done. */
static void trace(bool on)
{
    static uint8_t nop[CALL_BYTES];
    uint8_t call[CALL_BYTES] = {CALL_REL32};
    uintptr_t end = (uintptr_t) mini_trace_site + CALL_BYTES;
    uint32_t distance = (uint32_t) ((uintptr_t) mini_trace_hit - end);

    for (unsigned i = 0; on && i < CALL_BYTES; i++)
        nop[i] = mini_trace_site[i];
    for (unsigned i = 0; i < 4; i++)
        call[1 + i] = (uint8_t) (distance >> 8 * i);
    mini_text_poke(NULL, (void *) (uintptr_t) mini_trace_site, on ? call : nop, CALL_BYTES);
    boot_cpuid(0, 0, (uint32_t[4]){0}); /* serialises */
}

static struct boot_frame *on_timer(struct boot_frame *frame)
{
    struct mini_task *to = next();

    boot_timer_acknowledge();
    if (mini_counts.switches >= wanted->switches && current == &idle)
        return frame; /* it ends it all */
    mini_counts.switches++;
    if (mini_counts.switches == MINI_TRACE_FROM || mini_counts.switches == MINI_TRACE_TO)
        trace(mini_counts.switches == MINI_TRACE_FROM);
    mini_trace();
    if (to != &idle && ++to->turns == TURNS_OF_A_LIFE)
        renew(to);
    current->frame = frame;
    if (wanted->lazy)
        switch_lazily(to);
    else
        switch_eagerly(current, to);
    current = to;
    return to->frame;
}

bool mini_switch_run(const struct mini_options *options, bool xsave, uint64_t tsc_hz)
{
    wanted = options;
    has_xsave = xsave;
    boot_trap_set(TIMER_VECTOR, on_timer);
    if (options->lazy)
        boot_trap_set(NM_VECTOR, on_nm);
    if (!boot_timer_start(TIMER_VECTOR, PERIOD_US, tsc_hz))
        return false;
    boot_interrupts_on();
    while (mini_counts.switches < options->switches || current != &idle)
        __asm__ volatile("hlt" : : : "memory");
    boot_interrupts_off();
    boot_timer_stop();
    set_ts(false);
    mini_counts.traced = (uint32_t) mini_trace_hits;
    return true;
}
