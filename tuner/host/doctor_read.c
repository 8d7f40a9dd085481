/* SPDX-License-Identifier: MIT */
/* Turns files of the kernel into facts about this machine; a file that is missing is a fact, too.
 */
#include "doctor.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LIST_LINE_MAX = 1024 };

bool altpick_doctor_read_line(char *ret_line, size_t capacity, const char *root, const char *format,
                              ...)
{
    char path[PATH_MAX];
    size_t n = (size_t) snprintf(path, sizeof path, "%s/", root);
    va_list args;
    FILE *f;

    ret_line[0] = '\0';
    if (n >= sizeof path)
        return false;
    va_start(args, format);
    n += (size_t) vsnprintf(path + n, sizeof path - n, format, args);
    va_end(args);
    f = n < sizeof path ? fopen(path, "re") : NULL;
    if (!f)
        return false;
    if (!fgets(ret_line, (int) capacity, f))
        ret_line[0] = '\0';
    fclose(f);
    ret_line[strcspn(ret_line, "\n")] = '\0';
    return true;
}

static void read_cpus(const char *root, const char *path, struct altpick_doctor_cpus *ret_cpus)
{
    char line[LIST_LINE_MAX];

    *ret_cpus = (struct altpick_doctor_cpus){0};
    if (altpick_doctor_read_line(line, sizeof line, root, "%s", path))
        altpick_doctor_cpus_parse(line, ret_cpus);
}

/* Kernels before 5.0 have only the older name. */
static void read_threads(const char *root, int cpu, struct altpick_doctor_cpus *ret_threads)
{
    char line[LIST_LINE_MAX];

    *ret_threads = (struct altpick_doctor_cpus){0};
    if (altpick_doctor_read_line(line, sizeof line, root,
                                 "devices/system/cpu/cpu%d/topology/core_cpus_list", cpu) ||
        altpick_doctor_read_line(line, sizeof line, root,
                                 "devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
        altpick_doctor_cpus_parse(line, ret_threads);
}

void altpick_doctor_read(const struct altpick_doctor_roots *roots, int cpu,
                         struct altpick_doctor_system *ret_system)
{
    read_cpus(roots->sys, "devices/system/cpu/online", &ret_system->online);
    read_cpus(roots->sys, "devices/cpu_core/cpus", &ret_system->core);
    read_cpus(roots->sys, "devices/cpu_atom/cpus", &ret_system->atom);
    read_threads(roots->sys, cpu, &ret_system->threads);
    altpick_doctor_read_line(ret_system->clocksource, sizeof ret_system->clocksource, roots->sys,
                             "devices/system/clocksource/clocksource0/current_clocksource");
    altpick_doctor_read_line(ret_system->governor, sizeof ret_system->governor, roots->sys,
                             "devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
    altpick_doctor_read_quota(roots, &ret_system->quota);
}
