/* SPDX-License-Identifier: MIT */
/* Times compiled-in code and counts what came between: other clocks, other threads, lost time. */
#include "doctor.h"

#include "altpick/clock.h"
#include "altpick/estimate.h"
#include "machine.h"

#include <stdlib.h>

#define REPEAT(count, text) ".rept " #count "\n\t" text "\n\t.endr\n\t"

enum {
    WINDOWS_MS = 200, /* a neighbour's bursts last as long */
    SCAN_MS = 200,
    WINDOWS_MAX = 1 << 15,
    BLOCK = 1000,
    N_ADDS = 20 * BLOCK, /* 5 us: short against a change of the clock, long against its step */
    N_NOPS = 100 * BLOCK,
    SCAN_READINGS = 1000, /* of the counter between two looks at the other clock */
    GAP_NS = 1000,
    CANARY_GROUP = 15, /* as the canary of a probe */
    SLOW_PERCENT = 110,
    RULER_GROUP = 8,
    STEP_PERMILLE = 10, /* clocks that differ by less are one */
    RARE_SHARE = 64,    /* clocks seen less often than that are an interrupt's work */
};

/* Not an immediate add, which newer cores remove at rename. */
static void run_adds(void)
{
    uint64_t sum = 0;

    for (unsigned lap = 0; lap < N_ADDS / BLOCK; lap++)
        __asm__ volatile(REPEAT(1000, "add %1, %0") : "+r"(sum) : "r"((uint64_t) 1) : "cc");
}

static void run_nops(void)
{
    for (unsigned lap = 0; lap < N_NOPS / BLOCK; lap++)
        __asm__ volatile(REPEAT(1000, "nop"));
}

static uint64_t ticks_of(void (*run)(void))
{
    uint64_t start = altpick_clock_start();

    run();
    return altpick_clock_stop() - start;
}

/* The best is the lowest median of a group: the lowest reading may have met a disturbed ruler. */
static uint64_t best_of(uint64_t *values, size_t n)
{
    uint64_t best = UINT64_MAX;

    for (size_t i = 0; i + CANARY_GROUP <= n; i += CANARY_GROUP) {
        altpick_sort_u64(values + i, CANARY_GROUP);
        if (values[i + CANARY_GROUP / 2] < best)
            best = values[i + CANARY_GROUP / 2];
    }
    return best == UINT64_MAX ? 0 : best;
}

void altpick_doctor_count_slow(uint64_t *nop_micro, size_t n, struct altpick_doctor_timing *timing)
{
    timing->windows = (uint32_t) n;
    timing->slow_windows = 0;
    timing->nop_best_micro = best_of(nop_micro, n);
    for (size_t i = 0; i < n && timing->nop_best_micro; i++)
        timing->slow_windows += nop_micro[i] * 100 > timing->nop_best_micro * SLOW_PERCENT;
}

static bool is_higher(uint64_t value, uint64_t than)
{
    return value * 1000 > than * (1000 + STEP_PERMILLE);
}

/* An interrupt only ever adds: the least of a few neighbours.  Returns how many are left. */
static size_t least_of_groups(uint64_t *values, size_t n)
{
    size_t n_groups = n / RULER_GROUP;

    for (size_t i = 0; i < n_groups; i++) {
        uint64_t least = values[i * RULER_GROUP];

        for (size_t k = 1; k < RULER_GROUP; k++) {
            uint64_t value = values[i * RULER_GROUP + k];

            least = value < least ? value : least;
        }
        values[i] = least;
    }
    return n_groups;
}

void altpick_doctor_count_steps(uint64_t *add_micro, size_t n, struct altpick_doctor_timing *timing)
{
    n = least_of_groups(add_micro, n);
    timing->readings = (uint32_t) n;
    timing->steps = timing->changes = 0;
    timing->add_least_micro = timing->add_most_micro = 0;
    for (size_t i = 1; i < n; i++)
        timing->changes +=
            is_higher(add_micro[i], add_micro[i - 1]) || is_higher(add_micro[i - 1], add_micro[i]);

    altpick_sort_u64(add_micro, n);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && !is_higher(add_micro[end], add_micro[first]);)
            end++;
        if ((end - first) * RARE_SHARE < n)
            continue;
        if (timing->steps++ == 0)
            timing->add_least_micro = add_micro[first];
        timing->add_most_micro = add_micro[first + (end - first) / 2];
    }
}

/* The ruler and the canary in turn; the rate of the counter comes out as well. */
static int time_windows(struct altpick_doctor_timing *timing)
{
    uint64_t *add_micro = calloc(2 * WINDOWS_MAX, sizeof *add_micro);
    uint64_t *nop_micro = add_micro + WINDOWS_MAX;
    uint64_t start_ns = altpick_machine_now_ns(), start_ticks = altpick_clock_start(), ns, ticks;
    size_t n = 0;

    if (!add_micro)
        return ALTPICK_ENOMEM;
    do {
        uint64_t adds = ticks_of(run_adds), nops = ticks_of(run_nops);
        uint64_t ratio = altpick_ratio_micro(nops, N_NOPS, adds, N_ADDS);

        if (ratio > 0) { /* 0: no sample */
            add_micro[n] = adds * 1000000 / N_ADDS;
            nop_micro[n++] = ratio;
        }
        ns = altpick_machine_now_ns() - start_ns;
    } while (n < WINDOWS_MAX && ns < UINT64_C(1000000) * WINDOWS_MS);
    ticks = altpick_clock_start() - start_ticks;
    timing->tsc_hz = (uint64_t) ((double) ticks / (double) ns * 1e9);
    altpick_doctor_count_slow(nop_micro, n, timing);
    altpick_doctor_count_steps(add_micro, n, timing);
    free(add_micro);
    return ALTPICK_OK;
}

/* No fences: the closer the readings, the smaller the gaps that are seen. */
static uint64_t plain_rdtsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t) high << 32 | low;
}

/*
 * What /proc/stat does not show: an interrupt, another process and a host that took the CPU away
 * are all time in which the counter went on and this loop did not.
 */
static void scan_for_gaps(struct altpick_doctor_timing *timing)
{
    uint64_t start_ns = altpick_machine_now_ns();
    uint64_t gap_ticks = timing->tsc_hz / 1000000 * GAP_NS / 1000;
    uint64_t lost_ticks = 0, longest_ticks = 0;

    do {
        uint64_t before = plain_rdtsc();

        for (unsigned i = 0; i < SCAN_READINGS; i++) {
            uint64_t now = plain_rdtsc(), gap = now - before;

            before = now;
            if (gap < gap_ticks)
                continue;
            timing->gaps++;
            lost_ticks += gap;
            longest_ticks = gap > longest_ticks ? gap : longest_ticks;
        }
        timing->scanned_ns = altpick_machine_now_ns() - start_ns;
    } while (timing->scanned_ns < UINT64_C(1000000) * SCAN_MS);
    timing->lost_ns = (uint64_t) ((double) lost_ticks / (double) timing->tsc_hz * 1e9);
    timing->longest_ns = (uint64_t) ((double) longest_ticks / (double) timing->tsc_hz * 1e9);
}

int altpick_doctor_time(struct altpick_doctor_timing *ret_timing)
{
    struct altpick_doctor_timing timing = {0};
    int r = time_windows(&timing);

    if (r < 0)
        return r;
    if (timing.tsc_hz == 0)
        return ALTPICK_ENOCLOCK;
    scan_for_gaps(&timing);
    timing.measured = true;
    *ret_timing = timing;
    return ALTPICK_OK;
}
