/* SPDX-License-Identifier: MIT */
/* Turns a probe at boot that names no question into one that asks all of them. */
#include "altpick/boot.h"

void altpick_boot_ask_all(struct altpick_boot_options *options)
{
    if (options->questions)
        return;
    options->questions = altpick_questions;
    options->n_questions = altpick_question_count;
}
