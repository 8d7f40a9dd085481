/* SPDX-License-Identifier: MIT */
/* What each generation of Linux makes of a site: entries by hand, every rule one test. */
#include "elf/apply.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { MAX = ALTPICK_SITE_BYTES_MAX, SITE = 0x1000000, CODE = 0x2000000 };

/* Hexadecimal with blanks into bytes. */
static size_t bytes_of(const char *text, uint8_t *ret_bytes)
{
    unsigned value;
    size_t n = 0;
    int used;

    for (; sscanf(text, " %2x%n", &value, &used) == 1; text += used)
        ret_bytes[n++] = (uint8_t) value;
    return n;
}

static const struct altpick_engine *engine_of(const char *release)
{
    uint16_t number = 0;

    assert_true(altpick_release_parse(release, &number));
    assert_non_null(altpick_engine_of(number));
    return altpick_engine_of(number);
}

/* A site, what is done to it and what came out. */
struct trial {
    struct altpick_kernel kernel;
    struct altpick_application entry;
    uint8_t replacement[MAX];
    uint8_t code[MAX], origin[MAX];
    uint32_t by[MAX];
    struct altpick_diag diag;
};

static int apply(struct trial *trial, const char *site, const char *replacement)
{
    trial->entry.site = trial->entry.site ? trial->entry.site : SITE;
    trial->entry.replacement = trial->entry.replacement ? trial->entry.replacement : CODE;
    trial->entry.site_bytes = bytes_of(site, trial->code);
    trial->entry.replacement_bytes = bytes_of(replacement, trial->replacement);
    trial->entry.code = trial->replacement;
    return altpick_apply(&trial->kernel, &trial->entry,
                         &(struct altpick_patched){trial->code, trial->origin, trial->by},
                         &trial->diag);
}

static void expect(const struct trial *trial, const char *bytes)
{
    uint8_t expected[MAX];
    size_t n = bytes_of(bytes, expected);

    assert_int_equal(n, trial->entry.site_bytes);
    assert_memory_equal(trial->code, expected, n);
}

/* @site as Linux @release on 64 bits leaves it, patched with @replacement or (NULL) not. */
static void becomes(const char *release, const char *site, const char *replacement,
                    const char *bytes)
{
    struct trial trial = {
        .kernel = {.engine = engine_of(release), .is_64 = true}
    };

    trial.entry.applied = replacement != NULL;
    assert_int_equal(apply(&trial, site, replacement ? replacement : ""), ALTPICK_OK);
    expect(&trial, bytes);
}

/* The same with the code so far behind the site. */
static void moves(const char *release, int64_t distance, const char *site, const char *replacement,
                  const char *bytes)
{
    struct trial trial = {
        .kernel = {.engine = engine_of(release), .is_64 = true}
    };

    trial.entry = (struct altpick_application){
        .site = SITE, .replacement = (uint64_t) (SITE + distance), .applied = true};
    assert_int_equal(apply(&trial, site, replacement), ALTPICK_OK);
    expect(&trial, bytes);
}

static void refused(const char *release, const char *site, const char *replacement,
                    const char *reason)
{
    struct trial trial = {
        .kernel = {.engine = engine_of(release), .is_64 = true},
        .entry = {.applied = true,              .number = 17 }
    };

    assert_int_equal(apply(&trial, site, replacement), ALTPICK_EFORMAT);
    assert_non_null(strstr(trial.diag.text, "entry 17"));
    assert_non_null(strstr(trial.diag.text, reason));
}

/* --- engines ------------------------------------------------------------------------------------
 */

static void a_release_has_one_engine(void **state)
{
    static const char *const each[][2] = {
        {"5.13",                 "linux-5.13"},
        {"6.1.0-57-amd64",       "linux-5.13"},
        {"6.4",                  "linux-5.13"},
        {"6.5.1",                "linux-6.5" },
        {"6.7+",                 "linux-6.5" },
        {"6.8",                  "linux-6.8" },
        {"6.9",                  "linux-6.8" },
        {"6.10-rc1",             "linux-6.10"},
        {"6.11",                 "linux-6.11"},
        {"6.12.117+deb12-amd64", "linux-6.11"},
    };
    (void) state;

    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        assert_string_equal(engine_of(each[i][0])->name, each[i][1]);
}

static void releases_that_are_not_modelled_have_none(void **state)
{
    uint16_t number = 0;
    (void) state;

    assert_true(altpick_release_parse("5.12", &number));
    assert_null(altpick_engine_of(number));
    assert_true(altpick_release_parse("7.0", &number));
    assert_null(altpick_engine_of(number));
}

static void what_is_no_release_is_refused(void **state)
{
    static const char *const each[] = {"", "6", "6.", ".1", "6.1x", "a.b", "6.256", "256.1", "6,1"};
    uint16_t number = 77;
    (void) state;

    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        assert_false(altpick_release_parse(each[i], &number));
    assert_int_equal(number, 77);
}

static void every_nop_has_its_length(void **state)
{
    (void) state;

    for (unsigned n = 1; n <= 11; n++)
        assert_int_equal(altpick_engine_nop(true, n)[n - 1], n == 1 || n == 2 ? 0x90 : 0);
    for (unsigned n = 3; n <= 8; n++)
        assert_int_equal(altpick_engine_nop(false, n)[n - 1], 0);
}

/* --- copying and padding ------------------------------------------------------------------------
 */

static void a_replacement_is_padded(void **state)
{
    (void) state;
    becomes("6.1", "e8 00 00 00 00 90", "fa", "fa 0f1f440000");
    becomes("6.6", "e8 00 00 00 00 90", "fa", "fa 0f1f440000");
    becomes("6.12", "e8 00 00 00 00 90", "fa", "fa 0f1f440000");
}

static void an_empty_replacement_is_all_nops(void **state)
{
    (void) state;
    becomes("6.1", "0fae e8", "", "0f1f00");
    becomes("6.12", "0fae e8", "", "0f1f00");
}

static void a_site_that_is_not_patched_keeps_its_code(void **state)
{
    (void) state;
    becomes("6.1", "0fae e8", NULL, "0faee8");
    becomes("6.12", "0fae e8", NULL, "0faee8");
}

static void every_byte_knows_where_it_comes_from(void **state)
{
    struct trial trial = {
        .kernel = {.engine = engine_of("6.12"), .is_64 = true},
        .entry = {.applied = true,             .number = 4  }
    };
    static const uint8_t origins[] = {
        ALTPICK_FROM_REPLACEMENT, ALTPICK_FROM_RELOCATION, ALTPICK_FROM_RELOCATION,
        ALTPICK_FROM_RELOCATION,  ALTPICK_FROM_RELOCATION, ALTPICK_FROM_NOPS,
        ALTPICK_FROM_NOPS,
    };
    (void) state;

    assert_int_equal(apply(&trial, "90 90 90 90 90 90 90", "e8 10 00 00 00"), ALTPICK_OK);
    assert_memory_equal(trial.origin, origins, sizeof origins);
    for (size_t i = 0; i < sizeof origins; i++)
        assert_int_equal(trial.by[i], 5);
    for (unsigned i = 0; i < ALTPICK_N_ORIGINS; i++)
        assert_non_null(altpick_origin_name(i));
    assert_null(altpick_origin_name(ALTPICK_N_ORIGINS));
}

static void a_lone_padding_byte_is_padding(void **state)
{
    struct trial trial = {
        .kernel = {.engine = engine_of("6.1"), .is_64 = true},
          .entry = {.applied = true                         }
    };
    (void) state;

    assert_int_equal(apply(&trial, "0faee8 90", "0f01cb"), ALTPICK_OK);
    expect(&trial, "0f01cb 90");
    assert_int_equal(trial.origin[3], ALTPICK_FROM_PADDING);
}

/* --- NOPs ---------------------------------------------------------------------------------------
 */

static void old_kernels_make_runs_of_90_nops_of_at_most_8(void **state)
{
    (void) state;
    becomes("6.1", "90 90", NULL, "66 90");
    becomes("6.1", "90 90 90 90 90 90 90 90 90", NULL, "0f1f840000000000 90");
    becomes("6.1", "90 90 90 90 90 90 90 90 90 90 90", NULL, "0f1f840000000000 0f1f00");
    becomes("6.1", "90 90 fa 90 90 90", NULL, "6690 fa 0f1f00");
}

static void old_kernels_do_not_merge_longer_nops(void **state)
{
    (void) state;
    becomes("6.1", "6690 90 90", NULL, "6690 6690");
    becomes("6.1", "0f1f00 90", NULL, "0f1f00 90");
    becomes("6.1", "f390 90 90", NULL, "f390 6690"); /* PAUSE */
}

static void kernels_on_32_bits_use_moves_and_lea(void **state)
{
    struct trial trial = {.kernel = {.engine = engine_of("6.12")}};
    (void) state;

    assert_int_equal(apply(&trial, "90 90 90 90 90", ""), ALTPICK_OK);
    expect(&trial, "3e8d742600");
    trial.kernel.engine = engine_of("6.1");
    assert_int_equal(apply(&trial, "90 90 90 90 90 90 90 90 90 90", ""), ALTPICK_OK);
    expect(&trial, "3e8db42600000000 89f6");
}

static void since_6_5_nops_are_merged_up_to_11(void **state)
{
    static const char *const each[] = {"6.6", "6.8", "6.10", "6.12"};
    (void) state;

    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        becomes(each[i], "6690 90 0f1f00 fa", NULL, "660f1f440000 fa");
        becomes(each[i], "90 90 90 90 90 90 90 90 90 90 90", NULL, "66662e0f1f840000000000");
        becomes(each[i], "f390 90 90 fa", NULL, "f390 6690 fa");
    }
}

static void since_6_5_a_jump_leads_over_longer_ones(void **state)
{
    (void) state;
    becomes("6.6", "90 90 90 90 90 90 90 90 90 90 90 90 fa", NULL, "eb0a cccccccccccccccccccc fa");
    becomes("6.12", "90 90 90 90 90 90 90 90 90 90 90 90 fa", NULL, "eb0a cccccccccccccccccccc fa");
}

/* 128 bytes and more do not fit a short jump's length byte as the kernel tests it. */
static void runs_of_128_bytes_take_a_long_jump(void **state)
{
    struct trial trial = {
        .kernel = {.engine = engine_of("6.12"), .is_64 = true}
    };
    uint8_t expected[130];
    (void) state;

    memset(trial.code, 0x90, sizeof trial.code);
    trial.entry = (struct altpick_application){.site = SITE, .site_bytes = sizeof expected};
    assert_int_equal(altpick_apply(&trial.kernel, &trial.entry,
                                   &(struct altpick_patched){trial.code, trial.origin, trial.by},
                                   &trial.diag),
                     ALTPICK_OK);
    memset(expected, 0xcc, sizeof expected);
    memcpy(expected, "\xe9\x7d\0\0\0", 5);
    assert_memory_equal(trial.code, expected, sizeof expected);
}

static void since_6_10_a_nop_at_the_end_stays(void **state)
{
    (void) state;
    becomes("6.12", "fa 660f1f840000000000", NULL, "fa 660f1f840000000000");
    becomes("6.6", "fa 660f1f840000000000", NULL, "fa 2e0f1f840000000000");
    becomes("6.12", "fa 660f1f840000000000 90", NULL, "fa 662e0f1f840000000000");
}

static void until_6_9_a_jump_to_the_end_of_nops_joins_them(void **state)
{
    (void) state;
    becomes("6.6", "eb03 90 90 90 fa", NULL, "0f1f440000 fa");
    becomes("6.8", "eb03 90 90 90 fa", NULL, "0f1f440000 fa");
    becomes("6.10", "eb03 90 90 90 fa", NULL, "eb03 0f1f00 fa");
    becomes("6.6", "eb02 90 90 90 fa", NULL, "eb02 0f1f00 fa"); /* into the middle */
    becomes("6.6", "eb04 fa 90 90 90 fb", NULL, "eb04 fa 0f1f00 fb");
}

/* --- relocation ---------------------------------------------------------------------------------
 */

static void a_call_moves(void **state)
{
    (void) state;
    moves("6.1", 0x100, "90 90 90 90 90", "e8 10 00 00 00", "e8 10010000");
    moves("6.1", -0x100, "90 90 90 90 90", "e8 10 00 00 00", "e8 10ffffff");
    moves("6.12", 0x100, "90 90 90 90 90", "e8 10 00 00 00", "e8 10010000");
}

static void old_kernels_move_only_what_is_alone(void **state)
{
    (void) state;
    moves("6.1", 0x100, "90 90 90 90 90 90", "fa e8 10 00 00 00", "fa e810000000");
    moves("6.12", 0x100, "90 90 90 90 90 90", "fa e8 10 00 00 00", "fa e810010000");
    moves("6.1", 0x100, "90 90 90 90 90 90", "0f84 00 10 00 00", "0f8400100000");
    moves("6.12", 0x100, "90 90 90 90 90 90", "0f84 00 10 00 00", "0f8400110000");
}

static void operands_relative_to_rip_move(void **state)
{
    (void) state;
    moves("6.1", 0x100, "90 90 90 90 90 90 90", "488b05 00 10 00 00", "488b0500100000");
    moves("6.12", 0x100, "90 90 90 90 90 90 90", "488b05 00 10 00 00", "488b0500110000");
    /* an immediate behind it */
    moves("6.12", 0x100, "90 90 90 90 90 90 90 90 90 90 90 90", "48c705 00 10 00 00 07 00 00 00",
          "48c705 00110000 07000000 90");
}

static void targets_within_the_replacement_stay(void **state)
{
    (void) state;
    moves("6.12", 0x100, "90 90 90 90 90", "7401 fa fb", "7401 fa fb 90");
    moves("6.12", 0x100, "90 90 90 90 90", "7402 fa fb", "7402 fa fb 90"); /* its end */
    moves("6.12", 0x10, "90 90 90 90 90", "7403 fa fb", "7413 fa fb 90");
    moves("6.12", 0x10, "90 90 90 90 90", "fa 75fd", "fa 75fd 6690"); /* its start */
    moves("6.12", 0x10, "90 90 90 90 90", "fa 75fc", "fa 750c 6690");
}

static void a_short_displacement_that_does_not_reach_is_refused(void **state)
{
    (void) state;
    refused("6.12", "90 90 90 90 90", "7403 fa fb", "does not reach");
}

static void a_long_displacement_that_does_not_reach_is_refused(void **state)
{
    struct trial trial = {
        .kernel = {.engine = engine_of("6.1"), .is_64 = true },
        .entry = { .applied = true,
                   .number = 17,
                   .site = SITE,
                   .replacement = SITE + UINT64_C(0x80000000)}
    };
    (void) state;

    assert_int_equal(apply(&trial, "90 90 90 90 90", "e8 00000000"), ALTPICK_EFORMAT);
    assert_non_null(strstr(trial.diag.text, "entry 17"));
    trial.kernel.is_64 = false; /* there addresses wrap */
    assert_int_equal(apply(&trial, "90 90 90 90 90", "e8 00000000"), ALTPICK_OK);
    expect(&trial, "e8 00000080");
}

/* --- jumps --------------------------------------------------------------------------------------
 */

static void a_jump_forwards_that_is_near_becomes_short(void **state)
{
    (void) state;
    /* to site + 0x81, the farthest; the replacement is at +0x100 and jumps back */
    moves("6.1", 0x100, "90 90 90 90 90", "e9 7c ff ff ff", "eb7f 0f1f00");
    moves("6.6", 0x100, "90 90 90 90 90", "e9 7c ff ff ff", "eb7f cccccc");
    moves("6.12", 0x100, "90 90 90 90 90", "e9 7c ff ff ff", "eb7f cccccc");
    moves("6.1", 0x100, "90 90 90 90 90", "e9 7d ff ff ff", "e97d000000");
    moves("6.12", 0x100, "90 90 90 90 90", "e9 7d ff ff ff", "e97d000000");
}

static void a_jump_backwards_becomes_short_since_6_5(void **state)
{
    (void) state;
    /* to site - 0x10 */
    moves("6.1", 0x100, "90 90 90 90 90", "e9 eb fe ff ff", "e9ebffffff");
    moves("6.12", 0x100, "90 90 90 90 90", "e9 eb fe ff ff", "ebee cccccc");
}

/* Not that it is of use: the target moves with it. */
static void since_6_5_a_jump_within_its_replacement_becomes_short(void **state)
{
    (void) state;
    moves("6.1", 0x40, "90 90 90 90 90 90", "e9 00 00 00 00 fa", "e900000000 fa");
    moves("6.6", 0x40, "90 90 90 90 90 90", "e9 00 00 00 00 fa", "eb43 cccccc fa");
    moves("6.12", 0x40, "90 90 90 90 90 90", "e9 00 00 00 00 fa", "eb43 cccccc fa");
    moves("6.12", 0x1000, "90 90 90 90 90 90", "e9 00 00 00 00 fa", "e900000000 fa");
    moves("6.12", 0x40, "90 90 90 90 90 90", "e8 00 00 00 00 fa", "e800000000 fa");
}

static void distances_of_32_bits_wrap(void **state)
{
    static const char *const each[][2] = {
        {"6.1",  "eb3e 8d7600"},
        {"6.12", "eb3e cccccc"}
    };

    (void) state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct trial trial = {
            .kernel = {.engine = engine_of(each[i][0])},
            .entry = { .site = 0x90000000, .replacement = 0x10000010, .applied = true},
        };

        /* to site + 0x40 */
        assert_int_equal(apply(&trial, "90 90 90 90 90", "e9 2b000080"), ALTPICK_OK);
        expect(&trial, each[i][1]);
    }
}

static void a_short_jump_is_padded_with_nops(void **state)
{
    struct trial trial = {
        .kernel = {.engine = engine_of("6.12"), .is_64 = true              },
        .entry = { .applied = true,               .site = SITE, .replacement = SITE + 0x100}
    };
    (void) state;

    assert_int_equal(apply(&trial, "90 90 90 90 90 90 90", "e9 7c ff ff ff"), ALTPICK_OK);
    expect(&trial, "eb7f cccccc 6690");
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(trial.origin[i], ALTPICK_FROM_SHORTENING);
    assert_int_equal(trial.origin[5], ALTPICK_FROM_NOPS);
}

/* --- direct calls -------------------------------------------------------------------------------
 */

static bool pointer(void *ctx, uint64_t address, uint64_t *ret_pointer)
{
    const uint64_t *slot = ctx; /* where it is, what is there */

    if (address != slot[0])
        return false;
    *ret_pointer = slot[1];
    return true;
}

/* ff 15 of a slot at site + 6 + 0x10; BUG_func is behind the replacement. */
static int call_direct(struct trial *trial, uint64_t target)
{
    uint64_t slot[2] = {SITE + 6 + 0x10, target};

    trial->kernel = (struct altpick_kernel){.engine = engine_of("6.12"),
                                            .is_64 = true,
                                            .knows_nop_func = true,
                                            .nop_func = 0x7777,
                                            .pointer = pointer,
                                            .ctx = slot};
    trial->entry.applied = trial->entry.direct_call = true;
    return apply(trial, "ff15 10 00 00 00", "e8 00 01 00 00");
}

static void an_indirect_call_becomes_direct(void **state)
{
    struct trial trial = {.entry = {.number = 0}};
    (void) state;

    assert_int_equal(call_direct(&trial, SITE + 5 + 0x40), ALTPICK_OK);
    expect(&trial, "e8 40000000 90");
    assert_int_equal(trial.origin[0], ALTPICK_FROM_REPLACEMENT);
    assert_int_equal(trial.origin[1], ALTPICK_FROM_DIRECT_CALL);
}

static void a_call_of_nop_func_becomes_nops(void **state)
{
    struct trial trial = {.entry = {.number = 0}};
    (void) state;

    assert_int_equal(call_direct(&trial, 0x7777), ALTPICK_OK);
    expect(&trial, "660f1f440000");
}

static void a_call_of_nothing_goes_to_bug_func(void **state)
{
    struct trial trial = {.entry = {.number = 0}};
    (void) state;

    assert_int_equal(call_direct(&trial, 0), ALTPICK_OK);
    expect(&trial, "e8 00010001 90"); /* CODE + 5 + 0x100 - (SITE + 5) */
}

static void a_direct_call_of_something_else_is_refused(void **state)
{
    struct trial trial = {
        .kernel = {.engine = engine_of("6.12"), .is_64 = true},
        .entry = { .applied = true,        .direct_call = true,  .number = 17}
    };
    (void) state;

    assert_int_equal(apply(&trial, "ff25 10 00 00 00", "e8 00 01 00 00"), ALTPICK_EFORMAT);
    assert_non_null(strstr(trial.diag.text, "entry 17"));
    assert_int_equal(apply(&trial, "ff15 10 00 00 00", "e9 00 01 00 00"), ALTPICK_EFORMAT);
    assert_int_equal(apply(&trial, "ff15 10 00 00 00 90", "e8 00 01 00 00"), ALTPICK_EFORMAT);
    assert_int_equal(apply(&trial, "ff15 10 00 00 00", "e8 00 01 00 00"), ALTPICK_EUNSUPPORTED);
    trial.kernel.engine = engine_of("6.6");
    assert_int_equal(apply(&trial, "ff15 10 00 00 00", "e8 00 01 00 00"), ALTPICK_EFORMAT);
    assert_non_null(strstr(trial.diag.text, "which this release has not"));
}

/* --- what is wrong ------------------------------------------------------------------------------
 */

static void a_replacement_longer_than_its_site_is_refused(void **state)
{
    (void) state;
    refused("6.1", "90 90", "0faee8", "longer than the site");
    refused("6.12", "90 90", "0faee8", "longer than the site");
}

static void a_replacement_that_does_not_decode_is_refused(void **state)
{
    (void) state;
    refused("6.12", "90 90 90", "fa 06 90", "does not decode");
    refused("6.6", "90 90 90", "fa 06 90", "does not decode");
    refused("6.1", "90 90 90", "fa 06 90", "does not decode");
}

ALTPICK_TEST_MAIN(
    cmocka_unit_test(a_release_has_one_engine),
    cmocka_unit_test(releases_that_are_not_modelled_have_none),
    cmocka_unit_test(what_is_no_release_is_refused), cmocka_unit_test(every_nop_has_its_length),
    cmocka_unit_test(a_replacement_is_padded), cmocka_unit_test(an_empty_replacement_is_all_nops),
    cmocka_unit_test(a_site_that_is_not_patched_keeps_its_code),
    cmocka_unit_test(every_byte_knows_where_it_comes_from),
    cmocka_unit_test(a_lone_padding_byte_is_padding),
    cmocka_unit_test(old_kernels_make_runs_of_90_nops_of_at_most_8),
    cmocka_unit_test(old_kernels_do_not_merge_longer_nops),
    cmocka_unit_test(kernels_on_32_bits_use_moves_and_lea),
    cmocka_unit_test(since_6_5_nops_are_merged_up_to_11),
    cmocka_unit_test(since_6_5_a_jump_leads_over_longer_ones),
    cmocka_unit_test(runs_of_128_bytes_take_a_long_jump),
    cmocka_unit_test(since_6_10_a_nop_at_the_end_stays),
    cmocka_unit_test(until_6_9_a_jump_to_the_end_of_nops_joins_them),
    cmocka_unit_test(a_call_moves), cmocka_unit_test(old_kernels_move_only_what_is_alone),
    cmocka_unit_test(operands_relative_to_rip_move),
    cmocka_unit_test(targets_within_the_replacement_stay),
    cmocka_unit_test(a_short_displacement_that_does_not_reach_is_refused),
    cmocka_unit_test(a_long_displacement_that_does_not_reach_is_refused),
    cmocka_unit_test(a_jump_forwards_that_is_near_becomes_short),
    cmocka_unit_test(a_jump_backwards_becomes_short_since_6_5),
    cmocka_unit_test(since_6_5_a_jump_within_its_replacement_becomes_short),
    cmocka_unit_test(distances_of_32_bits_wrap), cmocka_unit_test(a_short_jump_is_padded_with_nops),
    cmocka_unit_test(an_indirect_call_becomes_direct),
    cmocka_unit_test(a_call_of_nop_func_becomes_nops),
    cmocka_unit_test(a_call_of_nothing_goes_to_bug_func),
    cmocka_unit_test(a_direct_call_of_something_else_is_refused),
    cmocka_unit_test(a_replacement_longer_than_its_site_is_refused),
    cmocka_unit_test(a_replacement_that_does_not_decode_is_refused))
