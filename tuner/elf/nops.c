/* SPDX-License-Identifier: MIT */
/* NOPs within a site into fewer ones, as each generation of Linux does it. */
#include "elf/nops.h"

#include "elf/insn.h"

#include <string.h>

enum { JMP8 = 0xeb, JMP32 = 0xe9, INT3 = 0xcc, JMP8_BYTES = 2, JMP32_BYTES = 5 };

/* Note that @number wrote NOPs over [@at, @at + @bytes). */
static void note(const struct altpick_patched *site, size_t at, size_t bytes, uint32_t number)
{
    for (size_t i = at; i < at + bytes; i++) {
        site->origin[i] = ALTPICK_FROM_NOPS;
        site->by[i] = number + 1;
    }
}

/* As many NOPs as it takes, the longest first. */
static void put_nops(const struct altpick_kernel *kernel, const struct altpick_patched *site,
                     size_t at, size_t bytes, uint32_t number)
{
    size_t max = altpick_engine_nop_max(kernel->engine, kernel->is_64);

    note(site, at, bytes, number);
    while (bytes) {
        size_t n = bytes < max ? bytes : max;

        memcpy(site->code + at, altpick_engine_nop(kernel->is_64, (unsigned) n), n);
        at += n;
        bytes -= n;
    }
}

/* One NOP, or a jump over INT3 where there is none of that length. */
static void put_nop(const struct altpick_kernel *kernel, const struct altpick_patched *site,
                    size_t at, size_t bytes, uint32_t number)
{
    uint8_t *code = site->code + at;
    bool is_short = bytes < 128;
    size_t jump_bytes = is_short ? JMP8_BYTES : JMP32_BYTES;
    size_t over = bytes - jump_bytes;

    if (bytes <= altpick_engine_nop_max(kernel->engine, kernel->is_64)) {
        put_nops(kernel, site, at, bytes, number);
        return;
    }
    note(site, at, bytes, number);
    memset(code, INT3, bytes);
    memset(code, 0, jump_bytes);
    code[0] = is_short ? JMP8 : JMP32;
    code[1] = (uint8_t) over; /* at most 250: the higher bytes of a long one stay 0 */
}

/* Where the NOPs from @at on end. */
static size_t skip_nops(const struct altpick_kernel *kernel, const uint8_t *code, size_t at,
                        size_t bytes)
{
    struct altpick_insn insn;

    while (at < bytes && altpick_insn_decode(kernel->is_64, code + at, bytes - at, &insn) &&
           insn.is_nop)
        at += insn.bytes;
    return at;
}

bool altpick_nops_step(const struct altpick_kernel *kernel, const struct altpick_patched *site,
                       size_t bytes, uint32_t number, size_t at, const struct altpick_insn *insn,
                       struct altpick_nops_jump *jump, size_t *ret_next)
{
    size_t start = at, end = at + insn->bytes;

    if (insn->is_jump) {
        *jump = (struct altpick_nops_jump){at, (int64_t) end + insn->branch.value};
        return false;
    }
    if (!insn->is_nop) {
        jump->target = 0;
        return false;
    }
    end = skip_nops(kernel, site->code, end, bytes);
    if (jump->target && (int64_t) end == jump->target)
        start = jump->at;
    put_nop(kernel, site, start, end - start, number);
    *ret_next = end;
    return true;
}

/* Runs of the byte 0x90. */
static size_t single(const struct altpick_kernel *kernel, const struct altpick_patched *site,
                     size_t bytes, uint32_t number, size_t at)
{
    size_t end = at;

    while (end < bytes && site->code[end] == 0x90)
        end++;
    if (end - at > 1)
        put_nops(kernel, site, at, end - at, number);
    return end;
}

size_t altpick_nops_optimise(const struct altpick_kernel *kernel,
                             const struct altpick_patched *site, size_t bytes, uint32_t number)
{
    unsigned rule = kernel->engine->nops;
    struct altpick_nops_jump jump = {0};
    size_t next;

    for (size_t at = 0; at < bytes; at = next) {
        struct altpick_insn insn;

        if (!altpick_insn_decode(kernel->is_64, site->code + at, bytes - at, &insn))
            return at;
        next = at + insn.bytes;
        if (rule == ALTPICK_NOPS_SINGLE) {
            if (insn.bytes == 1 && insn.is_nop)
                next = single(kernel, site, bytes, number, at);
        } else if (rule == ALTPICK_NOPS_WITH_JUMP) {
            altpick_nops_step(kernel, site, bytes, number, at, &insn, &jump, &next);
        } else if (insn.is_nop) {
            if (next == bytes)
                break;
            next = skip_nops(kernel, site->code, next, bytes);
            put_nop(kernel, site, at, next - at, number);
        }
    }
    return bytes;
}
