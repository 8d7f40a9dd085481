/* SPDX-License-Identifier: MIT */
/* Drives counters to every state by what was emitted, and compares with what was checked. */
#include "count.h"
#include "altpick/look.h"
#include "check.h"
#include "look_run.h"

#include <stdio.h>
#include <string.h>

/* count_run.S */
uint64_t altpick_count_run(const void *code, void *counter, uint32_t amount);

static void complain(struct check *check, const struct emitted_count *count, const char *what)
{
    printf("%s: %s\n", count->name, what);
    check->bad = 1;
}

/* "xadd.inc", where the header says that its operations are those of xadd. */
static bool find(const struct emitted_count *count, struct altpick_candidate *ret)
{
    char name[2 * ALTPICK_NAME_MAX];

    snprintf(name, sizeof name, "%s.%s", count->variant ? count->variant : "", count->name);
    return find_candidate("refcount", count->variant ? name : NULL, count->code, ret) &&
           strcmp(strchr(ret->name, '.') + 1, count->name) == 0;
}

/*
 * The function and the bytes of @entry, each once: the same must come of it.  esi is anything where
 * the operation takes no amount.
 */
static bool same_once(const struct emitted_count *count, const void *entry,
                      const struct altpick_counter *counter, uint32_t before, uint32_t amount)
{
    uint32_t by_bytes = before, by_function = before, report = 0;
    uint64_t both = altpick_count_run(entry, &by_bytes, amount);
    uint32_t unused = altpick_count_takes_amount(counter->op) ? amount : ~amount;
    uint32_t result = count->run(&by_function, unused, &report);

    return by_bytes == by_function && report == (uint32_t) (both >> 32) &&
           (!altpick_count_returns(counter->op) || result == (uint32_t) both);
}

static bool same_everywhere(const struct emitted_count *count, const void *entry,
                            const struct altpick_counter *counter)
{
    static const uint32_t amounts[] = {1, 2, 4096, INT32_MAX};
    bool takes_amount = altpick_count_takes_amount(counter->op), same = true;

    for (unsigned c = 0; c < ALTPICK_N_COUNTS; c++) {
        for (size_t i = 0; i < (takes_amount ? sizeof amounts / sizeof *amounts : 1); i++)
            same = same && same_once(count, entry, counter, counter->at[c], amounts[i]);
    }
    return same;
}

void check_count(struct check *check, const struct emitted_count *count)
{
    struct altpick_looking looking = {.session = check->session,
                                      .live = &check->live,
                                      .timer = &check->timer,
                                      .question = altpick_question_find("refcount")};
    struct altpick_session *session = check->session;
    struct altpick_candidate candidate;
    struct altpick_counter counter;
    const void *entry;

    if (!find(count, &candidate) || !looking.question->counter(&candidate, &counter)) {
        complain(check, count, "it is no candidate");
        return;
    }
    if (count->bytes && (count->bytes != candidate.code_bytes ||
                         memcmp(count->code, candidate.code, count->bytes) != 0)) {
        complain(check, count, "its bytes are not those of the candidate");
        return;
    }
    session->candidates[0] = candidate;
    memcpy(session->candidates[0].code, count->code, candidate.code_bytes);
    session->looked[0] = session->held[0] = 0;
    if (altpick_look_count(&looking, 0) < 0 ||
        altpick_look_place(&looking, count->code, candidate.code_bytes, &entry) < 0) {
        complain(check, count, "the look failed");
        return;
    }
    if (check->decided && !holds(session, 0, looking.question->requires))
        complain(check, count, "what is required does not hold");
    if (!same_everywhere(count, entry, &counter))
        complain(check, count, "the function does otherwise than its bytes");
}
