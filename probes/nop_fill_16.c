/* SPDX-License-Identifier: MIT */
/*
 * nop.fill.16: how to fill a gap of 1 to 4 bytes in 16-bit code.  Nothing is measured: no system
 * under which altpick runs lets a program run 16-bit code as boot code does.
 */
#include "bytes.h"
#include "code_bytes.h"

#include "altpick/decide.h"
#include "altpick/question.h"

enum { LONGEST = 4 };

/*
 * What assemblers write in 16-bit code comes first; it runs on every x86 CPU.  Longer gaps repeat
 * four bytes.
 */
/* clang-format off */
static const struct altpick_code built_in[] = {
    {.name = "90.1",  BYTES(0x90)},
    {.name = "mov.2", BYTES(0x89, 0xf6)},             /* mov si, si */
    {.name = "90.2",  BYTES(0x90, 0x90)},
    {.name = "lea.3", BYTES(0x8d, 0x74, 0x00)},       /* lea si, [si + 0] */
    {.name = "90.3",  BYTES(0x90, 0x90, 0x90)},
    {.name = "lea.4", BYTES(0x8d, 0xb4, 0x00, 0x00)}, /* disp16 */
    {.name = "90.4",  BYTES(0x90, 0x90, 0x90, 0x90)},
};
/* clang-format on */

static size_t candidates(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    (void) question;
    return altpick_code_copy(built_in, sizeof built_in / sizeof *built_in, ret);
}

static void item(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    uint32_t bytes = (uint32_t) index + 1;
    char name[ALTPICK_NAME_MAX] = "";

    (void) earlier;
    altpick_append_u64(name, sizeof name, bytes);
    altpick_contest_init(ret_contest, question, name, result, policy);
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_measurement *measurement = &result->candidates[i];

        if (measurement->candidate.code_bytes == bytes)
            altpick_contest_add(ret_contest, measurement->candidate.name, measurement)->rank =
                (uint32_t) i;
    }
}

extern const struct altpick_question altpick_question_nop_fill_16;
const struct altpick_question altpick_question_nop_fill_16 = {
    .name = "nop.fill.16",
    .title = "how to fill a gap of 1 to 4 bytes in 16-bit code",
    .bits = 16,
    .conditions = 1u << ALTPICK_HOT,
    .unmeasured = "published figures only; none are known for 16-bit code",
    .n_candidates = 7,
    .candidates = candidates,
    .n_items = LONGEST,
    .item = item,
};
