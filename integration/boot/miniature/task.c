/* SPDX-License-Identifier: MIT */
/* Tasks: where they go on, what they save their state to, and references to what they share. */
#include "mini.h"

#include "altpick/site.h"
#include "port.h"

enum { CODE_SEGMENT = 8, DATA_SEGMENT = 16, INTERRUPTS_ON = 0x202, AREA_ALIGN = 64 };
enum { XSTATE_LEAF = 0xd, FXSAVE_BYTES = 512, EBX = 1 };

struct mini_task mini_tasks[MINI_TASKS];

static size_t area_bytes;
static uint32_t last_owner;
static unsigned references = 1; /* ours */

/* Tasks share one object: a reference a task, by sites. */
static void get_reference(void)
{
    unsigned result, report;

    ALTPICK_SITE_COUNT("refcount.inc", "lock; incl %a2", 40, &references, 1u, result, report);
    (void) result;
    if (report)
        mini_fail("a reference was made of nothing");
}

static void put_reference(void)
{
    unsigned is_last, report;

    ALTPICK_SITE_COUNT("refcount.dec_and_test", "lock; decl %a2\n\tsete %%al\n\tmovzbl %%al, %%eax",
                       40, &references, 1u, is_last, report);
    if (report || is_last)
        mini_fail("a reference too many was dropped");
}

unsigned mini_references(void)
{
    return references;
}

/* What CPUID says of the standard and of the compacted format, with XCR0 as it is. */
static size_t count_area_bytes(uint64_t xcr0)
{
    uint32_t standard[4], compacted[4];

    if (!xcr0)
        return FXSAVE_BYTES;
    boot_cpuid(XSTATE_LEAF, 0, standard);
    boot_cpuid(XSTATE_LEAF, 1, compacted);
    return standard[EBX] > compacted[EBX] ? standard[EBX] : compacted[EBX];
}

static void begin(struct mini_task *task)
{
    uintptr_t top = (uintptr_t) (task->stack + sizeof task->stack);
    struct boot_frame *frame = (struct boot_frame *) (top - 64) - 1;
    volatile uint8_t *area = task->area;

    for (size_t i = 0; i < area_bytes; i++)
        area[i] = 0;
    *frame = (struct boot_frame){
        .rdi = (uintptr_t) task,
        .rip = (uintptr_t) mini_task_run,
        .cs = CODE_SEGMENT,
        .rflags = INTERRUPTS_ON,
        .rsp = top - 8, /* as if it was called */
        .ss = DATA_SEGMENT,
    };
    task->frame = frame;
    task->has_state = task->is_filled = false;
    task->owner = ++last_owner;
    task->turns = 0;
    get_reference();
}

bool mini_tasks_start(const struct boot_info *info, uint64_t xcr0)
{
    area_bytes = count_area_bytes(xcr0);
    for (size_t i = 0; i < MINI_TASKS; i++) {
        mini_tasks[i].area = boot_memory_take(info, area_bytes, AREA_ALIGN);
        if (!mini_tasks[i].area)
            return false;
        begin(&mini_tasks[i]);
    }
    return true;
}

void mini_task_renew(struct mini_task *task)
{
    put_reference();
    begin(task);
}
