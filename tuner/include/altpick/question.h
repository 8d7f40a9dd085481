/* SPDX-License-Identifier: MIT */
/* A question: something to decide, its candidates (machine code) and its items (contests). */
#ifndef ALTPICK_QUESTION_H
#define ALTPICK_QUESTION_H

#include "altpick/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The state in which a cost is measured (tuner/core/setup.c says how).  Names are file format;
 * append only.
 */
#define ALTPICK_CONDITIONS(X)                                                                      \
    X(HOT, "hot")                         /* served by the uop cache */                            \
    X(LEGACY_DECODE, "legacy-decode")     /* in L1I, too large for the uop cache */                \
    X(L1I_MISS, "l1i-miss")               /* in L2, too large for L1I */                           \
    X(WARM, "warm")                       /* code and data in the first-level caches */            \
    X(COLD_DATA, "cold-data")             /* its data flushed from all caches */                   \
    X(COLD_CODE, "cold-code")             /* its code flushed from all caches */                   \
    X(CONTENDED, "contended")             /* another CPU works on the same data */                 \
    X(COLD_BOTH, "cold-both")             /* code and data flushed: a first use */                 \
    X(STREAMED, "streamed")               /* after reading memory far larger than the caches */    \
    X(FENCED, "fenced")                   /* warm, one execution between two fences */             \
    X(NEXT_SAVE, "next-save")             /* of the save that follows it, not its own */           \
    X(INIT, "init")                       /* vector and x87 state in its initial configuration */  \
    X(DIRTY, "dirty")                     /* every component in use */                             \
    X(UNMODIFIED, "unmodified")           /* as it was restored from the same memory */            \
    X(ZEROED, "after-vzeroall")           /* every component in use, then VZEROALL */              \
    X(COLD_INIT, "cold-init")             /* init, memory flushed */                               \
    X(COLD_DIRTY, "cold-dirty")           /* dirty, memory flushed */                              \
    X(COLD_UNMODIFIED, "cold-unmodified") /* unmodified, memory flushed */                         \
    X(SSE_512, "sse-512")                 /* then a xor of two blocks of so many bytes, by SSE */  \
    X(SSE_4096, "sse-4096")                                                                        \
    X(SSE_65536, "sse-65536")                                                                      \
    X(PREFETCH_512, "prefetch-512") /* the same with software prefetch */                          \
    X(PREFETCH_4096, "prefetch-4096")                                                              \
    X(PREFETCH_65536, "prefetch-65536")                                                            \
    X(AVX2_512, "avx2-512")                                                                        \
    X(AVX2_4096, "avx2-4096")                                                                      \
    X(AVX2_65536, "avx2-65536")                                                                    \
    X(AVX512_512, "avx512-512")                                                                    \
    X(AVX512_4096, "avx512-4096")                                                                  \
    X(AVX512_65536, "avx512-65536")

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
    X(NO_REGISTER_WRITE, "no-register-write") /* every register and flag is left as it was */      \
    /* Two different states before it end in the same state after it, by component of the state.   \
     */                                                                                            \
    X(NO_LEAK_X87, "no-leak:x87")                   /* status, tags and data registers */          \
    X(NO_LEAK_X87_POINTERS, "no-leak:x87-pointers") /* FIP, FDP and FOP */                         \
    X(NO_LEAK_X87_CONTROL, "no-leak:x87-control")                                                  \
    X(NO_LEAK_MXCSR, "no-leak:mxcsr")                                                              \
    X(NO_LEAK_XMM, "no-leak:xmm")                                                                  \
    X(NO_LEAK_YMM, "no-leak:ymm") /* upper halves of ymm0-15 */                                    \
    X(NO_LEAK_BND, "no-leak:bnd")                                                                  \
    X(NO_LEAK_OPMASK, "no-leak:opmask")                                                            \
    X(NO_LEAK_ZMM, "no-leak:zmm")           /* upper halves of zmm0-15 */                          \
    X(NO_LEAK_HI16_ZMM, "no-leak:hi16-zmm") /* zmm16-31 */                                         \
    X(NO_LEAK_TILE, "no-leak:tile")         /* configuration and data */                           \
    X(NO_LEAK_APX, "no-leak:apx")           /* r16-r31 */                                          \
    /* The component is as after a reset of the FPU (SDM vol. 1, 13.6). */                         \
    X(INIT_X87, "exact-init:x87")                                                                  \
    X(INIT_X87_POINTERS, "exact-init:x87-pointers")                                                \
    X(INIT_X87_CONTROL, "exact-init:x87-control") /* 037F */                                       \
    X(INIT_MXCSR, "exact-init:mxcsr")             /* 1F80 */                                       \
    X(INIT_XMM, "exact-init:xmm")                                                                  \
    X(INIT_YMM, "exact-init:ymm")                                                                  \
    X(INIT_BND, "exact-init:bnd")                                                                  \
    X(INIT_OPMASK, "exact-init:opmask")                                                            \
    X(INIT_ZMM, "exact-init:zmm")                                                                  \
    X(INIT_HI16_ZMM, "exact-init:hi16-zmm")                                                        \
    X(INIT_TILE, "exact-init:tile")                                                                \
    X(INIT_APX, "exact-init:apx")                                                                  \
    X(X87_EMPTY, "x87-empty") /* status and tags are initial, whatever the registers hold */       \
    /* XINUSE says so, too, and saves skip the component (SDM vol. 1, 13.6). */                    \
    X(UNUSED_X87, "xinuse-clear:x87")                                                              \
    X(UNUSED_XMM, "xinuse-clear:xmm")                                                              \
    X(UNUSED_YMM, "xinuse-clear:ymm")                                                              \
    X(UNUSED_BND, "xinuse-clear:bnd")                                                              \
    X(UNUSED_OPMASK, "xinuse-clear:opmask")                                                        \
    X(UNUSED_ZMM, "xinuse-clear:zmm")                                                              \
    X(UNUSED_HI16_ZMM, "xinuse-clear:hi16-zmm")                                                    \
    X(UNUSED_TILE, "xinuse-clear:tile")                                                            \
    X(UNUSED_APX, "xinuse-clear:apx")                                                              \
    /* Of instructions that save state. */                                                         \
    X(SAVES_STATE, "saves-state")         /* a restore brings every component of its set back */   \
    X(STANDARD_LAYOUT, "standard-layout") /* offsets of CPUID leaf 0DH, not compacted */           \
    X(NO_LAZY_LEAK, "no-lazy-leak")       /* no registers of another task: CVE-2018-3665 */        \
    /* Of reference counters. */                                                                   \
    X(SATURATES_ON_OVERFLOW,                                                                       \
      "saturates-on-overflow")                /* it sticks, it never wraps to a live count */      \
    X(SAFE_ON_UNDERFLOW, "safe-on-underflow") /* the same, for a release too many */               \
    X(BLOCKS_INC_FROM_ZERO, "blocks-inc-from-zero") /* a dead object is not revived */             \
    X(REPORTS_MISUSE, "reports-misuse")             /* says so each time */

enum altpick_guarantee {
#define X(id, name) ALTPICK_GUARANTEE_##id,
    ALTPICK_GUARANTEES(X)
#undef X
        ALTPICK_N_GUARANTEES
};

/* The name of @guarantee; NULL when out of range. */
const char *altpick_guarantee_name(unsigned guarantee);

/* The same after "lacks "; static text, too. */
const char *altpick_guarantee_lacks(unsigned guarantee);

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
    ALTPICK_CODE_MAX = 256,       /* bytes of machine code in one candidate */
    ALTPICK_CANDIDATES_MAX = 192, /* of one question */
    ALTPICK_ITEMS_MAX = 32,       /* of one question */
};

/* The memory that rdi points to when a candidate runs: what it is and how many bytes of it it
 * needs. */
#define ALTPICK_DATA(X)                                                                            \
    X(NONE, 0)                                                                                     \
    X(MXCSR, 4)         /* 1F80 */                                                                 \
    X(FX_IMAGE, 512)    /* for FXRSTOR: the initial state */                                       \
    X(XSAVE_IMAGE, 576) /* for XRSTOR: the same with a header that marks all components initial */ \
    X(SAVE_AREA, 0)     /* where state is saved; its size is the CPU's */                          \
    X(COUNTER, 0)       /* a reference counter: of 4 bytes, which are its user's */                \
    X(CR0, 0)           /* no memory: eax is the value of CR0 (ring 0 only) */

enum altpick_data {
#define X(id, bytes) ALTPICK_DATA_##id,
    ALTPICK_DATA(X)
#undef X
        ALTPICK_N_DATA
};

/* Bytes of data that come with code that uses @data: constants, not what it writes. */
uint32_t altpick_data_bytes(enum altpick_data data);

/*
 * One way to do it.  The bytes timed are these bytes, and these bytes are what a generator ships.
 * When it runs, rdi points to its data, esi is 1, ecx is 0 and eax is 1; or 0 where its data is an
 * image for XRSTOR and the CPU has no XSAVE; or CR0, where that is its data.
 */
struct altpick_candidate {
    char name[ALTPICK_NAME_MAX]; /* "0f1f.5"; stable, it is file format */
    uint32_t code_bytes;
    uint64_t guarantees; /* bit n: declares enum altpick_guarantee n */
    bool branches;       /* contains a taken branch: needs more warm-up passes */
    bool ring0;          /* cannot run in ring 3 */
    enum altpick_data data;
    uint64_t needs; /* bit n: enum altpick_cpu_feature n; without them it is not run */
    uint32_t saves; /* bits of XCR0 whose state it stores in a save area; 0: it is no save */
    bool compacted; /* its save area is in the format of XSAVES (SDM vol. 1, 13.4.3) */
    uint8_t traps;  /* raises #NM: it is one instruction of so many bytes, run while CR0.TS is set
                       by a handler that steps over it; 0: none of this */
    uint8_t code[ALTPICK_CODE_MAX]; /* code_bytes of it */
};

struct altpick_result;        /* profile.h: the costs of one question's candidates */
struct altpick_policy;        /* policy.h */
struct altpick_decision;      /* decide.h */
struct altpick_contest;       /* decide.h */
struct altpick_decisions;     /* decide.h */
struct altpick_looking;       /* look.h */
struct altpick_trust_figures; /* trust.h */
struct altpick_machine;       /* profile.h */
struct altpick_counter;       /* measure.h */
struct altpick_emitting;      /* output.h */

/* A check of one candidate: see look.h. */
typedef int altpick_look(struct altpick_looking *looking, uint32_t candidate);

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
    uint32_t n_candidates;    /* how many candidates() writes at most, for who sets memory aside; 0:
                                 ALTPICK_CANDIDATES_MAX */
    const char *unmeasured;   /* why no machine measures it; NULL: machines do */
    uint64_t requires;        /* bit n: no candidate wins without enum altpick_guarantee n */
    uint64_t promises; /* bit n: every candidate is held to enum altpick_guarantee n, whether it
                          declares it or not: what a look contradicts is told */
    uint64_t examines; /* bit n: enum altpick_guarantee n is looked for in every candidate, whether
                          it declares it or not */
    uint32_t unranked; /* bit n: enum altpick_condition n is shown and never decides */
    uint32_t margin_permille; /* differences within it are ties whatever the policy says; 0: the
                                 policy's margin alone */

    /*
     * Bit n: its code may change enum altpick_register n.  A candidate that changes anything else
     * is not timed.  rsp, rbp and the stack belong to the loop that times it, r12 to r15 to what
     * some conditions run after it.
     */
    uint32_t may_change;

    /* Runs candidates and looks at what they did (look.h); NULL: only registers are looked at. */
    altpick_look *look;

    /*
     * Marks what left a guest among the costs of @machine by @figures (exits.h of the core); NULL:
     * nothing of it can.
     */
    size_t (*mark_exits)(const struct altpick_trust_figures *figures,
                         struct altpick_machine *machine);

    /* What @candidate does to a reference counter; false where it does nothing.  NULL: none do. */
    bool (*counter)(const struct altpick_candidate *candidate, struct altpick_counter *ret_counter);

    /* The weight of a condition where the policy gives none; NULL: 1 each. */
    const uint8_t *weights; /* ALTPICK_N_CONDITIONS of them */

    /* Each of the following gets the question it belongs to: one may serve several questions. */

    /* Write the built-in candidates; returns how many, at most ALTPICK_CANDIDATES_MAX. */
    size_t (*candidates)(const struct altpick_question *question,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX]);

    /*
     * Write built-in candidate @index alone; false beyond the last.  Outputs need it of questions
     * whose code they ship.  NULL: candidates are made all at once only.
     */
    bool (*candidate)(const struct altpick_question *question, size_t index,
                      struct altpick_candidate *ret);

    /*
     * Change candidates whose code depends on costs measured so far (names and number stay).
     * Called once, after the first batch.  NULL: none do.  Candidates that wait for it have
     * code_bytes 0 until then.
     */
    void (*refine)(const struct altpick_question *question, const struct altpick_result *so_far,
                   struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX], size_t n);

    /* Whether @code may be a candidate whose code is not built in (NULL: none may). */
    bool (*accepts)(const struct altpick_question *question, const uint8_t *code, size_t bytes);

    const struct altpick_emitting *emits; /* what an output has of it; NULL: nothing */

    /* How many contests there are, and contest @index, given the decisions of those before it. */
    size_t n_items;
    void (*item)(const struct altpick_question *question, size_t index,
                 const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest);
};

/* Every registered question, in the order of probes/meson.build. */
extern const struct altpick_question *const altpick_questions[];
extern const size_t altpick_question_count;

/* The registered question called @name, or NULL. */
const struct altpick_question *altpick_question_find(const char *name);

#endif
