/* SPDX-License-Identifier: MIT */
/* Turns enumerators into the names that files and people use. */
#include "altpick/decide.h"
#include "altpick/derived.h"
#include "bytes.h"

/* One text for all: a table of pointers would be longer than most names. */
static const char *nth(const char *names, unsigned n, unsigned value)
{
    if (value >= n)
        return NULL;
    for (; value; value--)
        names += altpick_length(names) + 1;
    return names;
}

#define NAMES(function, LIST)                                                                      \
    const char *function(unsigned value)                                                           \
    {                                                                                              \
        static const char names[] = LIST(NAME);                                                    \
        return nth(names, 0 LIST(ONE), value);                                                     \
    }
#define NAME(id, name) name "\0"
#define ONE(id, name)  +1

NAMES(altpick_trust_name, ALTPICK_TRUSTS)
NAMES(altpick_condition_name, ALTPICK_CONDITIONS)
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

#define LACKS(id, name) "lacks " name "\0"

const char *altpick_guarantee_lacks(unsigned guarantee)
{
    static const char texts[] = ALTPICK_GUARANTEES(LACKS);

    return nth(texts, ALTPICK_N_GUARANTEES, guarantee);
}

const char *altpick_guarantee_name(unsigned guarantee)
{
    const char *lacks = altpick_guarantee_lacks(guarantee);

    return lacks ? lacks + sizeof "lacks " - 1 : NULL;
}
