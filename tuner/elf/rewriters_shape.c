/* SPDX-License-Identifier: MIT */
/* Tables of Linux that no section names, found by what their records look like. */
#include "elf/rewriters_shape.h"

#include "elf/bytes.h"

enum { RUN_MIN = 16, FTRACE_RUN_MIN = 256 };

/* Address 0 is where per-CPU data lies, which is addressed otherwise. */
static bool holds(const struct altpick_memory *memory, uint64_t address, bool code)
{
    const struct altpick_memory_part *part = altpick_memory_part(memory, address);

    return part && part->address && altpick_section_is_code(part->section) == code;
}

static int64_t word(const struct altpick_memory *memory, const uint8_t *p)
{
    return memory->image->code_is_64 ? (int64_t) altpick_number(p, 8) : altpick_s32(p);
}

static uint64_t wrap(const struct altpick_memory *memory, uint64_t address)
{
    return memory->image->code_is_64 ? address : (uint32_t) address;
}

static bool relative_code(const struct altpick_memory *memory, const uint8_t *p, uint64_t at)
{
    return holds(memory, wrap(memory, at + (uint64_t) altpick_s32(p)), true);
}

/* Low bits of a key are flags. */
static bool is_key(const struct altpick_memory *memory, uint64_t address)
{
    return holds(memory, wrap(memory, address) & ~UINT64_C(3), false);
}

static size_t record_bytes(const struct altpick_memory *memory, enum altpick_rewriter_kind kind)
{
    return altpick_rewriter_record_bytes(altpick_rewriter_first(kind), memory->image->code_is_64);
}

/* Whether the bytes at @p, which lie at @at, are a record that can follow the one before. */
static bool fits(const struct altpick_memory *memory, enum altpick_rewriter_kind kind,
                 const uint8_t *p, uint64_t at, bool is_first)
{
    switch (kind) {
    case ALTPICK_REWRITER_JUMP_LABELS:
        return relative_code(memory, p, at) && relative_code(memory, p + 4, at + 4) &&
               is_key(memory, at + 8 + (uint64_t) word(memory, p + 8));
    case ALTPICK_REWRITER_STATIC_CALLS:
        return relative_code(memory, p, at) &&
               is_key(memory, at + 4 + (uint64_t) altpick_s32(p + 4));
    default:
        if (!holds(memory, wrap(memory, (uint64_t) word(memory, p)), true))
            return false;
        return is_first ||
               wrap(memory, (uint64_t) word(memory, p)) >
                   wrap(memory, (uint64_t) word(memory, p - record_bytes(memory, kind)));
    }
}

/* The longest run of one part. */
static void search(const struct altpick_memory *memory, enum altpick_rewriter_kind kind,
                   const struct altpick_memory_part *part, uint64_t *address, size_t *n)
{
    size_t record = record_bytes(memory, kind), step = memory->image->code_is_64 ? 8 : 4;
    uint64_t next;

    if (kind == ALTPICK_REWRITER_STATIC_CALLS)
        step = 4;
    for (uint64_t at = (step - part->address % step) % step; at + record <= part->bytes;
         at = next) {
        size_t run = 0;

        next = at;
        while (next + record <= part->bytes &&
               fits(memory, kind, part->data + next, part->address + next, run == 0)) {
            run++;
            next += record;
        }
        if (run > *n) {
            *n = run;
            *address = part->address + at;
        }
        if (next == at)
            next += step;
    }
}

bool altpick_rewriters_shape(const struct altpick_memory *memory, enum altpick_rewriter_kind kind,
                             uint64_t *ret_address, size_t *ret_n)
{
    uint64_t address = 0;
    size_t n = 0;

    for (size_t i = 0; i < memory->n_parts; i++) {
        const struct altpick_memory_part *part = &memory->parts[i];

        if (part->data && part->address && !altpick_section_is_code(part->section))
            search(memory, kind, part, &address, &n);
    }
    if (n < (kind == ALTPICK_REWRITER_FTRACE ? FTRACE_RUN_MIN : RUN_MIN))
        return false;
    *ret_address = address;
    *ret_n = n;
    return true;
}
