/* SPDX-License-Identifier: MIT */
/* Puts machine code together from pieces. */
#include "code_bytes.h"

#include "bytes.h"

void altpick_code_append(struct altpick_candidate *candidate, const uint8_t *bytes, size_t n)
{
    altpick_copy_bytes(candidate->code + candidate->code_bytes, bytes, n);
    candidate->code_bytes += (uint32_t) n;
}

void altpick_code_begin(struct altpick_candidate *candidate, const char *name)
{
    altpick_zero(candidate, sizeof *candidate);
    altpick_append(candidate->name, sizeof candidate->name, name);
}
