/* SPDX-License-Identifier: MIT */
/* The candidates of fpu.init: images to restore from, and instructions that clear registers. */
#include "bytes.h"
#include "code_bytes.h"
#include "fpu_init.h"

enum { N_MMX = 8, N_OPMASK = 8, N_XMM_2002 = 8, N_XMM = 16, FIRST_HI16 = 16, N_ALL_XMM = 32 };

/* How far register clearing goes. */
enum reach { EIGHT_XMM, SIXTEEN_XMM, AVX, AVX512, TILE, N_REACHES };

#define NO_LEAK(id) GUARANTEE(NO_LEAK_##id)
static const uint64_t no_leak_all = FPU_INIT_PROMISES;
static const uint64_t no_leak_control =
    NO_LEAK(X87) | NO_LEAK(X87_CONTROL) | NO_LEAK(MXCSR); /* what all of them do */
static const uint64_t exact_control = GUARANTEE(INIT_X87_CONTROL) | GUARANTEE(INIT_MXCSR);
/* Without the x87 pointers: see own_pointers.  Where they can be seen, a look tells. */
static const uint64_t exact_but_pointers =
    GUARANTEE(INIT_X87) | GUARANTEE(X87_EMPTY) | GUARANTEE(INIT_XMM);
static const uint64_t exact_extended =
    GUARANTEE(INIT_YMM) | GUARANTEE(INIT_BND) | GUARANTEE(INIT_OPMASK) | GUARANTEE(INIT_ZMM) |
    GUARANTEE(INIT_HI16_ZMM) | GUARANTEE(INIT_TILE) | GUARANTEE(INIT_APX);
static const uint64_t unused_legacy = GUARANTEE(UNUSED_X87) | GUARANTEE(UNUSED_XMM);
static const uint64_t unused_extended = GUARANTEE(UNUSED_YMM) | GUARANTEE(UNUSED_BND) |
                                        GUARANTEE(UNUSED_OPMASK) | GUARANTEE(UNUSED_ZMM) |
                                        GUARANTEE(UNUSED_HI16_ZMM) | GUARANTEE(UNUSED_TILE) |
                                        GUARANTEE(UNUSED_APX);

uint64_t altpick_fpu_init_state_guarantees(void)
{
    return no_leak_all | exact_control | exact_but_pointers | GUARANTEE(INIT_X87_POINTERS) |
           exact_extended | unused_legacy | unused_extended;
}

uint64_t altpick_fpu_init_requires(uint32_t components)
{
    static const uint64_t of_component[ALTPICK_N_COMPONENTS] = {
        [ALTPICK_COMPONENT_X87] = NO_LEAK(X87) | NO_LEAK(X87_POINTERS) | NO_LEAK(X87_CONTROL),
        [ALTPICK_COMPONENT_XMM] = NO_LEAK(XMM) | NO_LEAK(MXCSR),
        [ALTPICK_COMPONENT_YMM] = NO_LEAK(YMM),
        [ALTPICK_COMPONENT_BND] = NO_LEAK(BND),
        [ALTPICK_COMPONENT_OPMASK] = NO_LEAK(OPMASK),
        [ALTPICK_COMPONENT_ZMM] = NO_LEAK(ZMM),
        [ALTPICK_COMPONENT_HI16_ZMM] = NO_LEAK(HI16_ZMM),
        [ALTPICK_COMPONENT_TILE] = NO_LEAK(TILE),
        [ALTPICK_COMPONENT_APX] = NO_LEAK(APX),
    };
    uint64_t required = exact_control; /* whatever tasks own */

    /* Restores of all components alone promise all of these, and clear what has no name, too. */
    if (components >> ALTPICK_COMPONENT_OTHER & 1)
        required |= FPU_INIT_PROMISES;
    for (unsigned i = 0; i < ALTPICK_N_COMPONENTS; i++)
        required |= components >> i & 1 ? of_component[i] : 0;
    return required;
}

/* mov eax, ~PKRU; or edx, -1; xrstor64 [rdi]: RFBM is XCR0 without PKRU on every CPU. */
static const uint8_t xrstor_all[] = {0xb8, 0xff, 0xfd, 0xff, 0xff, 0x83,
                                     0xca, 0xff, 0x48, 0x0f, 0xae, 0x2f};

/* fxrstor64 [rdi] */
static const uint8_t fxrstor[] = {0x48, 0x0f, 0xae, 0x0f};

/*
 * fninit; fild dword [rdi+24]: values of our own for the x87 pointers.  AMD's processors before
 * family 17h leave those as they are when state is restored while no exception is pending
 * (CVE-2006-1056), XSAVE or not.  24 is MXCSR's place in the image, an integer like any other.
 */
static const uint8_t own_pointers[] = {0xdb, 0xe3, 0xdb, 0x47, 0x18};

bool altpick_fpu_init_dispatches(const struct altpick_candidate *candidate)
{
    return candidate->code_bytes > sizeof own_pointers &&
           altpick_equal_bytes(candidate->code, own_pointers, sizeof own_pointers);
}

/* eax: whether the CPU has XSAVE and the operating system has enabled it. */
static void make_dispatch(struct altpick_candidate *candidate)
{
    altpick_code_begin(candidate, "dispatch");
    altpick_code_append(candidate, own_pointers, sizeof own_pointers);
    CODE(candidate, 0x85, 0xc0);                              /* test eax, eax */
    CODE(candidate, 0x74, (uint8_t) (sizeof xrstor_all + 2)); /* jz to fxrstor */
    altpick_code_append(candidate, xrstor_all, sizeof xrstor_all);
    CODE(candidate, 0xeb, (uint8_t) sizeof fxrstor); /* jmp to the end */
    altpick_code_append(candidate, fxrstor, sizeof fxrstor);
    candidate->data = ALTPICK_DATA_XSAVE_IMAGE;
    candidate->needs = FEATURE(FXSR);
    candidate->branches = true;
    candidate->guarantees = no_leak_all | exact_control | exact_but_pointers | exact_extended;
}

static void make_xrstor_all(struct altpick_candidate *candidate)
{
    altpick_code_begin(candidate, "xrstor-all");
    altpick_code_append(candidate, xrstor_all, sizeof xrstor_all);
    candidate->data = ALTPICK_DATA_XSAVE_IMAGE;
    candidate->needs = FEATURE(XSAVE) | FEATURE(OSXSAVE);
    candidate->guarantees = (no_leak_all & ~NO_LEAK(X87_POINTERS)) | exact_control |
                            exact_but_pointers | exact_extended | unused_legacy | unused_extended;
}

static void make_xrstor_legacy(struct altpick_candidate *candidate)
{
    altpick_code_begin(candidate, "xrstor-x87-sse");
    CODE(candidate, 0xb8, 0x03, 0x00, 0x00, 0x00); /* mov eax, 3 */
    CODE(candidate, 0x31, 0xd2);                   /* xor edx, edx */
    CODE(candidate, 0x48, 0x0f, 0xae, 0x2f);       /* xrstor64 [rdi] */
    candidate->data = ALTPICK_DATA_XSAVE_IMAGE;
    candidate->needs = FEATURE(XSAVE) | FEATURE(OSXSAVE);
    candidate->guarantees =
        no_leak_control | NO_LEAK(XMM) | exact_control | exact_but_pointers | unused_legacy;
}

static void make_fxrstor(struct altpick_candidate *candidate)
{
    altpick_code_begin(candidate, "fxrstor");
    altpick_code_append(candidate, fxrstor, sizeof fxrstor);
    candidate->data = ALTPICK_DATA_FX_IMAGE;
    candidate->needs = FEATURE(FXSR);
    candidate->guarantees = no_leak_control | NO_LEAK(XMM) | exact_control | exact_but_pointers;
}

/* ModRM with the same register twice. */
static uint8_t twice(unsigned reg)
{
    return (uint8_t) (0xc0 | (reg & 7) * 9);
}

static void clear_xmm(struct altpick_candidate *candidate, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++) {
        if (i < N_XMM_2002)
            CODE(candidate, 0x0f, 0x57, twice(i)); /* xorps xmm, xmm */
        else
            CODE(candidate, 0x45, 0x0f, 0x57, twice(i));
    }
}

/* vpxord xmm16-31 (EVEX.128 clears all 512 bits), then kxorw k0-7, which clears all 64. */
static void clear_avx512(struct altpick_candidate *candidate)
{
    for (unsigned i = FIRST_HI16; i < N_ALL_XMM; i++)
        CODE(candidate, 0x62, i < FIRST_HI16 + 8 ? 0xa1 : 0x01, (uint8_t) (0x05 | (~i & 15) << 3),
             0x00, 0xef, twice(i));
    for (unsigned i = 0; i < N_OPMASK; i++)
        CODE(candidate, 0xc5, (uint8_t) (0x84 | (~i & 15) << 3), 0x47, twice(i));
}

/*
 * The constant 1F80 is an axis of its own: on the stack it is warm when data is not.  The red zone
 * below rsp is left alone, so that the code can be inlined anywhere.
 */
static void load_mxcsr(struct altpick_candidate *candidate, bool on_stack)
{
    if (!on_stack) {
        CODE(candidate, 0x0f, 0xae, 0x17); /* ldmxcsr [rdi] */
        candidate->data = ALTPICK_DATA_MXCSR;
        return;
    }
    CODE(candidate, 0x48, 0x8d, 0x64, 0x24, 0x80);                   /* lea rsp, [rsp-128] */
    CODE(candidate, 0x68, 0x80, 0x1f, 0x00, 0x00);                   /* push 0x1f80 */
    CODE(candidate, 0x0f, 0xae, 0x14, 0x24);                         /* ldmxcsr [rsp] */
    CODE(candidate, 0x48, 0x8d, 0xa4, 0x24, 0x88, 0x00, 0x00, 0x00); /* lea rsp, [rsp+136] */
}

/* As written in 2002, and what later CPUs added. */
static void make_clear(struct altpick_candidate *candidate, enum reach reach, bool on_stack)
{
    static const char *const names[N_REACHES][2] = {
        {"clear-2002-mem",   "clear-2002-stack"  },
        {"clear-16-mem",     "clear-16-stack"    },
        {"clear-avx-mem",    "clear-avx-stack"   },
        {"clear-avx512-mem", "clear-avx512-stack"},
        {"clear-tile-mem",   "clear-tile-stack"  },
    };
    static const uint64_t needs[N_REACHES] = {
        0, 0, FEATURE(AVX), FEATURE(AVX) | FEATURE(AVX512F) | FEATURE(AVX512VL),
        FEATURE(AVX) | FEATURE(AVX512F) | FEATURE(AVX512VL) | FEATURE(AMX_TILE)};
    /* VZEROALL zeroes zmm0-15 to their full width (SDM vol. 2), EVEX.128 the rest of zmm16-31. */
    static const uint64_t clears[N_REACHES] = {
        0, NO_LEAK(XMM), NO_LEAK(XMM) | NO_LEAK(YMM) | NO_LEAK(ZMM),
        NO_LEAK(XMM) | NO_LEAK(YMM) | NO_LEAK(ZMM) | NO_LEAK(OPMASK) | NO_LEAK(HI16_ZMM),
        NO_LEAK(XMM) | NO_LEAK(YMM) | NO_LEAK(ZMM) | NO_LEAK(OPMASK) | NO_LEAK(HI16_ZMM) |
            NO_LEAK(TILE)};

    altpick_code_begin(candidate, names[reach][on_stack]);
    CODE(candidate, 0xdb, 0xe3); /* fninit */
    for (unsigned i = 0; i < N_MMX; i++)
        CODE(candidate, 0x0f, 0xef, twice(i)); /* pxor mm, mm */
    if (reach < AVX)
        clear_xmm(candidate, 0, reach == EIGHT_XMM ? N_XMM_2002 : N_XMM);
    CODE(candidate, 0x0f, 0x77); /* emms */
    if (reach >= AVX)
        CODE(candidate, 0xc5, 0xfc, 0x77); /* vzeroall */
    if (reach >= AVX512)
        clear_avx512(candidate);
    if (reach >= TILE)
        CODE(candidate, 0xc4, 0xe2, 0x78, 0x49, 0xc0); /* tilerelease */
    load_mxcsr(candidate, on_stack);
    candidate->needs = FEATURE(MMX) | FEATURE(SSE) | needs[reach];
    /* FNINIT clears FIP, FDP and FOP (SDM vol. 2, FINIT). */
    candidate->guarantees = no_leak_control | NO_LEAK(X87_POINTERS) | clears[reach] |
                            exact_control | GUARANTEE(X87_EMPTY);
}

bool altpick_fpu_init_candidate(const struct altpick_question *question, size_t index,
                                struct altpick_candidate *ret)
{
    static void (*const restores[])(struct altpick_candidate *) = {
        make_dispatch, make_xrstor_all, make_xrstor_legacy, make_fxrstor};
    static const size_t n = sizeof restores / sizeof *restores;

    (void) question;
    if (index >= n + 2 * N_REACHES)
        return false;
    if (index < n)
        restores[index](ret);
    else
        make_clear(ret, (enum reach)((index - n) / 2), (index - n) % 2 == 0);
    return true;
}

size_t altpick_fpu_init_candidates(const struct altpick_question *question,
                                   struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    size_t n = 0;

    while (n < ALTPICK_CANDIDATES_MAX && altpick_fpu_init_candidate(question, n, &ret[n]))
        n++;
    return n;
}
