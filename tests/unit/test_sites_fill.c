/* SPDX-License-Identifier: MIT */
/* From an output and a list of sites to code that fits, and what is refused instead. */
#define _GNU_SOURCE
#include "sites_list.h"
#include "test.h"

#define FEATURE(id) (UINT64_C(1) << ALTPICK_CPU_##id)

static struct altpick_output output;

static int prepare(void **state)
{
    (void) state;
    altpick_output_default(0, &output);
    return 0;
}

/* The message with which @text is refused, or "" where all of it has code. */
static const char *fill(const char *layout, const char *text, uint32_t bits)
{
    static struct altpick_diag diag;
    struct altpick_consumer_site *sites;
    struct altpick_site_list list;

    diag.text[0] = '\0';
    assert_int_equal(read_text(layout, text, &list, &diag), ALTPICK_OK);
    if (altpick_site_list_fill(&list, &output, bits, &sites, &diag) == ALTPICK_OK)
        free(sites);
    altpick_site_list_fini(&list);
    return diag.text;
}

static void items_are_found_by_name_and_kind_of_code(void **state)
{
    (void) state;
    assert_string_equal(fill("linux14", "s 40 refcount.inc 1", 64), "");
    assert_string_equal(fill("linux14", "s 40 refcount.inc 1", 32), "");
    assert_string_equal(fill("linux14", "s 27 fpu.init.body always", 64), "");
    assert_string_equal(fill("linux14", "s 9 kernel-fpu.begin.efi-32 always", 32), "");
    assert_string_equal(fill("linux14", "s 254 nop.fill.64 always", 64), "");
    assert_string_equal(fill("linux14", "s 2 nop.text-poke.2 always", 32), "");
    assert_string_equal(fill("linux14", "s 40 fpu.init 1", 64),
                        "sites:1: no code is decided for an item 'fpu.init'; did you mean "
                        "'fpu.init.body'?");
    assert_string_equal(fill("linux14", "s 40 fpu.switch 1", 64),
                        "sites:1: no code is decided for an item 'fpu.switch'");
    assert_string_equal(fill("linux14", "t 40 refcount.inc 1\ns 40 fpu.init.body 1", 32),
                        "sites:2: fpu.init.body: is 64-bit code, and this object holds 32-bit "
                        "code");
    assert_string_equal(fill("linux14", "s 40 nop.fill.32 1", 64),
                        "sites:1: nop.fill.32: is 32-bit code, and this object holds 64-bit code");
    assert_string_equal(fill("linux14", "s 9 kernel-fpu.begin.efi 1", 32),
                        "sites:1: kernel-fpu.begin.efi: is 64-bit code, and this object holds "
                        "32-bit code");
}

static void code_fits_its_site(void **state)
{
    (void) state;
    assert_string_equal(fill("linux14", "s 33 refcount.inc 1", 64), "");
    assert_string_equal(fill("linux14", "s 32 refcount.inc 1", 64),
                        "sites:1: refcount.inc: 'xadd.inc' has 33 bytes, and the site only 32");
    assert_string_equal(fill("altpick", "s 32 refcount.inc -", 64),
                        "sites:1: refcount.inc: 'xadd.inc' has 33 bytes, and the site only 32");
    assert_string_equal(fill("linux14", "s 6 nop.text-poke.5 1", 64),
                        "sites:1: nop.text-poke.5: is one instruction, not padding of 6 bytes");
}

/* Without decisions: the message, or "" where some decision may make it right. */
static const char *check(const char *text, uint32_t bits)
{
    static struct altpick_diag diag;
    struct altpick_site_list list;

    diag.text[0] = '\0';
    assert_int_equal(read_text("linux14", text, &list, &diag), ALTPICK_OK);
    altpick_site_list_check(&list, bits, &diag);
    altpick_site_list_fini(&list);
    return diag.text;
}

static void what_no_decision_makes_right_is_refused_before(void **state)
{
    char text[64];
    (void) state;

    assert_non_null(strstr(check("s 40 fpu.init 1", 64), "did you mean 'fpu.init.body'?"));
    assert_non_null(strstr(check("s 40 fpu.init.body 1", 32), "is 64-bit code"));
    assert_non_null(strstr(check("s 6 nop.text-poke.5 1", 64), "is one instruction"));
    assert_string_equal(check("t 40 refcount.inc 1\ns 3 refcount.inc 2", 64),
                        "sites:2: refcount.inc: all code that may be decided has 16 bytes or more, "
                        "and the site only 3");
    /* Of every item the shortest code fits, and where there is less room none does. */
    for (size_t i = 0; altpick_item_code_name(i); i++) {
        const char *item = altpick_item_code_name(i);
        uint32_t bits = strstr(item, "32") ? 32 : 64, n = altpick_item_code_shortest(item);

        assert_in_range(n, 1, 33);
        snprintf(text, sizeof text, "s %u %s 1", n, item);
        assert_string_equal(check(text, bits), "");
        snprintf(text, sizeof text, "s %u %s 1", n - 1, item);
        assert_true(n == 1 || check(text, bits)[0]);
    }
    assert_int_equal(altpick_item_code_shortest("fpu.init"), 0);
}

static void what_a_body_needs_must_be_promised(void **state)
{
    static const char needs[] = "sites:1: fpu.init.body: 'dispatch' needs avx,avx512f: if the "
                                "feature implies that, say implies=avx,avx512f";
    (void) state;

    output.bodies.fpu_init.needs = FEATURE(FXSR) | FEATURE(AVX) | FEATURE(AVX512F);
    assert_string_equal(fill("linux12", "s 40 fpu.init.body 1", 64), needs);
    assert_string_equal(fill("linux12", "s 40 fpu.init.body 1 implies=avx512f,avx,avx2", 64), "");
    assert_string_equal(fill("linux12", "s 40 fpu.init.body 1 implies=avx512f", 64),
                        "sites:1: fpu.init.body: 'dispatch' needs avx: if the feature implies "
                        "that, say implies=avx");
    assert_string_equal(
        fill("linux12", "s 40 fpu.init.body always", 64),
        "sites:1: fpu.init.body: 'dispatch' needs avx,avx512f, and this line is for "
        "every CPU");
    assert_string_equal(
        fill("linux12", "s 40 fpu.init.body 1 not", 64),
        "sites:1: fpu.init.body: 'dispatch' needs avx,avx512f, and this line is for "
        "CPUs without a feature");
    assert_string_equal(fill("altpick", "s 40 fpu.init.body -", 64), "");
}

static void a_save_and_its_restore_are_put_in_together(void **state)
{
    static const char alone[] = "sites:1: xstate.save: and no line puts xstate.restore in under "
                                "the same feature: neither is of use without the other";
    (void) state;

    assert_string_equal(fill("linux14", "s 40 xstate.save 1", 64), alone);
    assert_string_equal(fill("linux14", "s 40 xstate.save 1\nr 40 xstate.restore 2", 64), alone);
    assert_string_equal(fill("linux14", "s 40 xstate.save 1\nr 40 xstate.restore 1 not", 64),
                        alone);
    assert_string_equal(fill("linux14", "s 40 xstate.save 1\nr 40 xstate.restore 1", 64), "");
    assert_non_null(strstr(fill("linux14", "r 40 xstate.restore always", 64), "puts xstate.save"));
    assert_string_equal(fill("altpick", "s 40 xstate.save -", 64), ""); /* one table has both */
}

static void xcr0_must_be_promised_where_registers_are_cleared(void **state)
{
    (void) state;
    output.bodies.fpu_init_xcr0 = 0x207;
    assert_string_equal(fill("xen14", "s 40 fpu.init.body 1", 64),
                        "sites:1: fpu.init.body: 'dispatch' is right only where XCR0 has no bit "
                        "but 0x207: if the feature implies that, say which bits it may have: "
                        "xcr0=MASK");
    assert_string_equal(fill("xen14", "s 40 fpu.init.body 1 xcr0=0x7", 64), "");
    assert_non_null(strstr(fill("xen14", "s 40 fpu.init.body 1 xcr0=0xf", 64), "but 0x207"));
    assert_non_null(strstr(fill("xen14", "s 40 fpu.init.body always", 64),
                           "0x207, and this line is for every CPU"));
    assert_string_equal(fill("xen14", "s 40 refcount.inc always", 64), "");
    assert_string_equal(fill("altpick", "s 40 fpu.init.body -", 64), "");
}

/* Code that asks eax for SSE needs no promise; in 64-bit code SSE is always there. */
static void what_code_asks_for_itself_is_not_needed(void **state)
{
    (void) state;
    assert_true(output.bodies.kernel_fpu32[ALTPICK_FPU_USER_SSE].needs & FEATURE(SSE));
    assert_true(output.bodies.kernel_fpu64[ALTPICK_FPU_USER_SSE].needs & FEATURE(SSE));
    assert_string_equal(fill("linux13", "s 16 kernel-fpu.begin.sse-32 always", 32), "");
    assert_string_equal(fill("linux13", "s 16 kernel-fpu.begin.sse always", 64), "");
    output.bodies.kernel_fpu32[ALTPICK_FPU_USER_SSE].needs |= FEATURE(FXSR);
    assert_non_null(strstr(fill("linux13", "s 16 kernel-fpu.begin.sse-32 always", 32), "fxsr"));
}

static void engines_would_move_a_jump_that_is_inside(void **state)
{
    static const uint8_t jump[] = {0xeb, 3, 0x90, 0x90, 0x90};
    static const char linux12[] = "sites:1: nop.fill.64: begins with a jump inside itself, which "
                                  "the engine of layout linux12 would take for one to elsewhere";
    (void) state;

    memcpy(output.nop64.nop[5].code, jump, sizeof jump);
    assert_string_equal(fill("linux12", "s 5 nop.fill.64 1", 64), linux12);
    assert_non_null(strstr(fill("linux13", "s 5 nop.fill.64 1", 64), "layout linux13"));
    assert_string_equal(fill("linux14", "s 5 nop.fill.64 1", 64), "");
    assert_string_equal(fill("xen14", "s 5 nop.fill.64 1", 64), "");
    output.nop64.jump_from_bytes = 100;
    assert_string_equal(fill("xen14", "s 129 nop.fill.64 1", 64), "");
    assert_non_null(strstr(fill("xen14", "s 130 nop.fill.64 1", 64), "layout xen14"));
    assert_string_equal(fill("linux12", "s 130 nop.fill.64 1", 64), "");
}

static void no_item_is_a_call_that_could_be_direct(void **state)
{
    static const uint8_t call[] = {0xe8, 0, 0, 0, 0};
    (void) state;

    assert_non_null(strstr(fill("linux14", "s 6 nop.fill.64 1 direct-call", 64), "is none"));
    memcpy(output.bodies.refcount[ALTPICK_COUNTER_INC].code, call, sizeof call);
    output.bodies.refcount[ALTPICK_COUNTER_INC].bytes = sizeof call;
    assert_string_equal(fill("linux14", "s 6 refcount.inc 1 direct-call", 64), "");
    assert_non_null(strstr(fill("linux14", "s 7 refcount.inc 1 direct-call", 64), "is none"));
}

/* By the rule of docs/formats.md, for every length that a site can have. */
static void gaps_are_filled_by_the_rule(void **state)
{
    struct altpick_item_code code;
    struct altpick_padding padding;
    (void) state;

    for (uint32_t n = 1; n <= ALTPICK_ITEM_PLACE_MAX; n++) {
        uint32_t longest = output.nop64.longest_nop_bytes;

        assert_int_equal(altpick_item_code(&output, "nop.fill.64", 64, n, &code),
                         ALTPICK_ITEM_FOUND);
        assert_int_equal(code.bytes, n);
        assert_true(altpick_padding_scan(code.code, n, &padding));
        if (n > 15)
            assert_int_equal(padding.instructions, (n + longest - 1) / longest);
    }
    output.nop64.jump_from_bytes = 20;
    assert_int_equal(altpick_item_code(&output, "nop.fill.64", 64, 129, &code), ALTPICK_ITEM_FOUND);
    assert_int_equal(code.code[0], 0xeb);
    assert_int_equal(code.code[1], 127);
    assert_int_equal(altpick_item_code(&output, "nop.fill.64", 64, 255, &code), ALTPICK_ITEM_FOUND);
    assert_int_equal(code.code[0], 0xe9);
    assert_int_equal(code.code[1], 250);
    assert_int_equal(code.code[254], 0x90);
    output.nop64.n_gaps = 1;
    output.nop64.gap[0].bytes = 24;
    memset(output.nop64.gap[0].code, 0x90, 24);
    assert_int_equal(altpick_item_code(&output, "nop.fill.64", 64, 24, &code), ALTPICK_ITEM_FOUND);
    assert_int_equal(code.code[0], 0x90);
}

static void an_output_without_a_body_has_none(void **state)
{
    (void) state;
    output.bodies.fpu_init.name = NULL;
    assert_string_equal(fill("altpick", "s 40 fpu.init.body -", 64),
                        "sites:1: no code is decided for an item 'fpu.init.body'");
}

#define TEST(name) cmocka_unit_test_setup(name, prepare)
ALTPICK_TEST_MAIN(TEST(items_are_found_by_name_and_kind_of_code), TEST(code_fits_its_site),
                  TEST(what_no_decision_makes_right_is_refused_before),
                  TEST(what_a_body_needs_must_be_promised),
                  TEST(a_save_and_its_restore_are_put_in_together),
                  TEST(xcr0_must_be_promised_where_registers_are_cleared),
                  TEST(what_code_asks_for_itself_is_not_needed),
                  TEST(engines_would_move_a_jump_that_is_inside),
                  TEST(no_item_is_a_call_that_could_be_direct), TEST(gaps_are_filled_by_the_rule),
                  TEST(an_output_without_a_body_has_none))
