/* SPDX-License-Identifier: MIT */
/* The function that does nothing, direct calls of which become NOPs, in a kernel without names. */
#include "elf/nop_func.h"

#include "elf/thunks.h"

enum { CALL_BYTES = 6, JMP_BYTES = 5, ENDBR_BYTES = 4 };

/* Where the indirect call that is @entry's site leads. */
static bool target_of(const struct altpick_memory *memory, const struct altpick_record *entry,
                      uint64_t *ret_target)
{
    uint64_t site = altpick_memory_address(memory, &entry->site), opcode = 0, value = 0;

    if (!altpick_memory_number(memory, site, 2, &opcode) || opcode != 0x15ff ||
        !altpick_memory_number(memory, site + 2, 4, &value))
        return false;
    if (!memory->image->code_is_64)
        return altpick_memory_number(memory, value, 4, ret_target);
    return altpick_memory_number(memory, site + CALL_BYTES + (uint64_t) (int64_t) (int32_t) value,
                                 8, ret_target);
}

/* Whether the code at @address only returns. */
static bool only_returns(const struct altpick_memory *memory, uint64_t address, bool has_thunk,
                         uint64_t thunk)
{
    uint64_t first = 0, opcode = 0, value = 0;

    if (altpick_memory_number(memory, address, 4, &first) &&
        (first == 0xfa1e0ff3 || first == 0xfb1e0ff3))
        address += ENDBR_BYTES;
    if (!altpick_memory_number(memory, address, 1, &opcode))
        return false;
    if (opcode != 0xe9 || !has_thunk)
        return opcode == 0xc3;
    if (!altpick_memory_number(memory, address + 1, 4, &value))
        return false;
    address += JMP_BYTES + (uint64_t) (int64_t) (int32_t) value;
    return (memory->image->code_is_64 ? address : (uint32_t) address) == thunk;
}

bool altpick_nop_func_find(const struct altpick_memory *memory,
                           const struct altpick_patch_table *table,
                           const struct altpick_rewriters *rewriters, uint64_t *ret_address)
{
    uint64_t thunk = 0, found = 0, target;
    bool has_thunk = altpick_thunks_return(memory, rewriters, &thunk);

    for (size_t i = 0; i < table->n_entries; i++) {
        if (!table->entries[i].direct_call || !target_of(memory, &table->entries[i], &target) ||
            target == found || !only_returns(memory, target, has_thunk, thunk))
            continue;
        if (found)
            return false;
        found = target;
    }
    *ret_address = found;
    return found != 0;
}
