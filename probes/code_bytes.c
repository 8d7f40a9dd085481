/* SPDX-License-Identifier: MIT */
/* Puts machine code together from pieces, and candidates from tables. */
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

bool altpick_code_copy_one(const struct altpick_code *table, size_t n, size_t index,
                           struct altpick_candidate *ret)
{
    const struct altpick_code *code = &table[index];

    if (index >= n)
        return false;
    altpick_code_begin(ret, code->name);
    altpick_code_append(ret, code->code, code->code_bytes);
    ret->guarantees = code->guarantees;
    ret->needs = code->needs;
    ret->data = (enum altpick_data) code->data;
    ret->traps = code->traps;
    ret->branches = code->branches;
    ret->ring0 = code->ring0;
    ret->compacted = code->compacted;
    return true;
}

size_t altpick_code_copy(const struct altpick_code *table, size_t n,
                         struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    for (size_t i = 0; i < n; i++)
        altpick_code_copy_one(table, n, i, &ret[i]);
    return n;
}

bool altpick_code_is(const struct altpick_code *code, const struct altpick_candidate *candidate)
{
    return candidate->code_bytes == code->code_bytes &&
           altpick_equal_bytes(candidate->code, code->code, code->code_bytes);
}
