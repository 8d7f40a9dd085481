/* SPDX-License-Identifier: MIT */
/* What code may execute where a CPU lacks SSE, by a decoder that is not altpick's. */
#ifndef ALTPICK_TEST_GUARD_H
#define ALTPICK_TEST_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether @code of @bits, entered with eax 0, executes nothing that needs SSE, on any path that it
 * may take.  False, too, where it does not decode.
 */
bool guard_holds(unsigned bits, const uint8_t *code, size_t bytes);

#endif
