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

size_t altpick_code_copy(const struct altpick_candidate *table, size_t n,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    for (size_t i = 0; i < n; i++)
        ret[i] = table[i];
    return n;
}
