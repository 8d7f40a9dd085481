/* SPDX-License-Identifier: MIT */
/* What a fuzz target is: libFuzzer drives it, and so does the replay of the corpus in every test
 * run.
 */
#ifndef ALTPICK_TESTS_FUZZ_H
#define ALTPICK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feed @n bytes of @data to what is tested.  Returns 0; a finding is a crash or a report. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Stop where a promise that no input may break is broken. */
#define FUZZ_CHECK(condition) ((condition) ? (void) 0 : __builtin_trap())

#endif
