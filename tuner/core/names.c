/* SPDX-License-Identifier: MIT */
/* Turns enumerators into the names that files and people use. */
#include "altpick/decide.h"

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
