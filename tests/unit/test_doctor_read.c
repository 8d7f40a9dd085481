/* SPDX-License-Identifier: MIT */
/* What the doctor reads: lists of CPUs, files of a made-up kernel, and series of readings. */
#define _GNU_SOURCE /* mkdtemp, nftw */
#include "doctor.h"

#include "test.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A folder with the three roots in it. */
struct tree {
    char folder[64];
    char sys[72], proc[72], cgroup[72];
    struct altpick_doctor_roots roots;
};

/* Write @text to @root/@path, making the folders on the way. */
static void put(const char *root, const char *path, const char *text)
{
    char full[PATH_MAX];
    FILE *f;

    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *p = full + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        mkdir(full, 0700);
        *p = '/';
    }
    f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int plant(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);

    assert_non_null(tree);
    strcpy(tree->folder, "/tmp/altpick-doctor-XXXXXX");
    assert_non_null(mkdtemp(tree->folder));
    snprintf(tree->sys, sizeof tree->sys, "%s/sys", tree->folder);
    snprintf(tree->proc, sizeof tree->proc, "%s/proc", tree->folder);
    snprintf(tree->cgroup, sizeof tree->cgroup, "%s/cg", tree->folder);
    tree->roots = (struct altpick_doctor_roots){tree->sys, tree->proc, tree->cgroup};
    *state = tree;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void) st;
    (void) kind;
    (void) ftw;
    return remove(path);
}

static int fell(void **state)
{
    struct tree *tree = *state;
    int r = nftw(tree->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);

    free(tree);
    return r;
}

static void lists_are_read_and_written(void **state)
{
    static const char *const same[] = {"0", "0-3", "0-1,3", "63-64", "1,3,5-7,1023"};
    static const char *const empty[] = {"", "\n", "x", "-1", "(null)"};
    struct altpick_doctor_cpus many = {0};
    (void) state;

    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct altpick_doctor_cpus cpus = {0};

        altpick_doctor_cpus_parse(same[i], &cpus);
        assert_string_equal(altpick_doctor_cpus_text(&cpus).text, same[i]);
    }
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        struct altpick_doctor_cpus cpus = {0};

        altpick_doctor_cpus_parse(empty[i], &cpus);
        assert_int_equal(altpick_doctor_cpus_count(&cpus), 0);
        assert_string_equal(altpick_doctor_cpus_text(&cpus).text, "none");
    }
    altpick_doctor_cpus_parse("1022-99999999999999999999", &many);
    assert_int_equal(altpick_doctor_cpus_count(&many), 2);
    for (unsigned cpu = 0; cpu < ALTPICK_DOCTOR_CPUS_MAX; cpu += 2)
        altpick_doctor_cpus_add(&many, cpu);
    assert_non_null(strstr(altpick_doctor_cpus_text(&many).text, ".."));
}

static void what_is_missing_stays_empty(void **state)
{
    const struct tree *tree = *state;
    struct altpick_doctor_system system, none = {0};

    memset(&system, 0xa5, sizeof system);
    altpick_doctor_read(&tree->roots, 0, &system);
    assert_int_equal(altpick_doctor_cpus_count(&system.online), 0);
    assert_int_equal(altpick_doctor_cpus_count(&system.threads), 0);
    assert_int_equal(altpick_doctor_cpus_count(&system.core), 0);
    assert_string_equal(system.governor, "");
    assert_string_equal(system.clocksource, "");
    assert_memory_equal(&system.quota, &none.quota, sizeof none.quota);
}

static void files_of_the_processor_are_read(void **state)
{
    const struct tree *tree = *state;
    struct altpick_doctor_system system;

    put(tree->sys, "devices/system/cpu/online", "0,2-3\n");
    put(tree->sys, "devices/system/cpu/cpu2/topology/core_cpus_list", "2-3\n");
    put(tree->sys, "devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n");
    put(tree->sys, "devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    put(tree->sys, "devices/cpu_core/cpus", "0-1\n");
    put(tree->sys, "devices/cpu_atom/cpus", "2-3\n");
    altpick_doctor_read(&tree->roots, 2, &system);
    assert_string_equal(altpick_doctor_cpus_text(&system.online).text, "0,2-3");
    assert_string_equal(altpick_doctor_cpus_text(&system.threads).text, "2-3");
    assert_string_equal(altpick_doctor_cpus_text(&system.core).text, "0-1");
    assert_string_equal(altpick_doctor_cpus_text(&system.atom).text, "2-3");
    assert_string_equal(system.governor, "powersave");
    assert_string_equal(system.clocksource, "tsc");
}

static void older_kernels_name_siblings_otherwise(void **state)
{
    const struct tree *tree = *state;
    struct altpick_doctor_system system;

    put(tree->sys, "devices/system/cpu/cpu0/topology/thread_siblings_list", "0,4\n");
    altpick_doctor_read(&tree->roots, 0, &system);
    assert_string_equal(altpick_doctor_cpus_text(&system.threads).text, "0,4");
}

/* A member that is longer than its field is cut, not an overflow. */
static void a_long_line_is_cut(void **state)
{
    const struct tree *tree = *state;
    struct altpick_doctor_system system;

    put(tree->sys, "devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "a-governor-with-a-name-that-is-longer-than-any-governor-has");
    altpick_doctor_read(&tree->roots, 0, &system);
    assert_int_equal(strlen(system.governor), ALTPICK_DOCTOR_WORD_MAX - 1);
}

static struct altpick_doctor_quota quota_of(const struct tree *tree)
{
    struct altpick_doctor_quota quota;

    memset(&quota, 0xa5, sizeof quota);
    altpick_doctor_read_quota(&tree->roots, &quota);
    return quota;
}

static void the_tightest_group_on_the_way_up_counts(void **state)
{
    const struct tree *tree = *state;
    struct altpick_doctor_quota quota;

    put(tree->proc, "self/cgroup", "0::/outer/inner\n");
    put(tree->cgroup, "cgroup.procs", "");
    put(tree->cgroup, "outer/inner/cpu.max", "max 100000\n");
    quota = quota_of(tree);
    assert_true(quota.seen);
    assert_int_equal(quota.quota_us, 0);

    put(tree->cgroup, "outer/cpu.max", "30000 100000\n");
    put(tree->cgroup, "cpu.max", "90000 100000\n");
    quota = quota_of(tree);
    assert_int_equal(quota.quota_us, 30000);
    assert_int_equal(quota.period_us, 100000);
    assert_string_equal(quota.file, "outer/cpu.max");
}

/* The names of groups are then those of the host, and what is mounted is the container's own. */
static void a_container_sees_its_group_at_the_top(void **state)
{
    const struct tree *tree = *state;

    put(tree->proc, "self/cgroup", "0::/docker/0123456789\n");
    put(tree->cgroup, "cgroup.procs", "");
    put(tree->cgroup, "cpu.max", "150000 100000\n");
    assert_int_equal(quota_of(tree).quota_us, 150000);
    put(tree->proc, "self/cgroup", "0::/../../elsewhere\n");
    assert_int_equal(quota_of(tree).quota_us, 150000);
}

static void version_1_is_read_where_it_limits_cpu_time(void **state)
{
    const struct tree *tree = *state;
    struct altpick_doctor_quota quota;

    put(tree->proc, "self/cgroup", "5:cpuset:/a\n4:cpu,cpuacct:/a/b\n3:cpuacct:/x\n0::/\n");
    assert_false(quota_of(tree).seen);
    put(tree->cgroup, "cpu,cpuacct/cgroup.procs", "");
    put(tree->cgroup, "cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
    put(tree->cgroup, "cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
    quota = quota_of(tree);
    assert_true(quota.seen);
    assert_int_equal(quota.quota_us, 0);

    put(tree->cgroup, "cpu,cpuacct/a/cpu.cfs_quota_us", "25000\n");
    put(tree->cgroup, "cpu,cpuacct/a/cpu.cfs_period_us", "50000\n");
    quota = quota_of(tree);
    assert_int_equal(quota.quota_us, 25000);
    assert_int_equal(quota.period_us, 50000);
    assert_string_equal(quota.file, "cpu,cpuacct/a/cpu.cfs_quota_us");
}

static void version_2_may_be_mounted_beside_version_1(void **state)
{
    const struct tree *tree = *state;

    put(tree->proc, "self/cgroup", "1:name=systemd:/a\n0::/a\n");
    put(tree->cgroup, "unified/cgroup.procs", "");
    put(tree->cgroup, "unified/a/cpu.max", "40000 100000\n");
    assert_int_equal(quota_of(tree).quota_us, 40000);
}

static void nonsense_is_no_quota(void **state)
{
    static const char *const lines[] = {"", "x", "0:", "0::", "::", ":::", "0::x\n0::/\n1:cpu:"};
    static const char *const limits[] = {"", " ", "max", "10000", "10000 0", "-5 -5", "x y"};
    const struct tree *tree = *state;

    put(tree->cgroup, "cgroup.procs", "");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        put(tree->proc, "self/cgroup", lines[i]);
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            put(tree->cgroup, "cpu.max", limits[k]);
            assert_int_equal(quota_of(tree).quota_us, 0);
        }
    }
}

static void a_long_name_of_a_group_is_cut_at_its_beginning(void **state)
{
    const struct tree *tree = *state;
    struct altpick_doctor_quota quota;
    char name[160], line[200], path[200];

    memset(name, 'g', sizeof name);
    name[sizeof name - 1] = '\0';
    snprintf(line, sizeof line, "0::/%s\n", name);
    snprintf(path, sizeof path, "%s/cpu.max", name);
    put(tree->proc, "self/cgroup", line);
    put(tree->cgroup, "cgroup.procs", "");
    put(tree->cgroup, path, "1000 2000\n");
    quota = quota_of(tree);
    assert_int_equal(strlen(quota.file), ALTPICK_DOCTOR_PATH_MAX - 1);
    assert_string_equal(quota.file + strlen(quota.file) - 10, "gg/cpu.max");
    assert_int_equal(strncmp(quota.file, "..", 2), 0);
}

static void windows_are_slow_against_the_best_median(void **state)
{
    struct altpick_doctor_timing timing = {0};
    uint64_t nops[300];
    (void) state;

    for (size_t i = 0; i < 300; i++)
        nops[i] = i < 100 ? 200000 : 100000 + i % 7 * 1000;
    nops[150] = 20000; /* its ruler met an interrupt */
    altpick_doctor_count_slow(nops, 300, &timing);
    assert_int_equal(timing.windows, 300);
    assert_int_equal(timing.slow_windows, 100);
    assert_in_range(timing.nop_best_micro, 100000, 104000);
    altpick_doctor_count_slow(nops, 3, &timing); /* too few for a median */
    assert_int_equal(timing.slow_windows, 0);
    altpick_doctor_count_slow(nops, 0, &timing);
    assert_int_equal(timing.windows, 0);
}

/* Readings in the order of time: @n of 1.00, as many of 1.03, then of 1.06 ticks an add. */
static size_t three_clocks(uint64_t *adds, size_t n)
{
    for (size_t i = 0; i < 3 * n; i++)
        adds[i] = 1000000 + i / n * 30000 + i % 3 * 100;
    return 3 * n;
}

static void clocks_are_told_apart(void **state)
{
    struct altpick_doctor_timing timing = {0};
    uint64_t adds[2400];
    (void) state;

    altpick_doctor_count_steps(adds, three_clocks(adds, 800), &timing);
    assert_int_equal(timing.readings, 300);
    assert_int_equal(timing.steps, 3);
    assert_int_equal(timing.changes, 2);
    assert_int_equal(timing.add_least_micro, 1000000);
    assert_in_range(timing.add_most_micro, 1060000, 1060200);
}

/* One reading of eight in a group spoilt, or a single group as a whole: no clock of their own. */
static void interrupts_are_no_clock(void **state)
{
    struct altpick_doctor_timing timing = {0};
    uint64_t adds[2400];
    (void) state;

    for (size_t i = 0; i < 2400; i++)
        adds[i] = i % 8 == 5 || i / 8 == 50 ? 5000000 : 700000;
    altpick_doctor_count_steps(adds, 2400, &timing);
    assert_int_equal(timing.steps, 1);
    assert_int_equal(timing.changes, 2);
    assert_int_equal(timing.add_most_micro, 700000);
    altpick_doctor_count_steps(adds, 0, &timing);
    assert_int_equal(timing.steps, 0);
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, plant, fell)

ALTPICK_TEST_MAIN(cmocka_unit_test(lists_are_read_and_written),
                  IN_TREE(what_is_missing_stays_empty), IN_TREE(files_of_the_processor_are_read),
                  IN_TREE(older_kernels_name_siblings_otherwise), IN_TREE(a_long_line_is_cut),
                  IN_TREE(the_tightest_group_on_the_way_up_counts),
                  IN_TREE(a_container_sees_its_group_at_the_top),
                  IN_TREE(version_1_is_read_where_it_limits_cpu_time),
                  IN_TREE(version_2_may_be_mounted_beside_version_1), IN_TREE(nonsense_is_no_quota),
                  IN_TREE(a_long_name_of_a_group_is_cut_at_its_beginning),
                  cmocka_unit_test(windows_are_slow_against_the_best_median),
                  cmocka_unit_test(clocks_are_told_apart),
                  cmocka_unit_test(interrupts_are_no_clock))
