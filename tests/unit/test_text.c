/* SPDX-License-Identifier: MIT */
/* The strings of the freestanding part. */
#include "bytes.h"
#include "test.h"

static void appending_cuts_at_the_end_of_the_buffer(void **state)
{
    char text[8] = "abc";
    (void) state;

    altpick_append_u64(text, sizeof text, 1234567);
    assert_string_equal(text, "abc1234");
}

static void equality_needs_the_whole_text(void **state)
{
    (void) state;
    assert_true(altpick_equal("nop", "nop"));
    assert_false(altpick_equal("nop", "nops"));
    assert_false(altpick_equal("nops", "nop"));
}

ALTPICK_TEST_MAIN(cmocka_unit_test(appending_cuts_at_the_end_of_the_buffer),
                  cmocka_unit_test(equality_needs_the_whole_text))
