/* SPDX-License-Identifier: MIT */
/* Drives a reference counter to each of its states and looks at what an operation does there. */
#include "altpick/abi.h"
#include "altpick/err.h"
#include "count.h"
#include "live_run.h"
#include "look_run.h"

#define G(name) ALTPICK_GUARANTEE_##name

/* count_run.S */
ALTPICK_SYSV uint64_t altpick_count_run(const void *code, void *counter, uint32_t amount);

/* The amounts of those that take one: one, more than there are at one, and a page of references. */
static const uint32_t amounts[] = {1, 2, 4096};

struct drive {
    const struct altpick_live *live;
    struct altpick_counter counter;
    const void *entry; /* of the placed code */
    uint8_t *memory;   /* of the counter */
};

static struct altpick_observed observe(const struct drive *drive, enum altpick_count count,
                                       uint32_t amount)
{
    struct altpick_observed seen = {.before = drive->counter.at[count]};
    uint64_t both;

    __builtin_memcpy(drive->memory, &seen.before, sizeof seen.before);
    altpick_live_begin(drive->live, NULL, false);
    both = altpick_count_run(drive->entry, drive->memory, amount);
    altpick_live_end(drive->live);
    __builtin_memcpy(&seen.after, drive->memory, sizeof seen.after);
    if (altpick_count_returns(drive->counter.op))
        seen.result = (uint32_t) both;
    seen.report = (uint32_t) (both >> 32);
    return seen;
}

static size_t count_amounts(const struct drive *drive)
{
    return altpick_count_takes_amount(drive->counter.op) ? sizeof amounts / sizeof *amounts : 1;
}

/* Whether it is safe in state @count whatever the amount. */
static bool is_safe(const struct drive *drive, enum altpick_count count)
{
    for (size_t i = 0; i < count_amounts(drive); i++) {
        struct altpick_observed seen = observe(drive, count, amounts[i]);

        if (!altpick_count_is_safe(&drive->counter, count, amounts[i], &seen))
            return false;
    }
    return true;
}

/* Whether it counts, and says nothing meanwhile: what does not, holds no guarantee either. */
static bool works(const struct drive *drive)
{
    for (unsigned c = 0; c < ALTPICK_N_COUNTS; c++) {
        enum altpick_count count = (enum altpick_count) c;
        struct altpick_observed seen = observe(drive, count, 1);

        if (altpick_count_is_ordinary(drive->counter.op, count) &&
            (!altpick_count_is_safe(&drive->counter, count, 1, &seen) ||
             seen.report != ALTPICK_REPORT_SILENT))
            return false;
    }
    return true;
}

static bool reports(const struct drive *drive)
{
    for (unsigned c = 0; c < ALTPICK_N_COUNTS; c++) {
        enum altpick_count count = (enum altpick_count) c;

        for (size_t i = 0; i < count_amounts(drive); i++) {
            if (altpick_count_is_misuse(drive->counter.op, count) &&
                observe(drive, count, amounts[i]).report == ALTPICK_REPORT_SILENT)
                return false;
        }
    }
    return true;
}

static void note_all(struct altpick_looking *looking, uint32_t i, const struct drive *drive)
{
    bool counts = works(drive), sticks = is_safe(drive, ALTPICK_COUNT_SATURATED);
    bool safe_at_zero = is_safe(drive, ALTPICK_COUNT_ZERO);

    if (altpick_count_grows(drive->counter.op)) {
        sticks = sticks && is_safe(drive, ALTPICK_COUNT_MAXIMUM);
        altpick_look_note(looking, i, G(BLOCKS_INC_FROM_ZERO), counts && safe_at_zero);
    } else {
        altpick_look_note(looking, i, G(SAFE_ON_UNDERFLOW),
                          counts && safe_at_zero && is_safe(drive, ALTPICK_COUNT_ONE) &&
                              is_safe(drive, ALTPICK_COUNT_NEGATIVE));
    }
    altpick_look_note(looking, i, G(SATURATES_ON_OVERFLOW), counts && sticks);
    altpick_look_note(looking, i, G(REPORTS_MISUSE), counts && reports(drive));
}

int altpick_look_count(struct altpick_looking *looking, uint32_t i)
{
    const struct altpick_candidate *candidate = &looking->session->candidates[i];
    struct drive drive = {.live = looking->live,
                          .memory = altpick_live_data(looking->live, ALTPICK_DATA_COUNTER)};
    int r;

    if (!looking->question->counter || !looking->question->counter(candidate, &drive.counter))
        return ALTPICK_OK;
    r = altpick_look_place(looking, candidate->code, candidate->code_bytes, &drive.entry);
    if (r < 0)
        return r;
    for (unsigned c = 0; c < ALTPICK_N_COUNTS; c++)
        looking->session->observed[i][c] = observe(&drive, (enum altpick_count) c, 1);
    note_all(looking, i, &drive);
    return ALTPICK_OK;
}
