/* SPDX-License-Identifier: MIT */
/* The table of questions, from the list in meson.build. */
#include "altpick/question.h"
#include "bytes.h"

#define QUESTION(name) extern const struct altpick_question altpick_question_##name;
#include "probe_list.h"
#undef QUESTION

const struct altpick_question *const altpick_questions[] = {
#define QUESTION(name) &altpick_question_##name,
#include "probe_list.h"
#undef QUESTION
    NULL,
};
const size_t altpick_question_count = sizeof altpick_questions / sizeof *altpick_questions - 1;

const struct altpick_question *altpick_question_find(const char *name)
{
    for (size_t i = 0; i < altpick_question_count; i++) {
        if (altpick_equal(altpick_questions[i]->name, name))
            return altpick_questions[i];
    }
    return NULL;
}
