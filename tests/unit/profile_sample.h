/* SPDX-License-Identifier: MIT */
/* The golden profile and a question of its own, for tests of profiles. */
#ifndef ALTPICK_TESTS_PROFILE_SAMPLE_H
#define ALTPICK_TESTS_PROFILE_SAMPLE_H

#include "altpick/profile.h"
#include "document.h"
#include "file.h"
#include "profile_read.h"
#include "text.h"

#define GOLDEN TESTS_DIR "/golden/profile.json"

enum { PROFILE_BYTES_MAX = 16 << 20 };

/*
 * A question of this test's own: two candidates of three bytes, one whose code comes later, and one
 * that works on a reference counter.
 */
static size_t own_candidates(const struct altpick_question *question,
                             struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    static const struct altpick_candidate own[] = {
        {.name = "nop.3",  .code = {0x0f, 0x1f, 0x00}, .code_bytes = 3},
        {.name = "90.3",   .code = {0x90, 0x90, 0x90}, .code_bytes = 3},
        {.name = "later" },
        {.name = "count", .code = {0xf0, 0xff, 0x07},                           .code_bytes = 3                           },
    };

    (void) question;
    memcpy(ret, own, sizeof own);
    return sizeof own / sizeof *own;
}

static bool own_counter(const struct altpick_candidate *candidate,
                        struct altpick_counter *ret_counter)
{
    *ret_counter = (struct altpick_counter){
        .op = ALTPICK_COUNTER_INC, .at = {0, 1, 0xffffffff, 0x7fffffff, 0xc0000000}
    };
    return candidate->code[0] == 0xf0;
}

static const struct altpick_question own_question = {
    .name = "own.question",
    .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_L1I_MISS,
    .promises = UINT64_C(1) << ALTPICK_GUARANTEE_ONE_INSTRUCTION,
    .candidates = own_candidates,
    .counter = own_counter,
};

const struct altpick_question *__wrap_altpick_question_find(const char *name);
const struct altpick_question *__wrap_altpick_question_find(const char *name)
{
    return strcmp(name, own_question.name) == 0 ? &own_question : NULL;
}

/* The golden profile: two machines, a known and an unknown question, every kind of figure. */
struct sample {
    char *text;
    size_t bytes;
};

static inline int load_sample(void **state)
{
    static struct sample sample;
    struct altpick_diag diag;

    *state = &sample;
    return altpick_file_read(GOLDEN, PROFILE_BYTES_MAX, &sample.text, &sample.bytes, &diag);
}

static inline int free_sample(void **state)
{
    free(((struct sample *) *state)->text);
    return 0;
}

static inline void write_profile(const struct altpick_profile *profile,
                                 struct altpick_text *ret_text)
{
    struct altpick_out out;

    altpick_text_init(ret_text, &out);
    assert_int_equal(altpick_profile_write(profile, &out), ALTPICK_OK);
}

#define WITH_SAMPLE(test) cmocka_unit_test_setup_teardown(test, load_sample, free_sample)

#endif
