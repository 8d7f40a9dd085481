/* SPDX-License-Identifier: MIT */
/* Costs published for CPUs that we do not have, and what those of NOPs say of a NOP sequence. */
#ifndef ALTPICK_PROBES_PUBLISHED_H
#define ALTPICK_PROBES_PUBLISHED_H

#include "altpick/nop.h"
#include "altpick/policy.h"

#include <stddef.h>
#include <stdint.h>

/* 66..90 of 1..15 bytes, then 0F1F of 3..15 bytes. */
enum { ALTPICK_PUBLISHED_FORMS = 28 };

/* A published form. */
struct altpick_published_form {
    struct altpick_nop nop;
    int16_t toxic_on; /* index of the machine that suffers most, -1: toxic nowhere */
};

/* Core cycles of one NOP, many copies back to back, hot; in millionths; 0 in all three: absent. */
struct altpick_published_cost {
    uint32_t cycles_micro;          /* median of the dumps */
    uint32_t low_micro, high_micro; /* smallest and largest of the dumps */
};

/* One core type of one CPU: the dumps of equal vendor, signature and core type. */
struct altpick_published_machine {
    const char *vendor;
    const char *name;   /* of the first dump: "K15_Zambezi8C" */
    const char *names;  /* of all dumps, with spaces between them */
    const char *brand;  /* of the first dump that has one, else "" */
    const char *brands; /* all different ones, with "; " between them */
    uint32_t signature; /* CPUID leaf 1 EAX */
    char core;          /* 'P', 'E', or '-' where all cores are alike */
    uint8_t dumps;
    struct altpick_published_cost cost[ALTPICK_PUBLISHED_FORMS];
};

/*
 * A machine on which sequences of NOPs were timed as they are, in a thread about what to choose.
 * Figures are exact to their digits: low and high differ only where equal bytes were timed twice.
 */
enum { ALTPICK_SEED_COSTS_MAX = 16, ALTPICK_SEED_BYTES_MAX = 8 };

struct altpick_seed_machine {
    const char *name;   /* "AMD-F10h-2015" */
    const char *thread; /* of altpick claims: "nop-2015" */
    const char *source;
    const char *vendor;
    uint32_t family;
    uint8_t n_costs;
    struct {
        uint8_t code[ALTPICK_SEED_BYTES_MAX];
        uint8_t bytes;
        uint8_t count; /* rows with these bytes */
        struct altpick_published_cost cost;
    } cost[ALTPICK_SEED_COSTS_MAX];
};

/* Generated from published/seeds.tsv. */
extern const struct altpick_seed_machine altpick_seed_machines[];
extern const size_t altpick_seed_machine_count;

/*
 * A machine on which a thread timed other code, called by its candidate's name.  Costs are medians
 * of the shots; one figure without shots is exact to its digits.
 */
enum { ALTPICK_THREAD_NOTES_MAX = 4 };

struct altpick_thread_cost {
    const char *question, *candidate;
    enum altpick_condition condition;
    uint32_t count; /* shots */
    uint64_t cycles_micro, low_micro, high_micro;
};

/* What code guarantees there besides what its candidate does everywhere. */
struct altpick_thread_promise {
    const char *question, *candidate;
    uint64_t guarantees; /* bit n: enum altpick_guarantee n */
};

struct altpick_thread_machine {
    const char *name;   /* "PIII-800-2002" */
    const char *thread; /* of altpick claims: "fpu-init-2002" */
    const char *source;
    const char *vendor, *brand; /* "" where the thread does not tell */
    uint32_t family;            /* displayed; 0: the thread does not tell */
    uint32_t ring;
    uint64_t features; /* bit n: enum altpick_cpu_feature n */
    uint64_t xcr0;
    const char *notes[ALTPICK_THREAD_NOTES_MAX];   /* what its figures are; NULL after the last */
    const struct altpick_thread_promise *promises; /* n_promises of them */
    size_t n_promises;
    const struct altpick_thread_cost *costs; /* n_costs of them */
    size_t n_costs;
};

/* Generated from published/threads.tsv. */
extern const struct altpick_thread_machine altpick_thread_machines[];
extern const size_t altpick_thread_machine_count;

/* Both are generated from published/nops.tsv. */
extern const struct altpick_published_form altpick_published_forms[ALTPICK_PUBLISHED_FORMS];
extern const struct altpick_published_machine altpick_published_machines[];
extern const size_t altpick_published_machine_count;

/*
 * The published form whose figures stand for @nop, the one of equal opcode, length and number of
 * prefixes (66 2E counts as 66 66): an index into altpick_published_forms, or -1.
 */
int altpick_published_form(const struct altpick_nop *nop);

/*
 * What other CPUs say of a sequence of NOPs.  TOXIC when any of its parts costs more than twice and
 * more than one cycle above the best published filling of the same bytes on some core, UNKNOWN when
 * a part is no NOP or not published.  Default policies ask it.
 */
altpick_elsewhere_of altpick_nop_elsewhere;

#endif
