/* SPDX-License-Identifier: MIT */
/* What a condition is: how often code runs between two clock readings, and what comes before. */
#ifndef ALTPICK_CORE_SETUP_H
#define ALTPICK_CORE_SETUP_H

#include "altpick/question.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* State of the FPU and of the save area when the timed region begins. */
enum altpick_setup_state {
    ALTPICK_STATE_ANY,
    ALTPICK_STATE_INIT,
    ALTPICK_STATE_DIRTY,
    ALTPICK_STATE_RESTORED, /* dirty, by an XRSTOR from the save area */
    ALTPICK_STATE_ZEROED,   /* dirty, then VZEROALL */
};

/* What runs after the candidate, in the same trip. */
enum altpick_setup_work {
    ALTPICK_WORK_NONE,
    ALTPICK_WORK_SSE,
    ALTPICK_WORK_PREFETCH,
    ALTPICK_WORK_AVX2,
    ALTPICK_WORK_AVX512,
    ALTPICK_WORK_SAVE,
};

struct altpick_setup {
    bool shot;       /* one execution between two clock readings; else a counted loop */
    bool lead;       /* the candidate runs once before the loop, which holds the work alone */
    bool plain_code; /* a matter of code size: its block size is worth telling */
    bool flush_code, flush_data, streams, contended;
    uint8_t state; /* enum altpick_setup_state */
    uint8_t work;  /* enum altpick_setup_work */
    uint32_t work_bytes;
    uint64_t needs; /* bit n: enum altpick_cpu_feature n */
};

/* Of @condition, which must be in range. */
const struct altpick_setup *altpick_setup_of(unsigned condition);

/* The machine code of @work; returns its length. */
size_t altpick_setup_work(enum altpick_setup_work work, const uint8_t **ret_code);

enum { ALTPICK_WORK_CODE_MAX = 192 };

#endif
