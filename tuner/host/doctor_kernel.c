/* SPDX-License-Identifier: MIT */
/* Asks the kernel which CPUs may be used and what their counters do, and pins to one of them. */
#include "doctor.h"

#include "altpick/clock.h"
#include "machine.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WALK_MS = 100, PMU_SPINS = 10000, CORE_TYPE_ATOM = 0x20, CORE_TYPE_CORE = 0x40 };

static void read_allowed(struct altpick_doctor_cpus *ret_allowed)
{
    cpu_set_t set;

    *ret_allowed = (struct altpick_doctor_cpus){0};
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &set))
            altpick_doctor_cpus_add(ret_allowed, cpu);
    }
}

/* What is seen on the CPU that the walk has come to. */
static void look_around(struct altpick_doctor_kernel *kernel, unsigned cpu, uint64_t *last_ticks)
{
    struct altpick_cpu here;
    uint64_t ticks = altpick_clock_start();

    if (ticks<*last_ticks && * last_ticks - ticks> kernel->backwards_ticks)
        kernel->backwards_ticks = *last_ticks - ticks;
    altpick_doctor_cpus_add(&kernel->visited, cpu);
    altpick_cpu_read(&altpick_cpuid_native, &here);
    if (here.core_type == CORE_TYPE_CORE)
        altpick_doctor_cpus_add(&kernel->core, cpu);
    if (here.core_type == CORE_TYPE_ATOM)
        altpick_doctor_cpus_add(&kernel->atom, cpu);
    *last_ticks = altpick_clock_stop();
}

/*
 * Out and back, so that a counter that is ahead is left for one that is behind whatever the order.
 * Moving takes microseconds: smaller steps back are not seen.
 */
static void walk(struct altpick_doctor_kernel *kernel)
{
    uint64_t end_ns = altpick_machine_now_ns() + UINT64_C(1000000) * WALK_MS, last_ticks = 0;

    for (unsigned step = 0; step < 2 * ALTPICK_DOCTOR_CPUS_MAX; step++) {
        unsigned cpu =
            step < ALTPICK_DOCTOR_CPUS_MAX ? step : 2 * ALTPICK_DOCTOR_CPUS_MAX - 1 - step;

        if (!altpick_doctor_cpus_has(&kernel->allowed, cpu))
            continue;
        if (altpick_machine_now_ns() > end_ns)
            return;
        if (altpick_machine_pin((int) cpu) == 0)
            look_around(kernel, cpu, &last_ticks);
    }
}

/* A guest may be given a counter that stands still: read it twice. */
static int try_pmu(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_HW_CPU_CYCLES,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    uint64_t before = 0, after = 0;
    int r = 0;

    if (fd < 0)
        return errno;
    if (read((int) fd, &before, sizeof before) != sizeof before)
        r = EIO;
    for (volatile unsigned spin = 0; spin < PMU_SPINS;)
        spin = spin + 1;
    if (r == 0 && (read((int) fd, &after, sizeof after) != sizeof after || after <= before))
        r = EIO;
    close((int) fd);
    return r;
}

int altpick_doctor_ask_kernel(int cpu, struct altpick_doctor_kernel *ret_kernel)
{
    cpu_set_t whole;
    int r;

    *ret_kernel = (struct altpick_doctor_kernel){.cpu = -1};
    read_allowed(&ret_kernel->allowed);
    if (sched_getaffinity(0, sizeof whole, &whole) == 0) {
        walk(ret_kernel);
        sched_setaffinity(0, sizeof whole, &whole);
    }
    r = altpick_machine_pin(cpu);
    if (r == 0)
        ret_kernel->cpu = sched_getcpu();
    ret_kernel->pmu_errno = try_pmu();
    return r;
}
