/* SPDX-License-Identifier: MIT */
/* Whether this machine is fit to measure on: raw facts, and the findings that follow from them. */
#ifndef ALTPICK_HOST_DOCTOR_H
#define ALTPICK_HOST_DOCTOR_H

#include "altpick/cpu.h"
#include "altpick/err.h"
#include "altpick/out.h"
#include "altpick/trust.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_DOCTOR_CPUS_MAX = 1024, ALTPICK_DOCTOR_WORD_MAX = 32, ALTPICK_DOCTOR_PATH_MAX = 96 };

/* A set of CPUs; empty where it cannot be seen. */
struct altpick_doctor_cpus {
    uint64_t words[ALTPICK_DOCTOR_CPUS_MAX / 64];
};

/* A set as the kernel writes it: "0-3,8". */
struct altpick_doctor_list {
    char text[64];
};

void altpick_doctor_cpus_add(struct altpick_doctor_cpus *cpus, unsigned cpu);
bool altpick_doctor_cpus_has(const struct altpick_doctor_cpus *cpus, unsigned cpu);
unsigned altpick_doctor_cpus_count(const struct altpick_doctor_cpus *cpus);
/* Add what the kernel's list @text names, up to the first thing that is none. */
void altpick_doctor_cpus_parse(const char *text, struct altpick_doctor_cpus *cpus);
/* The list, or "none"; cut with ".." where it is too long. */
struct altpick_doctor_list altpick_doctor_cpus_text(const struct altpick_doctor_cpus *cpus);

/* Where the kernel's file systems are; a test has its own. */
struct altpick_doctor_roots {
    const char *sys, *proc, *cgroup;
};

/* The share of CPU time that a control group and those above it leave. */
struct altpick_doctor_quota {
    bool seen;                          /* the groups of this process can be looked at */
    uint64_t quota_us, period_us;       /* the tightest on the way up; quota_us 0: none */
    char file[ALTPICK_DOCTOR_PATH_MAX]; /* that says so, cut where it is longer */
};

/* What files tell.  Texts are empty where there is no such file. */
struct altpick_doctor_system {
    struct altpick_doctor_cpus online;
    struct altpick_doctor_cpus threads;    /* of the core that is measured on, itself included */
    struct altpick_doctor_cpus core, atom; /* the types of a hybrid processor */
    char clocksource[ALTPICK_DOCTOR_WORD_MAX];
    char governor[ALTPICK_DOCTOR_WORD_MAX];
    struct altpick_doctor_quota quota;
};

/* What system calls tell. */
struct altpick_doctor_kernel {
    struct altpick_doctor_cpus allowed; /* CPUs that this process may use */
    int cpu;                            /* pinned to this one, -1: to none */
    int pmu_errno; /* of opening a cycle counter; 0 where it could be read and advanced */

    /* From a walk over the CPUs that may be used, out and back, as far as time allowed. */
    struct altpick_doctor_cpus visited;
    struct altpick_doctor_cpus core, atom; /* types by CPUID */
    uint64_t backwards_ticks; /* the largest step back of the counter from one CPU to the next */
};

/* What timing compiled-in code tells; all zero where it says nothing. */
struct altpick_doctor_timing {
    bool measured;
    uint64_t tsc_hz;

    /* The canary, a block of single-byte NOPs, in short windows. */
    uint32_t windows, slow_windows; /* slow: a tenth slower than the best */
    uint64_t nop_best_micro;        /* cycles of one NOP */

    /* The ruler, a chain of adds: ticks of one, at the fastest and the slowest clock. */
    uint64_t add_least_micro, add_most_micro;
    uint32_t steps;             /* distinct clocks */
    uint32_t readings, changes; /* changes: readings at another clock than the one before */

    /* The counter, read again and again. */
    uint64_t scanned_ns, lost_ns, longest_ns;
    uint32_t gaps;
};

struct altpick_doctor_facts {
    struct altpick_cpu cpu;
    struct altpick_trust_verdict verdict;
    uint32_t quantum_ticks;
    bool backwards; /* the counter, on one CPU */
    struct altpick_doctor_system system;
    struct altpick_doctor_kernel kernel;
    struct altpick_doctor_timing timing;
};

/* Names are file format. */
#define ALTPICK_DOCTOR_LEVELS(X)                                                                   \
    X(OK, "ok")     /* as it should be */                                                          \
    X(NOTE, "note") /* costs time or precision, or cannot be seen */                               \
    X(BAD, "bad")   /* figures are no good, or few of them are decided */

enum altpick_doctor_level {
#define X(id, name) ALTPICK_DOCTOR_##id,
    ALTPICK_DOCTOR_LEVELS(X)
#undef X
        ALTPICK_N_DOCTOR_LEVELS
};

struct altpick_doctor_finding {
    const char *name; /* file format */
    enum altpick_doctor_level level;
    char found[1000];
    const char *means;  /* for the results */
    const char *remedy; /* NULL: nothing */
};

enum { ALTPICK_DOCTOR_FINDINGS_MAX = 16 };

const char *altpick_doctor_level_name(enum altpick_doctor_level level);

/* Read what files tell of @cpu, -1 for none in particular.  Missing files are no errors. */
void altpick_doctor_read(const struct altpick_doctor_roots *roots, int cpu,
                         struct altpick_doctor_system *ret_system);
void altpick_doctor_read_quota(const struct altpick_doctor_roots *roots,
                               struct altpick_doctor_quota *ret_quota);
/* The first line of a file below @root, named printf style; "" and false where there is none. */
__attribute__((format(printf, 4, 5))) bool altpick_doctor_read_line(char *ret_line, size_t capacity,
                                                                    const char *root,
                                                                    const char *format, ...);

/*
 * Walk over the CPUs that may be used, then pin this process to @cpu as altpick_machine_pin()
 * does.  Returns 0 or the negative errno of pinning.
 */
int altpick_doctor_ask_kernel(int cpu, struct altpick_doctor_kernel *ret_kernel);

/* Run the ruler, the canary and the scan of the counter, 0.4 s in all.  ALTPICK_ENOMEM. */
int altpick_doctor_time(struct altpick_doctor_timing *ret_timing);

/*
 * The arithmetic of that, apart from the clock.  Readings are in the order of time; those of the
 * canary are sorted afterwards in groups, those of the ruler as a whole.
 */
void altpick_doctor_count_slow(uint64_t *nop_micro, size_t n, struct altpick_doctor_timing *timing);
void altpick_doctor_count_steps(uint64_t *add_micro, size_t n,
                                struct altpick_doctor_timing *timing);

/* Judge: a pure function.  Returns the number of findings. */
size_t
altpick_doctor_judge(const struct altpick_doctor_facts *facts,
                     struct altpick_doctor_finding ret_findings[ALTPICK_DOCTOR_FINDINGS_MAX]);

/* For people, at most ALTPICK_LINE_COLUMNS wide; and for programs. */
void altpick_doctor_text(const struct altpick_doctor_facts *facts,
                         const struct altpick_doctor_finding *findings, size_t n,
                         struct altpick_out *out);
void altpick_doctor_json(const struct altpick_doctor_finding *findings, size_t n,
                         struct altpick_out *out);

#endif
