/* SPDX-License-Identifier: MIT */
/* Facts about the machine that only an operating system can tell. */
#include "machine.h"

#include "altpick/result.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel's own view; 0 where it says nothing (containers, translators). */
static uint32_t read_microcode(void)
{
    static const char key[] = "microcode";
    char line[512];
    uint32_t revision = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");

    if (!f)
        return 0;
    while (revision == 0 && fgets(line, sizeof line, f)) {
        const char *value = strchr(line, ':');

        if (value && strncmp(line, key, strlen(key)) == 0)
            revision = (uint32_t) strtoul(value + 1, NULL, 16);
    }
    fclose(f);
    return revision;
}

void altpick_machine_identify(struct altpick_machine *machine)
{
    struct altpick_cpu *cpu = &machine->cpu;

    altpick_cpu_read(&altpick_cpuid_native, cpu);
    cpu->microcode = read_microcode();
    altpick_machine_describe(machine, 3);
}

void altpick_machine_warn(struct altpick_machine *machine, const char *format, ...)
{
    va_list args;

    if (machine->n_warnings == ALTPICK_WARNINGS_MAX)
        return;
    va_start(args, format);
    vsnprintf(machine->warnings[machine->n_warnings++], ALTPICK_REASON_MAX, format, args);
    va_end(args);
}

int altpick_machine_pin(int cpu)
{
    cpu_set_t set;

    if (cpu < 0) {
        if (sched_getaffinity(0, sizeof set, &set) != 0)
            return -errno;
        for (int i = 0; i < CPU_SETSIZE; i++) {
            if (CPU_ISSET((size_t) i, &set))
                cpu = i;
        }
    }
    CPU_ZERO(&set);
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return -EINVAL;
    CPU_SET((size_t) cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : -errno;
}

uint64_t altpick_machine_xcr0_usable(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };

    if (syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0)
        return UINT64_MAX;
    return ~(uint64_t) ALTPICK_XCR0_TILE;
}

uint64_t altpick_machine_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}
