/* SPDX-License-Identifier: MIT */
/* What C and check_run.S share: the state before and after one run of a candidate. */
#ifndef ALTPICK_CORE_CHECK_RUN_H
#define ALTPICK_CORE_CHECK_RUN_H

#include "altpick/abi.h"

#include <stddef.h>
#include <stdint.h>

enum {
    ALTPICK_CHECK_GENERAL = 16,
    ALTPICK_CHECK_STACK = 7,
    ALTPICK_CHECK_STATUS_FLAGS = 0x8d5, /* CF, PF, AF, ZF, SF, OF */
    ALTPICK_CHECK_FLAG_DF = 0x400,
    ALTPICK_CHECK_FLAG_AC = 0x40000,
    ALTPICK_CHECK_FLAGS = 0x40cd5, /* all of them; check_run.S knows it, too */
};

/* Offsets in the image of FXSAVE64 (SDM vol. 1, 10.5.1). */
enum {
    ALTPICK_FX_CONTROL = 0,
    ALTPICK_FX_STATUS = 2,
    ALTPICK_FX_TAGS = 4,
    ALTPICK_FX_OPCODE = 6,
    ALTPICK_FX_INSTRUCTION = 8,
    ALTPICK_FX_OPERAND = 16,
    ALTPICK_FX_MXCSR = 24,
    ALTPICK_FX_ST = 32,
    ALTPICK_FX_XMM = 160,
    ALTPICK_FX_END = 416,
    ALTPICK_FX_ENVIRONMENT = 464,          /* FNSTENV's 28 bytes, put there by us */
    ALTPICK_FX_ENVIRONMENT_POINTERS = 476, /* FIP, FCS and FOP, FDP, FDS */
    ALTPICK_FX_ENVIRONMENT_END = 492,
};

/* Everything that is looked at. */
struct altpick_check_state {
    uint64_t general[ALTPICK_CHECK_GENERAL]; /* in the order of their encoding */
    uint64_t flags;                          /* before: those of ALTPICK_CHECK_FLAGS that are set */
    uint64_t stack[ALTPICK_CHECK_STACK];     /* from rsp upwards */
    _Alignas(16) uint8_t fx[512];
};

struct altpick_check_frame {
    struct altpick_check_state before, after;
    _Alignas(16) uint8_t caller_fx[512];
    const void *code;
    uint64_t caller_stack, caller_flags;
    uint64_t landing; /* altpick_check_landing */
};

_Static_assert(offsetof(struct altpick_check_state, flags) == 128, "check_run.S");
_Static_assert(offsetof(struct altpick_check_state, stack) == 136, "check_run.S");
_Static_assert(offsetof(struct altpick_check_state, fx) == 192, "check_run.S");
_Static_assert(offsetof(struct altpick_check_frame, after) == 704, "check_run.S");
_Static_assert(offsetof(struct altpick_check_frame, caller_fx) == 1408, "check_run.S");
_Static_assert(offsetof(struct altpick_check_frame, code) == 1920, "check_run.S");
_Static_assert(offsetof(struct altpick_check_frame, caller_stack) == 1928, "check_run.S");
_Static_assert(offsetof(struct altpick_check_frame, caller_flags) == 1936, "check_run.S");
_Static_assert(offsetof(struct altpick_check_frame, landing) == 1944, "check_run.S");

/*
 * Fill every register from frame->before (rsp aside, which is set in it), go to frame->code, and
 * return with frame->after filled.  The code loads rax from frame->before itself and ends by
 * storing rax in frame->after and jumping to frame->landing with rax at @frame.
 */
ALTPICK_SYSV void altpick_check_run(struct altpick_check_frame *frame);
ALTPICK_SYSV void altpick_check_landing(void); /* not to be called */

#endif
