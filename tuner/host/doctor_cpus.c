/* SPDX-License-Identifier: MIT */
/* Turns the kernel's lists of CPUs into sets and back. */
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void altpick_doctor_cpus_add(struct altpick_doctor_cpus *cpus, unsigned cpu)
{
    if (cpu < ALTPICK_DOCTOR_CPUS_MAX)
        cpus->words[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

bool altpick_doctor_cpus_has(const struct altpick_doctor_cpus *cpus, unsigned cpu)
{
    return cpu < ALTPICK_DOCTOR_CPUS_MAX && cpus->words[cpu / 64] >> cpu % 64 & 1;
}

unsigned altpick_doctor_cpus_count(const struct altpick_doctor_cpus *cpus)
{
    unsigned n = 0;

    for (unsigned cpu = 0; cpu < ALTPICK_DOCTOR_CPUS_MAX; cpu++)
        n += altpick_doctor_cpus_has(cpus, cpu);
    return n;
}

void altpick_doctor_cpus_parse(const char *text, struct altpick_doctor_cpus *cpus)
{
    while (*text >= '0' && *text <= '9') {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;

        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (; first <= last && first < ALTPICK_DOCTOR_CPUS_MAX; first++)
            altpick_doctor_cpus_add(cpus, (unsigned) first);
        text = *end == ',' ? end + 1 : end;
    }
}

/* The last CPU of the run of neighbours that starts at @cpu. */
static unsigned end_of_run(const struct altpick_doctor_cpus *cpus, unsigned cpu)
{
    while (altpick_doctor_cpus_has(cpus, cpu + 1))
        cpu++;
    return cpu;
}

struct altpick_doctor_list altpick_doctor_cpus_text(const struct altpick_doctor_cpus *cpus)
{
    struct altpick_doctor_list list = {.text = ""};

    for (unsigned cpu = 0; cpu < ALTPICK_DOCTOR_CPUS_MAX; cpu++) {
        unsigned last;
        char run[16];

        if (!altpick_doctor_cpus_has(cpus, cpu))
            continue;
        last = end_of_run(cpus, cpu);
        snprintf(run, sizeof run, last > cpu ? "%s%u-%u" : "%s%u", list.text[0] ? "," : "", cpu,
                 last);
        if (strlen(list.text) + strlen(run) + sizeof ".." > sizeof list.text) {
            strcat(list.text, "..");
            break;
        }
        strcat(list.text, run);
        cpu = last;
    }
    if (!list.text[0])
        strcpy(list.text, "none");
    return list;
}
