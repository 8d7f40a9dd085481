/* SPDX-License-Identifier: MIT */
/* Turns facts about what the system allows into findings, and puts all findings together. */
#include "doctor_judge.h"

#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { QUOTA_NOTE_PERMILLE = 1000, QUOTA_BAD_PERMILLE = 500 };

void altpick_doctor_judge_governor(const struct altpick_doctor_facts *facts,
                                   struct altpick_doctor_finding *finding)
{
    const char *governor = facts->system.governor;

    if (strcmp(governor, "performance") == 0) {
        altpick_doctor_found(finding, "%s", governor);
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK, "the clock does not wait for load", NULL);
    } else if (governor[0]) {
        altpick_doctor_found(finding, "%s", governor);
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "the clock may follow the load; costs are in cycles and do not, but "
                              "samples are lost while it changes",
                              "cpupower frequency-set -g performance");
    } else if (altpick_doctor_is_guest(facts)) {
        altpick_doctor_found(finding, "none, as in every guest");
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK,
                              "the host sets the clock; the ruler beside each sample follows it",
                              NULL);
    } else {
        altpick_doctor_found(finding, "cpufreq is not there or not shown");
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "firmware sets the clock; the ruler beside each sample follows it",
                              "see frequency for what it did");
    }
}

void altpick_doctor_judge_affinity(const struct altpick_doctor_facts *facts,
                                   struct altpick_doctor_finding *finding)
{
    const struct altpick_doctor_kernel *kernel = &facts->kernel;
    unsigned allowed = altpick_doctor_cpus_count(&kernel->allowed);
    unsigned online = altpick_doctor_cpus_count(&facts->system.online);

    if (kernel->cpu >= 0)
        altpick_doctor_found(finding, "pinned to CPU %d; ", kernel->cpu);
    else
        altpick_doctor_found(finding, "not pinned to a CPU; ");
    if (allowed)
        altpick_doctor_found(finding, "may use %s",
                             altpick_doctor_cpus_text(&kernel->allowed).text);
    else
        altpick_doctor_found(finding, "which may be used is not shown");
    if (online)
        altpick_doctor_found(finding, "; online are %s",
                             altpick_doctor_cpus_text(&facts->system.online).text);
    else
        altpick_doctor_found(finding, "; which are online is not shown");

    if (kernel->cpu < 0)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_BAD,
                              "a probe moves from core to core: figures may mix them",
                              "allow sched_setaffinity, or start altpick under taskset");
    else if (allowed < online || online == 0)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "costs hold, but whatever else is confined to these CPUs competes "
                              "with a probe",
                              "see lost-time for whether it does");
    else
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK,
                              "a probe stays on one CPU, and --cpu may choose any", NULL);
}

void altpick_doctor_judge_quota(const struct altpick_doctor_facts *facts,
                                struct altpick_doctor_finding *finding)
{
    const struct altpick_doctor_quota *quota = &facts->system.quota;
    double permille;

    if (!quota->seen) {
        altpick_doctor_found(finding, "control groups cannot be seen");
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "a limit on CPU time would show as lost time", "see lost-time");
        return;
    }
    if (quota->quota_us == 0) {
        altpick_doctor_found(finding, "no limit on CPU time that can be seen");
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK, "nothing stops a probe", NULL);
        return;
    }
    permille = (double) quota->quota_us / (double) quota->period_us * 1000;
    altpick_doctor_found(finding, "%.1f %% of a CPU in every %" PRIu64 " us, by %s", permille / 10,
                         quota->period_us, quota->file);
    if (permille < QUOTA_BAD_PERMILLE)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_BAD,
                              "a probe is stopped for most of the time: time limits end batches, "
                              "and items stay undecided",
                              "raise the quota, or measure outside of the group");
    else if (permille < QUOTA_NOTE_PERMILLE)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "a probe is stopped again and again, and takes longer",
                              "raise the quota, or give --time-limit more");
    else
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK,
                              "a probe has one thread and stays below it", NULL);
}

/* What both sources say of a type, as far as it may be used. */
static struct altpick_doctor_cpus usable(const struct altpick_doctor_cpus *a,
                                         const struct altpick_doctor_cpus *b,
                                         const struct altpick_doctor_kernel *kernel)
{
    struct altpick_doctor_cpus cpus;

    for (size_t i = 0; i < sizeof cpus.words / sizeof *cpus.words; i++)
        cpus.words[i] = (a->words[i] | b->words[i]) & kernel->allowed.words[i];
    return cpus;
}

/* On a hybrid processor. */
static void judge_types(const struct altpick_doctor_facts *facts,
                        const struct altpick_doctor_cpus *core,
                        const struct altpick_doctor_cpus *atom,
                        struct altpick_doctor_finding *finding)
{
    bool has_core = altpick_doctor_cpus_count(core) > 0;
    bool has_atom = altpick_doctor_cpus_count(atom) > 0;

    altpick_doctor_found(finding, "hybrid; may use core: %s, atom: %s",
                         altpick_doctor_cpus_text(core).text, altpick_doctor_cpus_text(atom).text);
    if (facts->kernel.cpu < 0)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_BAD,
                              "not pinned, a probe mixes core types: its costs are of neither",
                              "start altpick under taskset, on CPUs of one type");
    else if (has_core != has_atom)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "a profile made here is of this core type only",
                              "allow CPUs of the other type and probe there, too");
    else if (has_core)
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "a profile is of the core type that it was measured on only",
                              "probe once with --cpu of each type");
    else
        altpick_doctor_settle(finding, ALTPICK_DOCTOR_NOTE,
                              "which CPU is of which type is not shown; a profile is of one only",
                              "probe with --cpu on several");
}

void altpick_doctor_judge_core_types(const struct altpick_doctor_facts *facts,
                                     struct altpick_doctor_finding *finding)
{
    const struct altpick_doctor_kernel *kernel = &facts->kernel;
    struct altpick_doctor_cpus core = usable(&facts->system.core, &kernel->core, kernel);
    struct altpick_doctor_cpus atom = usable(&facts->system.atom, &kernel->atom, kernel);

    if (altpick_cpu_has(&facts->cpu, ALTPICK_CPU_HYBRID) ||
        altpick_doctor_cpus_count(&facts->system.atom) > 0) {
        judge_types(facts, &core, &atom, finding);
        return;
    }
    altpick_doctor_found(finding, "not a hybrid processor");
    altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK, "any CPU stands for all", NULL);
}

static const char *pmu_reason(int error)
{
    switch (error) {
    case 0:
        return "cycles can be counted";
    case EACCES:
    case EPERM:
        return "the kernel does not let this user count cycles";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "there is no cycle counter, as in most guests";
    case ENOSYS:
        return "the kernel has no perf_event_open";
    case EIO:
        return "the cycle counter stands still";
    default:
        return strerror(error);
    }
}

void altpick_doctor_judge_pmu(const struct altpick_doctor_facts *facts,
                              struct altpick_doctor_finding *finding)
{
    altpick_doctor_found(finding, "%s", pmu_reason(facts->kernel.pmu_errno));
    altpick_doctor_settle(finding, ALTPICK_DOCTOR_OK,
                          "nothing: no cycle counter is needed, and none is read", NULL);
}

const char *altpick_doctor_level_name(enum altpick_doctor_level level)
{
    static const char *const names[] = {
#define X(id, name) [ALTPICK_DOCTOR_##id] = name,
        ALTPICK_DOCTOR_LEVELS(X)
#undef X
    };

    return names[level];
}

static const struct {
    const char *name;
    altpick_doctor_rule *judge;
} rules[] = {
    {"trust",      altpick_doctor_judge_trust     },
    {"hypervisor", altpick_doctor_judge_hypervisor},
    {"tsc",        altpick_doctor_judge_tsc       },
    {"sibling",    altpick_doctor_judge_sibling   },
    {"frequency",  altpick_doctor_judge_frequency },
    {"governor",   altpick_doctor_judge_governor  },
    {"lost-time",  altpick_doctor_judge_lost_time },
    {"affinity",   altpick_doctor_judge_affinity  },
    {"quota",      altpick_doctor_judge_quota     },
    {"core-types", altpick_doctor_judge_core_types},
    {"pmu",        altpick_doctor_judge_pmu       },
};

_Static_assert(sizeof rules / sizeof *rules <= ALTPICK_DOCTOR_FINDINGS_MAX, "room for findings");

size_t altpick_doctor_judge(const struct altpick_doctor_facts *facts,
                            struct altpick_doctor_finding ret_findings[ALTPICK_DOCTOR_FINDINGS_MAX])
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        ret_findings[i] = (struct altpick_doctor_finding){.name = rules[i].name};
        rules[i].judge(facts, &ret_findings[i]);
    }
    return sizeof rules / sizeof *rules;
}
