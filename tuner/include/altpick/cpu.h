/* SPDX-License-Identifier: MIT */
/* Who this CPU says it is and which instructions may be executed on it, from CPUID and XCR0. */
#ifndef ALTPICK_CPU_H
#define ALTPICK_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of cores of hybrid CPUs (CPUID leaf 1AH, EAX bits 31:24). */
enum { ALTPICK_CORE_ATOM = 0x20, ALTPICK_CORE_CORE = 0x40 };

enum { ALTPICK_CPU_EAX, ALTPICK_CPU_EBX, ALTPICK_CPU_ECX, ALTPICK_CPU_EDX };

/* State components that an operating system must have enabled in XCR0 (SDM vol. 1, 13.1). */
#define ALTPICK_XCR0_SSE  0x2u
#define ALTPICK_XCR0_AVX  0x6u
#define ALTPICK_XCR0_ZMM  0xe6u
#define ALTPICK_XCR0_TILE 0x60000u

/*
 * A feature a line: name, CPUID leaf, subleaf, register, bit, XCR0 components that must be enabled.
 * A feature is present only when its leaf exists, its bit is set and, where the last column is not
 * zero, OSXSAVE is set and XCR0 has all of those components.  Names are file format.
 */
#define ALTPICK_CPU_FEATURES(X)                                                                    \
    X(FPU, "fpu", 1, 0, ALTPICK_CPU_EDX, 0, 0)                                                     \
    X(TSC, "tsc", 1, 0, ALTPICK_CPU_EDX, 4, 0)                                                     \
    X(CMOV, "cmov", 1, 0, ALTPICK_CPU_EDX, 15, 0)                                                  \
    X(CLFLUSH, "clflush", 1, 0, ALTPICK_CPU_EDX, 19, 0)                                            \
    X(MMX, "mmx", 1, 0, ALTPICK_CPU_EDX, 23, 0)                                                    \
    X(FXSR, "fxsr", 1, 0, ALTPICK_CPU_EDX, 24, 0)                                                  \
    X(SSE, "sse", 1, 0, ALTPICK_CPU_EDX, 25, 0)                                                    \
    X(SSE2, "sse2", 1, 0, ALTPICK_CPU_EDX, 26, 0)                                                  \
    X(SSSE3, "ssse3", 1, 0, ALTPICK_CPU_ECX, 9, 0)                                                 \
    X(POPCNT, "popcnt", 1, 0, ALTPICK_CPU_ECX, 23, 0)                                              \
    X(XSAVE, "xsave", 1, 0, ALTPICK_CPU_ECX, 26, 0)                                                \
    X(OSXSAVE, "osxsave", 1, 0, ALTPICK_CPU_ECX, 27, 0)                                            \
    X(AVX, "avx", 1, 0, ALTPICK_CPU_ECX, 28, ALTPICK_XCR0_AVX)                                     \
    X(HYPERVISOR, "hypervisor", 1, 0, ALTPICK_CPU_ECX, 31, 0)                                      \
    X(AVX2, "avx2", 7, 0, ALTPICK_CPU_EBX, 5, ALTPICK_XCR0_AVX)                                    \
    X(ERMS, "erms", 7, 0, ALTPICK_CPU_EBX, 9, 0)                                                   \
    X(AVX512F, "avx512f", 7, 0, ALTPICK_CPU_EBX, 16, ALTPICK_XCR0_ZMM)                             \
    X(CLFLUSHOPT, "clflushopt", 7, 0, ALTPICK_CPU_EBX, 23, 0)                                      \
    X(AVX512BW, "avx512bw", 7, 0, ALTPICK_CPU_EBX, 30, ALTPICK_XCR0_ZMM)                           \
    X(AVX512VL, "avx512vl", 7, 0, ALTPICK_CPU_EBX, 31, ALTPICK_XCR0_ZMM)                           \
    X(PKU, "pku", 7, 0, ALTPICK_CPU_ECX, 3, 0)                                                     \
    X(SERIALIZE, "serialize", 7, 0, ALTPICK_CPU_EDX, 14, 0)                                        \
    X(HYBRID, "hybrid", 7, 0, ALTPICK_CPU_EDX, 15, 0)                                              \
    X(AMX_TILE, "amx-tile", 7, 0, ALTPICK_CPU_EDX, 24, ALTPICK_XCR0_TILE)                          \
    X(XSAVEOPT, "xsaveopt", 0xd, 1, ALTPICK_CPU_EAX, 0, 0)                                         \
    X(XSAVEC, "xsavec", 0xd, 1, ALTPICK_CPU_EAX, 1, 0)                                             \
    X(XGETBV1, "xgetbv1", 0xd, 1, ALTPICK_CPU_EAX, 2, 0)                                           \
    X(XSAVES, "xsaves", 0xd, 1, ALTPICK_CPU_EAX, 3, 0)                                             \
    X(RDTSCP, "rdtscp", 0x80000001, 0, ALTPICK_CPU_EDX, 27, 0)                                     \
    X(LM, "lm", 0x80000001, 0, ALTPICK_CPU_EDX, 29, 0)                                             \
    X(INVARIANT_TSC, "invariant-tsc", 0x80000007, 0, ALTPICK_CPU_EDX, 8, 0)

enum altpick_cpu_feature {
#define X(id, name, leaf, subleaf, reg, bit, xcr0) ALTPICK_CPU_##id,
    ALTPICK_CPU_FEATURES(X)
#undef X
        ALTPICK_N_CPU_FEATURES
};

enum { ALTPICK_CPU_FEATURE_WORDS = 2 };
_Static_assert(ALTPICK_N_CPU_FEATURES <= 32 * ALTPICK_CPU_FEATURE_WORDS, "add a feature word");

/* What CPUID and XCR0 say.  Sizes are 0 where CPUID does not tell. */
struct altpick_cpu {
    char vendor[13];                  /* leaf 0, NUL-terminated, printable ASCII only */
    char brand[49];                   /* leaves 0x80000002..4, trimmed; "" where absent */
    char hypervisor[13];              /* leaf 0x40000000; "" without the hypervisor bit */
    uint32_t signature;               /* leaf 1 EAX */
    uint32_t family, model, stepping; /* displayed family and model (SDM, CPUID leaf 1) */
    uint32_t core_type;               /* ALTPICK_CORE_ATOM or _CORE on hybrid parts, else 0 */
    uint32_t microcode; /* filled by whoever can read it (host: /proc/cpuinfo); 0 unknown */
    uint32_t features[ALTPICK_CPU_FEATURE_WORDS]; /* bit n: enum altpick_cpu_feature n */
    uint64_t xcr0;                                /* 0 without OSXSAVE */
    uint32_t l1i_bytes; /* leaf 4, or AMD's 0x8000001d, or AMD's 0x80000005 */
    uint32_t l1d_bytes;
    uint32_t l2_bytes;
    uint32_t line_bytes; /* cache line of L1I */
};

/* Where CPUID values come from: the CPU, or a table in a test.  ret_regs: EAX, EBX, ECX, EDX. */
struct altpick_cpuid_source {
    void (*cpuid)(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4]);
    uint64_t (*xgetbv0)(void *ctx); /* called only where OSXSAVE is set */
    void *ctx;
};

/* The source that executes CPUID and XGETBV on this CPU. */
extern const struct altpick_cpuid_source altpick_cpuid_native;

/* Read identity, features and cache sizes from @source; leaves above the maximum are never read. */
void altpick_cpu_read(const struct altpick_cpuid_source *source, struct altpick_cpu *ret_cpu);

/* Whether @feature may be used: see ALTPICK_CPU_FEATURES. */
bool altpick_cpu_has(const struct altpick_cpu *cpu, enum altpick_cpu_feature feature);

/* Whether all of @features may be used: bit n is enum altpick_cpu_feature n. */
bool altpick_cpu_has_all(const struct altpick_cpu *cpu, uint64_t features);

/* The name of @feature; NULL when out of range. */
const char *altpick_cpu_feature_name(unsigned feature);

#endif
