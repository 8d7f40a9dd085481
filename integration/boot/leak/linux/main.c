/* SPDX-License-Identifier: MIT */
/* altpick-leak on Linux: plays scenes and says whether bits of one owner got to another. */
#include "print.h"

#include "altpick/err.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CLEAN, LEAK, USAGE, NOT_TESTED };
enum {
    MS_MAX = 86400000,
    NS_PER_MS = 1000000,
    SECOND_TRY_NS = 1000000000,
    DEFAULT_MS = 2000,
    AREA_ALIGN = 64,
    TO_TILEDATA = 18
};

static const char help_text[] =
    "usage: altpick-leak [--seconds S] [--cpu N] [--only SCENE,...] [--plant LEAK] [--json]\n"
    "       altpick-leak --list | --help | --version\n"
    "\n"
    "Fills x87 and vector registers with patterns that tell their owner, makes the kernel switch\n"
    "between tasks, and looks for bits of another owner.\n"
    "\n"
    "  --seconds S     for how long, all scenes together (2; 0.05 to 86400)\n"
    "  --cpu N         on which CPU (the one it was started on)\n"
    "  --only SCENES   only these, separated by commas\n"
    "  --plant LEAK    make a leak, to see it found: switch:ymm, handler:zmm16, entry:all, ...\n"
    "  --json          one JSON document\n"
    "  --list          scenes and parts\n"
    "\n"
    "Exit status: 0 clean, 1 a leak was found, 2 wrong usage, 3 something could not be tested.\n";

/* What the command line says. */
struct options {
    uint64_t ms;
    int cpu;           /* -1: the present one */
    const char *only;  /* NULL: all */
    const char *plant; /* NULL: none */
    bool json, list;
};

__attribute__((format(printf, 1, 2))) static int refuse(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("altpick-leak: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return USAGE;
}

/* "2", "0.5", "1.250": at most three digits behind the point. */
static bool parse_ms(const char *text, uint64_t *ret_ms)
{
    uint64_t ms = 0, unit = 1000;
    bool point = false, any = false;

    for (; *text; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9' || (point && unit == 1) || ms > MS_MAX)
            return false;
        any = true;
        if (point)
            unit /= 10;
        ms = point ? ms + (uint64_t) (*text - '0') * unit
                   : ms * 10 + (uint64_t) (*text - '0') * 1000;
    }
    *ret_ms = ms;
    return any && ms >= 50 && ms <= MS_MAX;
}

static bool parse_cpu(const char *text, int *ret_cpu)
{
    char *end;
    long cpu = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;

    if (cpu < 0 || cpu >= CPU_SETSIZE || *end)
        return false;
    *ret_cpu = (int) cpu;
    return true;
}

/* Whether @name is one of the words of @list, which commas separate. */
static bool is_listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    }
    return false;
}

static int check_only(const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t n = strcspn(at, ","), i = 0;

        while (i < ALTPICK_SCENES &&
               (strlen(altpick_scenes[i].name) != n || strncmp(altpick_scenes[i].name, at, n) != 0))
            i++;
        if (i == ALTPICK_SCENES)
            return refuse("--only: no scene '%.*s' (see --list)", (int) n, at);
    }
    return CLEAN;
}

/* Returns CLEAN to go on, USAGE, or -1 where there is nothing more to do. */
static int parse(int argc, char **argv, struct options *ret_options)
{
    static const struct option names[] = {
        {"seconds", required_argument, NULL, 's'},
        {"cpu",     required_argument, NULL, 'c'},
        {"only",    required_argument, NULL, 'o'},
        {"plant",   required_argument, NULL, 'p'},
        {"json",    no_argument,       NULL, 'j'},
        {"list",    no_argument,       NULL, 'l'},
        {"help",    no_argument,       NULL, 'h'},
        {"version", no_argument,       NULL, 'v'},
        {NULL,      0,                 NULL, 0  },
    };
    bool given[UCHAR_MAX + 1] = {false};
    int c, index = 0;

    while ((c = getopt_long(argc, argv, "h", names, &index)) != -1) {
        if (c != '?' && given[c])
            return refuse("--%s is given twice", names[index].name);
        given[c & UCHAR_MAX] = true;
        if (c == 's' && !parse_ms(optarg, &ret_options->ms))
            return refuse("--seconds: not a number of seconds from 0.05 to 86400: %s", optarg);
        if (c == 'c' && !parse_cpu(optarg, &ret_options->cpu))
            return refuse("--cpu: not the number of a CPU: %s", optarg);
        if (c == 'o')
            ret_options->only = optarg;
        if (c == 'p')
            ret_options->plant = optarg;
        ret_options->json = ret_options->json || c == 'j';
        ret_options->list = ret_options->list || c == 'l';
        if (c == '?')
            return USAGE;
        if (c == 'h' || c == 'v') {
            fputs(c == 'h' ? help_text : "altpick-leak " ALTPICK_VERSION "\n", stdout);
            return -1;
        }
    }
    if (optind < argc)
        return refuse("no operand is expected: %s", argv[optind]);
    return ret_options->only ? check_only(ret_options->only) : CLEAN;
}

static int write_stdout(void *ctx, const char *text, size_t bytes)
{
    (void) ctx;
    return fwrite(text, 1, bytes, stdout) == bytes ? ALTPICK_OK : ALTPICK_EIO;
}

static void list(void)
{
    for (unsigned i = 0; i < ALTPICK_SCENES; i++)
        printf("scene %-14s %s\n", altpick_scenes[i].name, altpick_scenes[i].what);
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
        const struct altpick_leak_part *part = &altpick_leak_parts[i];

        printf("part  %-14s %s", part->name, part->register_name);
        if (part->registers > 1)
            printf("%d-%s%d", part->first_register, part->register_name,
                   part->first_register + part->registers - 1);
        puts("");
    }
}

/* Run on @cpu, or, if that is negative, on the present one; find another one that may be used. */
static bool pin(int cpu, int ret_cpus[2])
{
    cpu_set_t all, one;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        CPU_ZERO(&all);
    ret_cpus[0] = cpu < 0 ? sched_getcpu() : cpu;
    ret_cpus[1] = -1;
    if (ret_cpus[0] < 0)
        return false;
    for (int i = 0; i < CPU_SETSIZE && ret_cpus[1] < 0; i++) {
        if (i != ret_cpus[0] && CPU_ISSET((size_t) i, &all))
            ret_cpus[1] = i;
    }
    CPU_ZERO(&one);
    CPU_SET((size_t) ret_cpus[0], &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

/* What this process may use: Linux asks for a permission before tiles can be used. */
static void read_xstate(struct altpick_xstate *ret_xstate)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023 };
    uint64_t usable = UINT64_MAX;
    struct altpick_cpu cpu;

    if (syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, TO_TILEDATA) != 0)
        usable = ~(uint64_t) ALTPICK_XCR0_TILE;
    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    altpick_xstate_read(&altpick_cpuid_native, &cpu, usable, ret_xstate);
}

static bool is_played(const struct options *options, const struct altpick_scene *scene)
{
    return !options->only || is_listed(options->only, scene->name);
}

static bool is_place_played(const struct options *options, enum altpick_leak_where where)
{
    for (unsigned i = 0; i < ALTPICK_SCENES; i++) {
        if (is_played(options, &altpick_scenes[i]) &&
            altpick_scene_has_place(&altpick_scenes[i], where))
            return true;
    }
    return false;
}

static bool has_findings(const struct altpick_scene_result *result)
{
    for (unsigned i = 0; i < ALTPICK_HELD_MEMBERS; i++) {
        if (result->share[i].findings.n)
            return true;
    }
    return false;
}

/* On a busy machine nobody may have had a turn: then it is played once more, for longer. */
static void play_one(const struct altpick_scene *scene, const struct altpick_leak_report *report,
                     uint64_t ns, struct altpick_scene_result *ret_result)
{
    altpick_scene_play(scene, report->leak, report->cpus, ns, ret_result);
    if (!*ret_result->cannot && altpick_scene_times(ret_result) == 0 && !has_findings(ret_result))
        altpick_scene_play(scene, report->leak, report->cpus, ns + SECOND_TRY_NS, ret_result);
}

/* Play what was asked for, each scene for an equal part of the time. */
static bool play(const struct options *options, struct altpick_leak_report *report,
                 struct altpick_out *out)
{
    unsigned n = 0;

    for (unsigned i = 0; i < ALTPICK_SCENES; i++)
        n += is_played(options, &altpick_scenes[i]);
    for (unsigned i = 0; i < ALTPICK_SCENES; i++) {
        if (!is_played(options, &altpick_scenes[i]))
            continue;
        report->played[i].result = malloc(sizeof *report->played[i].result);
        if (!report->played[i].result)
            return false;
        report->played[i].scene = &altpick_scenes[i];
        play_one(&altpick_scenes[i], report, options->ms * NS_PER_MS / n, report->played[i].result);
        if (!options->json)
            altpick_leak_print_scene(out, report, i);
        fflush(stdout);
    }
    return true;
}

static int run(const struct options *options, const struct altpick_leak_plant *plant)
{
    struct altpick_out out = {.write = write_stdout};
    struct altpick_leak_findings none = {0};
    struct altpick_leak leak;
    struct altpick_leak_report report = {.leak = &leak};
    struct altpick_xstate xstate;
    uint8_t *memory;
    int status = NOT_TESTED;

    if (!pin(options->cpu, report.cpus))
        return refuse("cannot run on CPU %d: %s", options->cpu, strerror(errno));
    read_xstate(&xstate);
    memory = aligned_alloc(AREA_ALIGN, altpick_leak_memory_bytes(&xstate));
    if (!xstate.bytes || !memory) {
        fputs("altpick-leak: no FXSAVE, or no memory\n", stderr);
        goto out;
    }
    altpick_leak_init(&leak, &xstate, &none, memory);
    leak.plant = plant;
    if (plant && !altpick_leak_plant_shows(&leak, plant)) {
        fprintf(stderr, "altpick-leak: --plant %s: that cannot be looked at here\n",
                options->plant);
        goto out;
    }
    if (!options->json)
        altpick_leak_print_start(&out, &report);
    fflush(stdout);
    if (!play(options, &report, &out))
        goto out;
    status = altpick_leak_report_status(&report);
    if (options->json)
        altpick_leak_print_json(&out, &report);
    else
        altpick_leak_print_end(&out, &report);
    if (fflush(stdout) != 0 || out.err) {
        fputs("altpick-leak: cannot write the report\n", stderr);
        status = status == LEAK ? LEAK : NOT_TESTED;
    }
out:
    for (unsigned i = 0; i < ALTPICK_SCENES; i++)
        free(report.played[i].result);
    free(memory);
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {.ms = DEFAULT_MS, .cpu = -1};
    struct altpick_leak_plant plant;
    int r = parse(argc, argv, &options);

    if (r != CLEAN)
        return r < 0 ? CLEAN : r;
    if (options.list) {
        list();
        return CLEAN;
    }
    if (options.plant && !altpick_leak_plant_parse(options.plant, &plant))
        return refuse(
            "--plant: not PLACE:WHAT: %s\nPLACE is switch, handler or entry, WHAT a name of "
            "--list (ymm, xmm3), x87, all or, for switches, lazy",
            options.plant);
    if (options.plant && !is_place_played(&options, plant.where))
        return refuse("--plant %s: no scene that is played has such a place", options.plant);
    return run(&options, options.plant ? &plant : NULL);
}
