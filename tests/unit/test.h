/* SPDX-License-Identifier: MIT */
/* cmocka with the headers it wants before it, and the one main() of a unit test. */
#ifndef ALTPICK_TESTS_TEST_H
#define ALTPICK_TESTS_TEST_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

/* argv[1], if any, is a pattern: only tests whose name matches run. */
#define ALTPICK_TEST_MAIN(...)                                                                     \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        if (argc > 1)                                                                              \
            cmocka_set_test_filter(argv[1]);                                                       \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

#endif
