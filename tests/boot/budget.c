/* SPDX-License-Identifier: MIT */
/*
 * What a probe at boot takes for nop.fill.64 and refcount, from cold, in ring 3: the same code as
 * in ring 0 but for taking the CPU over.
 *
 *   budget [MICROSECONDS [RUNS]]
 *
 * Prints the time of the runs and how often each choice that displaced a default was made.
 */
#define _GNU_SOURCE
#include "altpick/boot.h"
#include "altpick/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { US = 5000, RUNS = 100, RUNS_MAX = 1000, CHOICES_MAX = 64, CALIBRATION_MS = 50 };

struct tally {
    char item[64], candidate[64];
    unsigned displaced, other;
};

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static uint64_t tsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return low | (uint64_t) high << 32;
}

static uint64_t tsc_hz(void)
{
    uint64_t start_ns = now_ns(), start = tsc();

    while (now_ns() - start_ns < CALIBRATION_MS * UINT64_C(1000000))
        ;
    return (tsc() - start) * 1000000000u / (now_ns() - start_ns);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

    return (x > y) - (x < y);
}

static void count(struct tally *tally, size_t n, const struct altpick_boot *boot)
{
    for (size_t i = 0; i < n; i++) {
        const struct altpick_boot_choice *choice = &boot->choices[i];

        if (!choice->displaced)
            continue;
        if (!tally[i].displaced)
            snprintf(tally[i].candidate, sizeof tally[i].candidate, "%s", choice->candidate);
        if (strcmp(tally[i].candidate, choice->candidate) == 0)
            tally[i].displaced++;
        else
            tally[i].other++;
    }
}

static void print(const uint64_t *us, unsigned runs, unsigned late, const struct altpick_boot *boot,
                  const struct tally *tally)
{
    printf("us: median %llu, 95 %% %llu, most %llu of %u; over the budget and a step: %u\n",
           (unsigned long long) us[runs / 2], (unsigned long long) us[runs * 95 / 100],
           (unsigned long long) us[runs - 1], runs, late);
    for (size_t i = 0; i < boot->n_choices && i < CHOICES_MAX; i++) {
        if (tally[i].displaced)
            printf("%s: %s in %u runs, another in %u, the default in %u\n", tally[i].item,
                   tally[i].candidate, tally[i].displaced, tally[i].other,
                   runs - tally[i].displaced - tally[i].other);
    }
}

static int probe(struct altpick_boot_options *options, unsigned runs)
{
    static uint64_t us[RUNS_MAX];
    static struct tally tally[CHOICES_MAX];
    struct altpick_boot boot = {0};
    uint64_t budget_ticks = options->budget_us * (options->tsc_hz / 1000000);
    unsigned late = 0;

    for (unsigned i = 0; i < runs; i++) {
        uint64_t start = now_ns();
        int r = altpick_boot_probe(options, &boot);

        us[i] = (now_ns() - start) / 1000;
        if (r < 0) {
            printf("run %u: %s\n", i, altpick_err_text(r));
            return 1;
        }
        late += boot.spent_ticks > budget_ticks + boot.step_ticks;
        for (size_t k = 0; k < boot.n_choices && k < CHOICES_MAX; k++)
            snprintf(tally[k].item, sizeof tally[k].item, "%s", boot.choices[k].item);
        count(tally, boot.n_choices < CHOICES_MAX ? boot.n_choices : CHOICES_MAX, &boot);
    }
    qsort(us, runs, sizeof *us, by_value);
    print(us, runs, late, &boot, tally);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct altpick_question *questions[2];
    struct altpick_boot_options options = {.questions = questions, .n_questions = 2};
    unsigned runs = argc > 2 ? (unsigned) strtoul(argv[2], NULL, 10) : RUNS;

    questions[0] = altpick_question_find("nop.fill.64");
    questions[1] = altpick_question_find("refcount");
    options.budget_us = argc > 1 ? (uint32_t) strtoul(argv[1], NULL, 10) : US;
    options.tsc_hz = tsc_hz();
    options.memory_bytes = altpick_boot_memory_bytes(&options);
    options.memory = malloc(options.memory_bytes);
    options.code_bytes = altpick_boot_code_bytes(&options) * 4;
    options.code = mmap(NULL, options.code_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (!options.memory || options.code == MAP_FAILED || runs == 0 || runs > RUNS_MAX) {
        puts("budget: no memory, or a number of runs that is none");
        return 1;
    }
    memset(options.memory, 0xa5, options.memory_bytes);
    printf("memory: %zu bytes, %zu of code\n", options.memory_bytes, options.code_bytes);
    return probe(&options, runs);
}
