/* SPDX-License-Identifier: MIT */
/* Turns the name of a condition into what has to be done for it: one line each. */
#include "setup.h"

#include "altpick/measure.h"

/* work_run.S: the code of each work, for r12, r13 (two blocks) and r14 (bytes). */
extern const uint8_t altpick_work_sse[], altpick_work_sse_end[];
extern const uint8_t altpick_work_prefetch[], altpick_work_prefetch_end[];
extern const uint8_t altpick_work_avx2[], altpick_work_avx2_end[];
extern const uint8_t altpick_work_avx512[], altpick_work_avx512_end[];
extern const uint8_t altpick_work_save[], altpick_work_save_end[];

#define FEATURE(id)        (UINT64_C(1) << ALTPICK_CPU_##id)
#define XOR(kind, bytes)   .work = ALTPICK_WORK_##kind, .work_bytes = (bytes)
#define SAVED(how)         .state = ALTPICK_STATE_##how
#define SHOT_OF(how, what) .shot = true, .state = ALTPICK_STATE_##how, .flush_##what = true

/* clang-format off */
static const struct altpick_setup setups[ALTPICK_N_CONDITIONS] = {
    [ALTPICK_HOT] = {.plain_code = true},
    [ALTPICK_LEGACY_DECODE] = {.plain_code = true},
    [ALTPICK_L1I_MISS] = {.plain_code = true},
    [ALTPICK_WARM] = {SAVED(DIRTY)},
    [ALTPICK_COLD_DATA] = {SHOT_OF(DIRTY, data)},
    [ALTPICK_COLD_CODE] = {SHOT_OF(DIRTY, code)},
    [ALTPICK_COLD_BOTH] = {SHOT_OF(DIRTY, code), .flush_data = true},
    [ALTPICK_STREAMED] = {.shot = true, .state = ALTPICK_STATE_DIRTY, .streams = true},
    [ALTPICK_FENCED] = {.shot = true, .state = ALTPICK_STATE_DIRTY},
    [ALTPICK_CONTENDED] = {.contended = true},
    [ALTPICK_NEXT_SAVE] = {SAVED(DIRTY), .lead = true, .work = ALTPICK_WORK_SAVE,
                           .needs = FEATURE(XSAVEC)},
    [ALTPICK_INIT] = {SAVED(INIT)},
    [ALTPICK_DIRTY] = {SAVED(DIRTY)},
    [ALTPICK_UNMODIFIED] = {SAVED(RESTORED)},
    [ALTPICK_ZEROED] = {SAVED(ZEROED), .needs = FEATURE(AVX)},
    [ALTPICK_COLD_INIT] = {SHOT_OF(INIT, data)},
    [ALTPICK_COLD_DIRTY] = {SHOT_OF(DIRTY, data)},
    [ALTPICK_COLD_UNMODIFIED] = {SHOT_OF(RESTORED, data)},
    [ALTPICK_SSE_512] = {XOR(SSE, 512)},
    [ALTPICK_SSE_4096] = {XOR(SSE, 4096)},
    [ALTPICK_SSE_65536] = {XOR(SSE, 65536)},
    [ALTPICK_PREFETCH_512] = {XOR(PREFETCH, 512)},
    [ALTPICK_PREFETCH_4096] = {XOR(PREFETCH, 4096)},
    [ALTPICK_PREFETCH_65536] = {XOR(PREFETCH, 65536)},
    [ALTPICK_AVX2_512] = {XOR(AVX2, 512), .needs = FEATURE(AVX2)},
    [ALTPICK_AVX2_4096] = {XOR(AVX2, 4096), .needs = FEATURE(AVX2)},
    [ALTPICK_AVX2_65536] = {XOR(AVX2, 65536), .needs = FEATURE(AVX2)},
    [ALTPICK_AVX512_512] = {XOR(AVX512, 512), .needs = FEATURE(AVX512F)},
    [ALTPICK_AVX512_4096] = {XOR(AVX512, 4096), .needs = FEATURE(AVX512F)},
    [ALTPICK_AVX512_65536] = {XOR(AVX512, 65536), .needs = FEATURE(AVX512F)},
};
/* clang-format on */

const struct altpick_setup *altpick_setup_of(unsigned condition)
{
    return &setups[condition];
}

uint64_t altpick_condition_needs(unsigned condition)
{
    return setups[condition].needs;
}

size_t altpick_setup_work(enum altpick_setup_work work, const uint8_t **ret_code)
{
    static const uint8_t *const code[][2] = {
        [ALTPICK_WORK_SSE] = {altpick_work_sse,      altpick_work_sse_end     },
        [ALTPICK_WORK_PREFETCH] = {altpick_work_prefetch, altpick_work_prefetch_end},
        [ALTPICK_WORK_AVX2] = {altpick_work_avx2,     altpick_work_avx2_end    },
        [ALTPICK_WORK_AVX512] = {altpick_work_avx512,   altpick_work_avx512_end  },
        [ALTPICK_WORK_SAVE] = {altpick_work_save,     altpick_work_save_end    },
    };

    *ret_code = code[work][0];
    return work == ALTPICK_WORK_NONE ? 0 : (size_t) (code[work][1] - code[work][0]);
}
