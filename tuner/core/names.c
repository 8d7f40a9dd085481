/* SPDX-License-Identifier: MIT */
/* Turns enumerators into the names that files and people use. */
#include "altpick/decide.h"
#include "altpick/derived.h"

#define NAMES(function, LIST)                                                                      \
    const char *function(unsigned value)                                                           \
    {                                                                                              \
        static const char *const names[] = {LIST(NAME)};                                           \
        return value < sizeof names / sizeof *names ? names[value] : NULL;                         \
    }
#define NAME(id, name) name,

NAMES(altpick_trust_name, ALTPICK_TRUSTS)
NAMES(altpick_condition_name, ALTPICK_CONDITIONS)
NAMES(altpick_guarantee_name, ALTPICK_GUARANTEES)
NAMES(altpick_register_name, ALTPICK_REGISTERS)
NAMES(altpick_guarantee_state_name, ALTPICK_GUARANTEE_STATES)
NAMES(altpick_status_name, ALTPICK_STATUSES)
NAMES(altpick_target_name, ALTPICK_TARGETS)
NAMES(altpick_verdict_name, ALTPICK_VERDICTS)
NAMES(altpick_count_name, ALTPICK_COUNTS)
NAMES(altpick_unit_name, ALTPICK_UNITS)

const char *altpick_report_name(unsigned report)
{
    static const char *const names[] = {
#define X(id, number, name) [number] = name,
        ALTPICK_REPORTS(X)
#undef X
    };

    return report < ALTPICK_N_REPORTS ? names[report] : NULL;
}
