/* SPDX-License-Identifier: MIT */
/* Finds what makes the tables of a question, from the list in meson.build. */
#include "altpick/derived.h"
#include "altpick/question.h"
#include "bytes.h"

#define DERIVED(name)                                                                              \
    extern const struct altpick_question altpick_question_##name;                                  \
    altpick_derive_table altpick_##name##_derive;
#include "derived_list.h"
#undef DERIVED

altpick_derive_table *altpick_derive_find(const char *question)
{
    static const struct {
        const struct altpick_question *question;
        altpick_derive_table *derive;
    } tables[] = {
#define DERIVED(name) {&altpick_question_##name, altpick_##name##_derive},
#include "derived_list.h"
#undef DERIVED
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (altpick_equal(tables[i].question->name, question))
            return tables[i].derive;
    }
    return NULL;
}
