/* SPDX-License-Identifier: MIT */
/* Candidates that no CPU gets through: each raises something, or does not end. */
#ifndef ALTPICK_TEST_FAULTY_H
#define ALTPICK_TEST_FAULTY_H

#include "altpick/question.h"

extern const struct altpick_question faulty_question;
extern const struct altpick_question faulty_question_endless; /* the same, and a loop */

/* Nothing but faults: 30, 30 and 80, of which a question survives 64. */
extern const struct altpick_question faulty_questions_many[3];

#endif
