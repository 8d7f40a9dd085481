/* SPDX-License-Identifier: MIT */
/* Finds the tightest quota of CPU time among the control groups of this process. */
#include "doctor.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = PATH_MAX + 256 };

/* A hierarchy of groups: version 2, or version 1 with the cpu controller. */
struct hierarchy {
    const char *root;
    const char *mount; /* below root; "": root itself */
    bool is_v2;
};

/* A quota, a period and where they stand; the smaller share wins. */
static void offer(struct altpick_doctor_quota *quota, uint64_t quota_us, uint64_t period_us,
                  const char *file)
{
    size_t n;

    if (quota_us == 0 || period_us == 0)
        return;
    if (quota->quota_us && (double) quota_us / (double) period_us >=
                               (double) quota->quota_us / (double) quota->period_us)
        return;
    file += *file == '/';
    n = strlen(file);
    quota->quota_us = quota_us;
    quota->period_us = period_us;
    if (n < sizeof quota->file)
        strcpy(quota->file, file);
    else /* the end says more than the beginning */
        snprintf(quota->file, sizeof quota->file, "..%s", file + n - (sizeof quota->file - 3));
}

/* "max 100000" and "-1" mean that there is none. */
static uint64_t number(const char *text)
{
    return text && text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : 0;
}

static void read_group_v2(const struct hierarchy *h, const char *group,
                          struct altpick_doctor_quota *quota)
{
    char line[64], file[LINE_MAX_BYTES];
    const char *period;

    if (!altpick_doctor_read_line(line, sizeof line, h->root, "%s%s/cpu.max", h->mount, group))
        return;
    period = strchr(line, ' ');
    snprintf(file, sizeof file, "%s%s/cpu.max", h->mount, group);
    offer(quota, number(line), number(period ? period + 1 : NULL), file);
}

static void read_group_v1(const struct hierarchy *h, const char *group,
                          struct altpick_doctor_quota *quota)
{
    char line[64], period[64], file[LINE_MAX_BYTES];

    if (!altpick_doctor_read_line(line, sizeof line, h->root, "%s%s/cpu.cfs_quota_us", h->mount,
                                  group) ||
        !altpick_doctor_read_line(period, sizeof period, h->root, "%s%s/cpu.cfs_period_us",
                                  h->mount, group))
        return;
    snprintf(file, sizeof file, "%s%s/cpu.cfs_quota_us", h->mount, group);
    offer(quota, number(line), number(period), file);
}

/*
 * From @group up to the top of what is mounted.  Groups that are not there are passed over: in a
 * container the name may be the host's, while what is mounted begins at the container's own group.
 */
static void walk_up(const struct hierarchy *h, char *group, struct altpick_doctor_quota *quota)
{
    char line[8];

    if (!altpick_doctor_read_line(line, sizeof line, h->root, "%s/cgroup.procs", h->mount))
        return;
    quota->seen = true;
    if (strstr(group, "/..") || strcmp(group, "/") == 0)
        group[0] = '\0';
    for (;;) {
        char *slash = strrchr(group, '/');

        if (h->is_v2)
            read_group_v2(h, group, quota);
        else
            read_group_v1(h, group, quota);
        if (!slash)
            return;
        *slash = '\0';
    }
}

static void read_hierarchy(const struct hierarchy *h, const char *group,
                           struct altpick_doctor_quota *quota)
{
    char copy[LINE_MAX_BYTES];

    snprintf(copy, sizeof copy, "%s", group);
    walk_up(h, copy, quota);
}

/* Whether @controllers, as in "cpu,cpuacct", has the one that limits CPU time. */
static bool limits_cpu(const char *controllers)
{
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == 3 && strncmp(at, "cpu", 3) == 0)
            return true;
    }
    return false;
}

/* A line of /proc/self/cgroup: hierarchy, controllers and group, between colons (cgroups(7)). */
static void read_membership(const char *root, char *line, struct altpick_doctor_quota *quota)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!group)
        return;
    *controllers++ = '\0';
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (strcmp(line, "0") == 0 && !*controllers) {
        read_hierarchy(&(struct hierarchy){root, "", true}, group, quota);
        read_hierarchy(&(struct hierarchy){root, "unified", true}, group, quota);
    } else if (limits_cpu(controllers)) {
        read_hierarchy(&(struct hierarchy){root, controllers, false}, group, quota);
    }
}

void altpick_doctor_read_quota(const struct altpick_doctor_roots *roots,
                               struct altpick_doctor_quota *ret_quota)
{
    char path[PATH_MAX], line[LINE_MAX_BYTES];
    FILE *f;

    *ret_quota = (struct altpick_doctor_quota){0};
    snprintf(path, sizeof path, "%s/self/cgroup", roots->proc);
    f = fopen(path, "re");
    if (!f)
        return;
    while (fgets(line, sizeof line, f))
        read_membership(roots->cgroup, line, ret_quota);
    fclose(f);
}
