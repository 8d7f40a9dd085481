/* SPDX-License-Identifier: MIT */
/* Each finding is made by one function of the facts; what those functions share. */
#ifndef ALTPICK_HOST_DOCTOR_JUDGE_H
#define ALTPICK_HOST_DOCTOR_JUDGE_H

#include "doctor.h"

typedef void altpick_doctor_rule(const struct altpick_doctor_facts *facts,
                                 struct altpick_doctor_finding *finding);

/* On the processor and its clock: doctor_judge.c. */
altpick_doctor_rule altpick_doctor_judge_trust, altpick_doctor_judge_hypervisor,
    altpick_doctor_judge_sibling, altpick_doctor_judge_frequency, altpick_doctor_judge_tsc,
    altpick_doctor_judge_lost_time;

/* On what the system allows: doctor_judge_system.c, which also has altpick_doctor_judge(). */
altpick_doctor_rule altpick_doctor_judge_governor, altpick_doctor_judge_affinity,
    altpick_doctor_judge_quota, altpick_doctor_judge_core_types, altpick_doctor_judge_pmu;

/* Append to what was found (printf style). */
__attribute__((format(printf, 2, 3))) void
altpick_doctor_found(struct altpick_doctor_finding *finding, const char *format, ...);

/* Texts are static; @remedy is NULL where there is nothing to do. */
void altpick_doctor_settle(struct altpick_doctor_finding *finding, enum altpick_doctor_level level,
                           const char *means, const char *remedy);

/* By CPUID, or by what only a hypervisor does. */
bool altpick_doctor_is_guest(const struct altpick_doctor_facts *facts);

#endif
