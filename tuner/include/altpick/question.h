/* SPDX-License-Identifier: MIT */
/* A question: something to decide, its candidates (machine code) and its items (contests). */
#ifndef ALTPICK_QUESTION_H
#define ALTPICK_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state in which a cost is measured.  Names are file format; append only. */
#define ALTPICK_CONDITIONS(X)                                                                      \
    X(HOT, "hot")                     /* served by the uop cache */                                \
    X(LEGACY_DECODE, "legacy-decode") /* in L1I, too large for the uop cache */                    \
    X(L1I_MISS, "l1i-miss")           /* in L2, too large for L1I */                               \
    X(WARM, "warm")                                                                                \
    X(COLD_DATA, "cold-data")                                                                      \
    X(COLD_CODE, "cold-code")                                                                      \
    X(CONTENDED, "contended")

enum altpick_condition {
#define X(id, name) ALTPICK_##id,
    ALTPICK_CONDITIONS(X)
#undef X
        ALTPICK_N_CONDITIONS
};

/* The name of @condition; NULL when out of range. */
const char *altpick_condition_name(unsigned condition);

/* A property that a candidate promises.  Names are file format; append only. */
#define ALTPICK_GUARANTEES(X)                                                                      \
    X(ONE_INSTRUCTION, "one-instruction")     /* no CPU can be stopped in the middle of it */      \
    X(CANNOT_FAULT, "cannot-fault")           /* whatever state the CPU is in */                   \
    X(NO_REGISTER_WRITE, "no-register-write") /* every register and flag is left as it was */

enum altpick_guarantee {
#define X(id, name) ALTPICK_GUARANTEE_##id,
    ALTPICK_GUARANTEES(X)
#undef X
        ALTPICK_N_GUARANTEES
};

/* The name of @guarantee; NULL when out of range. */
const char *altpick_guarantee_name(unsigned guarantee);

/*
 * What code can change besides memory.  The general registers come first, in the order of their
 * encoding.
 */
#define ALTPICK_REGISTERS(X)                                                                       \
    X(RAX, "rax")                                                                                  \
    X(RCX, "rcx")                                                                                  \
    X(RDX, "rdx")                                                                                  \
    X(RBX, "rbx")                                                                                  \
    X(RSP, "rsp")                                                                                  \
    X(RBP, "rbp")                                                                                  \
    X(RSI, "rsi")                                                                                  \
    X(RDI, "rdi")                                                                                  \
    X(R8, "r8")                                                                                    \
    X(R9, "r9")                                                                                    \
    X(R10, "r10")                                                                                  \
    X(R11, "r11")                                                                                  \
    X(R12, "r12")                                                                                  \
    X(R13, "r13")                                                                                  \
    X(R14, "r14")                                                                                  \
    X(R15, "r15")                                                                                  \
    X(STACK, "stack") /* what lies at and above rsp */                                             \
    X(FLAGS, "flags") /* CF, PF, AF, ZF, SF, OF */                                                 \
    X(DF, "DF")                                                                                    \
    X(AC, "AC")                                                                                    \
    X(MXCSR, "MXCSR")                                                                              \
    X(X87_CONTROL, "x87 control word")                                                             \
    X(X87, "x87 state")   /* status, tags, pointers, opcode and registers */                       \
    X(VECTORS, "xmm0-15") /* their lower 128 bits */

enum altpick_register {
#define X(id, name) ALTPICK_REGISTER_##id,
    ALTPICK_REGISTERS(X)
#undef X
        ALTPICK_N_REGISTERS
};

/* The name of @reg; NULL when out of range. */
const char *altpick_register_name(unsigned reg);

enum {
    ALTPICK_NAME_MAX = 32,        /* question, item and candidate names, with their NUL */
    ALTPICK_CODE_MAX = 64,        /* bytes of machine code in one candidate */
    ALTPICK_CANDIDATES_MAX = 192, /* of one question */
    ALTPICK_ITEMS_MAX = 32,       /* of one question */
};

/* One way to do it.  The bytes timed are these bytes, and these bytes are what a generator ships.
 */
struct altpick_candidate {
    char name[ALTPICK_NAME_MAX]; /* "0f1f.5"; stable, it is file format */
    uint8_t code[ALTPICK_CODE_MAX];
    uint32_t code_bytes;
    uint32_t guarantees; /* bit n: declares enum altpick_guarantee n */
    bool branches;       /* contains a taken branch: needs more warm-up passes */
};

struct altpick_result;   /* profile.h: the costs of one question's candidates */
struct altpick_policy;   /* policy.h */
struct altpick_decision; /* decide.h */
struct altpick_contest;  /* decide.h */

/* What published figures of other CPUs say of a piece of code. */
enum altpick_elsewhere {
    ALTPICK_ELSEWHERE_FINE,  /* published, and never far from the best filling of the same bytes */
    ALTPICK_ELSEWHERE_TOXIC, /* costs far more than the best filling on some published core */
    ALTPICK_ELSEWHERE_UNKNOWN, /* nothing published about it */
};

/*
 * A question is a constant: one file in probes/, one line in probes/meson.build.  Functions are
 * pure; memory is the caller's.
 */
struct altpick_question {
    const char *name;         /* "nop.fill.64" */
    const char *title;        /* one line for people */
    uint32_t bits;            /* 64, 32 or 16: the kind of code its candidates are */
    uint32_t conditions;      /* bit n: measured in enum altpick_condition n */
    uint32_t layouts_percent; /* of the plan, for questions that should take less time; 0: all */
    const char *unmeasured;   /* why no machine measures it; NULL: machines do */
    uint32_t requires;        /* bit n: no candidate wins without enum altpick_guarantee n */

    /*
     * Bit n: its code may change enum altpick_register n.  A candidate that changes anything else
     * is not timed.  rsp, rdx and the stack belong to the loop that times it.
     */
    uint32_t may_change;

    /* Each of the following gets the question it belongs to: one may serve several questions. */

    /* Write the built-in candidates; returns how many, at most ALTPICK_CANDIDATES_MAX. */
    size_t (*candidates)(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX]);

    /*
     * Change candidates whose code depends on costs measured so far (names and number stay).
     * Called once, after the first batch.  NULL: none do.  Candidates that wait for it have
     * code_bytes 0 until then.
     */
    void (*refine)(const struct altpick_question *question, const struct altpick_result *so_far,
                   struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX], size_t n);

    /* Whether @code may be a candidate whose code is not built in (NULL: none may). */
    bool (*accepts)(const struct altpick_question *question, const uint8_t *code, size_t bytes);

    /* How many contests there are, and contest @index, given the decisions of those before it. */
    size_t n_items;
    void (*item)(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest);

    /* What other CPUs' published figures say of @code; NULL: nothing is published. */
    enum altpick_elsewhere (*elsewhere)(const uint8_t *code, size_t bytes);
};

/* Every registered question, in the order of probes/meson.build. */
extern const struct altpick_question *const altpick_questions[];
extern const size_t altpick_question_count;

/* The registered question called @name, or NULL. */
const struct altpick_question *altpick_question_find(const char *name);

#endif
