/* SPDX-License-Identifier: MIT */
/* The look at fpu.init's candidates on this CPU: what leaks is contradicted, and nothing else. */
#include "altpick/xstate.h"
#include "planted_run.h"

#include <stdio.h>

enum { N_PARTS = 12, FIRST_PLANT = 1, ANY = -1 };

#define BIT(n) (UINT64_C(1) << (n))
#define G(id)  ALTPICK_GUARANTEE_NO_LEAK_##id

/* Parts of the state, and the bits of XCR0 in which they are. */
static const struct {
    unsigned guarantee;
    uint32_t xcr0;
} parts[N_PARTS] = {
    {G(X87),          0x1    },
    {G(X87_POINTERS), 0x1    },
    {G(X87_CONTROL),  0x1    },
    {G(MXCSR),        0x2    },
    {G(XMM),          0x2    },
    {G(YMM),          0x4    },
    {G(BND),          0x18   },
    {G(OPMASK),       0x20   },
    {G(ZMM),          0x40   },
    {G(HI16_ZMM),     0x80   },
    {G(TILE),         0x60000},
    {G(APX),          0x80000},
};

static struct planted_run run;
static unsigned lost[ALTPICK_CANDIDATES_MAX]; /* the guarantee that each plant breaks */

static struct altpick_candidate *plant(const char *name, const struct altpick_candidate *from,
                                       unsigned breaks)
{
    struct altpick_candidate *candidate = &planted_list[planted_n];

    *candidate = *from;
    snprintf(candidate->name, sizeof candidate->name, "no-%s", name);
    candidate->guarantees = 0; /* the question promises for all */
    lost[planted_n++] = breaks;
    return candidate;
}

static void insert(struct altpick_candidate *candidate, size_t at, const char *bytes, size_t n)
{
    assert_true(candidate->code_bytes + n <= ALTPICK_CODE_MAX);
    memmove(candidate->code + at + n, candidate->code + at, candidate->code_bytes - at);
    memcpy(candidate->code + at, bytes, n);
    candidate->code_bytes += (uint32_t) n;
}

#define INSERT(candidate, at, bytes) insert(candidate, at, bytes, sizeof(bytes) - 1)
#define APPEND(candidate, bytes)     INSERT(candidate, (candidate)->code_bytes, bytes)

/* Remove the first @bytes, which must be there, and what follows them: @n in all. */
static void cut(struct altpick_candidate *candidate, const char *bytes, size_t known, size_t n)
{
    size_t at = 0;

    while (memcmp(candidate->code + at, bytes, known) != 0)
        assert_true(++at + n <= candidate->code_bytes);
    candidate->code_bytes -= (uint32_t) n;
    memmove(candidate->code + at, candidate->code + at + n, candidate->code_bytes - at);
}

/* The register clearing that goes furthest on this CPU, with MXCSR on the stack. */
static struct altpick_candidate furthest_clearing(void)
{
    static struct altpick_candidate built_in[ALTPICK_CANDIDATES_MAX];
    const struct altpick_question *question = altpick_question_find("fpu.init");
    size_t best = 0, n = question->candidates(question, built_in);

    for (size_t i = 0; i < n; i++) {
        if (strncmp(built_in[i].name, "clear-", 6) == 0 && strstr(built_in[i].name, "-stack") &&
            planted_has(built_in[i].needs))
            best = i;
    }
    return built_in[best];
}

/* XRSTOR of all components but @bits. */
static void plant_restore(const char *name, uint32_t bits, unsigned breaks)
{
    static const struct altpick_candidate restore = {
        .code = {0xb8, 0, 0, 0, 0, 0x31, 0xd2, 0x48, 0x0f, 0xae, 0x2f},
        .code_bytes = 11,
        .data = ALTPICK_DATA_XSAVE_IMAGE,
        .needs = BIT(ALTPICK_CPU_OSXSAVE),
    };
    uint32_t mask = ~(bits | ALTPICK_XCR0_PKRU);

    memcpy(plant(name, &restore, breaks)->code + 1, &mask, sizeof mask);
}

/* Register clearing without its way to clear one part of the x87 state or MXCSR. */
static void plant_clearings(void)
{
    const struct altpick_candidate whole = furthest_clearing();
    struct altpick_candidate *c;

    cut(plant("x87", &whole, G(X87)), "\x0f\xef\xc0", 3, 24);        /* pxor mm0..7 */
    cut(plant("mxcsr", &whole, G(MXCSR)), "\x0f\xae\x14\x24", 4, 4); /* ldmxcsr [rsp] */

    c = plant("x87-control", &whole, G(X87_CONTROL));
    INSERT(c, 0,
           "\x48\x8d\xa4\x24\x78\xff\xff\xff"      /* lea rsp, [rsp-136] */
           "\xd9\x3c\x24");                        /* fnstcw [rsp] */
    APPEND(c, "\xd9\x2c\x24"                       /* fldcw [rsp] */
              "\x48\x8d\xa4\x24\x88\x00\x00\x00"); /* lea rsp, [rsp+136] */

    c = plant("x87-pointers", &whole, G(X87_POINTERS));
    INSERT(c, 0,
           "\x48\x8d\xa4\x24\x60\xff\xff\xff"      /* lea rsp, [rsp-160] */
           "\xd9\x34\x24"                          /* fnstenv [rsp] */
           "\x66\xc7\x04\x24\x7f\x03"              /* mov word [rsp], 0x37f */
           "\x66\xc7\x44\x24\x04\x00\x00"          /* mov word [rsp+4], 0 */
           "\x66\xc7\x44\x24\x08\xff\xff");        /* mov word [rsp+8], 0xffff */
    APPEND(c, "\xd9\x24\x24"                       /* fldenv [rsp] */
              "\x48\x8d\xa4\x24\xa0\x00\x00\x00"); /* lea rsp, [rsp+160] */
}

static bool is_here(size_t part)
{
    return (run.hosted.xstate.xcr0 & parts[part].xcr0) != 0;
}

static const struct altpick_measurement *found(const char *name)
{
    const struct altpick_measurement *m = altpick_result_candidate(&run.result, name);

    assert_non_null(m);
    return m;
}

/* What no two fills tell apart on this CPU cannot be seen to leak. */
static bool is_visible(size_t part)
{
    uint64_t looked = 0;

    for (size_t i = 0; i < planted_n; i++)
        looked |= run.hosted.session->looked[i];
    return looked >> parts[part].guarantee & 1;
}

static void assert_state(const struct altpick_measurement *m, size_t part, bool leaks)
{
    uint64_t declared = planted_list[m - run.result.candidates].guarantees;
    unsigned expected = leaks ? ALTPICK_GUARANTEE_IS_CONTRADICTED : ALTPICK_GUARANTEE_IS_CHECKED;

    if (!is_here(part) || !is_visible(part))
        expected = declared >> parts[part].guarantee & 1 ? ALTPICK_GUARANTEE_IS_DECLARED
                                                         : ALTPICK_GUARANTEE_IS_NONE;

    if (m->guarantee[parts[part].guarantee] != expected)
        fail_msg("%s: %s is %s, not %s", m->candidate.name,
                 altpick_guarantee_name(parts[part].guarantee),
                 altpick_guarantee_state_name(m->guarantee[parts[part].guarantee]),
                 altpick_guarantee_state_name(expected));
}

/* Each component of XCR0 alone, but x87, whose parts are told apart by register clearing. */
static void what_is_not_cleared_is_contradicted_and_nothing_else(void **state)
{
    (void) state;
    planted_n = 0;
    plant_restore("nothing", 0, 0);
    for (size_t i = 0; i < N_PARTS; i++) {
        if (parts[i].guarantee != G(MXCSR) && !(parts[i].xcr0 & 1))
            plant_restore(strchr(altpick_guarantee_name(parts[i].guarantee), ':') + 1,
                          parts[i].xcr0, parts[i].guarantee);
    }
    plant_clearings();
    planted_measure(&run, "fpu.init", ALTPICK_WARM);
    for (size_t i = 0; i < planted_n; i++) {
        if (run.result.candidates[i].status == ALTPICK_STATUS_UNSUPPORTED)
            continue;
        assert_string_equal(run.result.candidates[i].reason, "");
        for (size_t part = 0; part < N_PARTS; part++)
            assert_state(&run.result.candidates[i], part, parts[part].guarantee == lost[i]);
    }
    for (size_t part = 0; part < N_PARTS; part++) {
        if (!is_here(part) || !is_visible(part))
            print_message("skipped: %s is %s here\n", altpick_guarantee_name(parts[part].guarantee),
                          is_here(part) ? "not to be seen" : "no part of the state");
    }
    planted_fini(&run);
}

/* By method: what it keeps of the state of a CPU, whichever that is. */
static const struct {
    const char *name;
    uint64_t keeps;
} kept[] = {
    {"dispatch",       0                                                                           },
    {"xrstor-all",     0                                                                           },
    {"xrstor-x87-sse", BIT(G(YMM)) | BIT(G(BND)) | BIT(G(OPMASK)) | BIT(G(ZMM)) | BIT(G(HI16_ZMM)) |
                           BIT(G(TILE)) | BIT(G(APX))                        },
    {"fxrstor",        BIT(G(YMM)) | BIT(G(BND)) | BIT(G(OPMASK)) | BIT(G(ZMM)) | BIT(G(HI16_ZMM)) |
                    BIT(G(TILE)) | BIT(G(APX))                                      },
    {"clear-2002",     BIT(G(XMM)) | BIT(G(YMM)) | BIT(G(BND)) | BIT(G(OPMASK)) | BIT(G(ZMM)) |
                       BIT(G(HI16_ZMM)) | BIT(G(TILE)) | BIT(G(APX))             },
    {"clear-16",       BIT(G(YMM)) | BIT(G(BND)) | BIT(G(OPMASK)) | BIT(G(ZMM)) | BIT(G(HI16_ZMM)) |
                     BIT(G(TILE)) | BIT(G(APX))                                    },
    {"clear-avx",      BIT(G(BND)) | BIT(G(OPMASK)) | BIT(G(HI16_ZMM)) | BIT(G(TILE)) | BIT(G(APX))},
    {"clear-avx512",   BIT(G(BND)) | BIT(G(TILE)) | BIT(G(APX))                                    },
    {"clear-tile",     BIT(G(BND)) | BIT(G(APX))                                                   },
};

static uint64_t keeps(const char *name)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        size_t n = strlen(kept[i].name);

        if (strncmp(name, kept[i].name, n) == 0 &&
            (name[n] == '\0' || strcmp(name + n, "-stack") == 0 || strcmp(name + n, "-mem") == 0))
            return kept[i].keeps;
    }
    fail_msg("%s is not in the table", name);
    return 0;
}

/* Before family 17h, restoring leaves the x87 pointers alone (CVE-2006-1056). */
static bool depends_on_the_cpu(size_t part)
{
    return parts[part].guarantee == G(X87_POINTERS) &&
           strcmp(run.cpu.vendor, "AuthenticAMD") == 0 && run.cpu.family < 0x17;
}

static void built_in_candidates_keep_what_the_table_says(void **state)
{
    const struct altpick_question *question = altpick_question_find("fpu.init");
    size_t n_looked = 0;
    (void) state;

    planted_n = question->candidates(question, planted_list);
    planted_measure(&run, "fpu.init", ALTPICK_WARM);
    if (!planted_has(BIT(ALTPICK_CPU_AVX))) {
        planted_fini(&run);
        skip();
    }
    for (size_t i = 0; i < planted_n; i++) {
        const struct altpick_measurement *m = &run.result.candidates[i];

        if (m->status == ALTPICK_STATUS_UNSUPPORTED)
            continue;
        n_looked++;
        for (size_t part = 0; part < N_PARTS; part++) {
            if (!depends_on_the_cpu(part))
                assert_state(m, part, keeps(m->candidate.name) >> parts[part].guarantee & 1);
        }
    }
    assert_true(n_looked >= 10);
    planted_fini(&run);
}

/* XRSTOR alone makes all of it initial and unused. */
static void only_a_restore_makes_everything_unused(void **state)
{
    const struct altpick_question *question = altpick_question_find("fpu.init");
    (void) state;

    if (!planted_has(BIT(ALTPICK_CPU_XGETBV1)))
        skip();
    planted_n = question->candidates(question, planted_list);
    planted_measure(&run, "fpu.init", ALTPICK_WARM);
    for (unsigned g = ALTPICK_GUARANTEE_INIT_X87; g <= ALTPICK_GUARANTEE_UNUSED_APX; g++) {
        if (run.hosted.session->looked[1] >> g & 1)
            assert_int_equal(found("xrstor-all")->guarantee[g], ALTPICK_GUARANTEE_IS_CHECKED);
    }
    assert_int_equal(found("clear-16-mem")->guarantee[ALTPICK_GUARANTEE_X87_EMPTY],
                     ALTPICK_GUARANTEE_IS_CHECKED);
    planted_fini(&run);
}

/* test eax, eax; jz to the end; ud2: with data of each kind, on this CPU and on one without XSAVE.
 */
static void code_that_chooses_is_told_that_there_is_no_xsave(void **state)
{
    static const struct altpick_candidate chooses = {
        .code = {0x85, 0xc0, 0x74, 0x02, 0x0f, 0x0b},
          .code_bytes = 6
    };
    (void) state;

    for (unsigned without = 0; without < 2; without++) {
        planted_n = 0;
        plant("image", &chooses, 0)->data = ALTPICK_DATA_XSAVE_IMAGE;
        plant("mxcsr", &chooses, 0)->data = ALTPICK_DATA_MXCSR;
        planted_without = without ? BIT(ALTPICK_CPU_OSXSAVE) | BIT(ALTPICK_CPU_XSAVE) : 0;
        planted_measure(&run, "fpu.init", ALTPICK_WARM);
        assert_int_equal(found("no-image")->status, run.hosted.xstate.has_xsave
                                                        ? ALTPICK_STATUS_FAULTED
                                                        : ALTPICK_STATUS_MEASURED);
        assert_int_equal(found("no-mxcsr")->status, ALTPICK_STATUS_FAULTED);
        planted_fini(&run);
    }
}

ALTPICK_TEST_MAIN(cmocka_unit_test(what_is_not_cleared_is_contradicted_and_nothing_else),
                  cmocka_unit_test(built_in_candidates_keep_what_the_table_says),
                  cmocka_unit_test(only_a_restore_makes_everything_unused),
                  cmocka_unit_test(code_that_chooses_is_told_that_there_is_no_xsave))
