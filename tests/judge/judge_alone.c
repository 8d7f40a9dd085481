/* SPDX-License-Identifier: MIT */
/*
 * Whether this core is ours alone: what independent instructions cost in units of a chain of them.
 * A thread on the same physical core takes throughput and leaves the latency of a chain as it is,
 * also where a hypervisor hides that two CPUs share a core.  Plain code that owes nothing to the
 * program's own ruler, beside which it looks for some microseconds in each millisecond, until its
 * input ends.  Prints what nine of ten looks stayed below.
 */
#include "machine.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <x86intrin.h>

enum { WINDOWS_MAX = 65536, IN_A_ROW = 4 };

/* 20,000 of each: some microseconds, rarely interrupted. */
#define TWENTY_THOUSAND(insn) "mov $200, %%ecx\n1: .rept 100\n" insn "\n.endr\ndec %%ecx\njnz 1b"

static uint64_t independent(void)
{
    uint64_t start = __rdtsc();

    __asm__ volatile("lfence\n" TWENTY_THOUSAND("nop") "\nlfence" ::: "ecx", "cc", "memory");
    return __rdtsc() - start;
}

static uint64_t chained(void)
{
    uint64_t start = __rdtsc();

    __asm__ volatile("lfence\n" TWENTY_THOUSAND("add $1, %%eax") "\nlfence" ::
                         : "eax", "ecx", "cc", "memory");
    return __rdtsc() - start;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *) a, right = *(const double *) b;

    return (left > right) - (left < right);
}

/* Whether the reader still wants to know, a millisecond later. */
static bool wanted(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&input, 1, 1) == 0;
}

int main(void)
{
    static double ratios[WINDOWS_MAX];
    size_t n = 0;

    altpick_machine_pin(-1); /* where the program measures */
    do {
        for (size_t i = 0; i < IN_A_ROW && n < WINDOWS_MAX; i++)
            ratios[n++] = (double) independent() / (double) chained();
    } while (wanted());
    qsort(ratios, n, sizeof *ratios, by_value);
    printf("%.5f\n", ratios[n * 9 / 10]);
    return 0;
}
