/* SPDX-License-Identifier: MIT */
/* How each generation of Linux applies alternatives at boot, as data. */
#include "elf/engine.h"

#include "number.h"

/*
 * From arch/x86/kernel/alternative.c and arch/x86/include/asm/nops.h of the releases named.  5.13
 * chose NOPs at build time for the first time; before, the table depended on the CPU's vendor.
 */
static const struct altpick_engine linux_5_13 = {
    .name = "linux-5.13",
    .era = "Linux 5.13 to 6.4",
    .first = ALTPICK_RELEASE(5, 13),
    .last = ALTPICK_RELEASE(6, 4),
    .nop_max_64 = 8,
    .nops = ALTPICK_NOPS_SINGLE,
};

static const struct altpick_engine linux_6_5 = {
    .name = "linux-6.5",
    .era = "Linux 6.5 to 6.7",
    .first = ALTPICK_RELEASE(6, 5),
    .last = ALTPICK_RELEASE(6, 7),
    .nop_max_64 = 11,
    .nops = ALTPICK_NOPS_WITH_JUMP,
    .relocates_all = true,
};

static const struct altpick_engine linux_6_8 = {
    .name = "linux-6.8",
    .era = "Linux 6.8 and 6.9",
    .first = ALTPICK_RELEASE(6, 8),
    .last = ALTPICK_RELEASE(6, 9),
    .nop_max_64 = 11,
    .nops = ALTPICK_NOPS_WITH_JUMP,
    .relocates_all = true,
    .has_direct_calls = true,
};

static const struct altpick_engine linux_6_10 = {
    .name = "linux-6.10",
    .era = "Linux 6.10",
    .first = ALTPICK_RELEASE(6, 10),
    .last = ALTPICK_RELEASE(6, 10),
    .nop_max_64 = 11,
    .nops = ALTPICK_NOPS_MERGED,
    .relocates_all = true,
    .has_direct_calls = true,
};

static const struct altpick_engine linux_6_11 = {
    .name = "linux-6.11",
    .era = "Linux 6.11 to 6.19",
    .first = ALTPICK_RELEASE(6, 11),
    .last = ALTPICK_RELEASE(6, 19),
    .nop_max_64 = 11,
    .nops = ALTPICK_NOPS_MERGED,
    .relocates_all = true,
    .has_direct_calls = true,
    .widens_nested = true,
};

const struct altpick_engine *const altpick_engines[] = {
    &linux_5_13, &linux_6_5, &linux_6_8, &linux_6_10, &linux_6_11,
};

const size_t altpick_engine_count = sizeof altpick_engines / sizeof *altpick_engines;

enum { NOP_MAX_32 = 8 };

/* nopw/nopl as P6 and later know them; [0] is of one byte. */
static const char *const nops_64[ALTPICK_ENGINE_NOP_MAX] = {
    "\x90",
    "\x66\x90",
    "\x0f\x1f\0",
    "\x0f\x1f\x40\0",
    "\x0f\x1f\x44\0\0",
    "\x66\x0f\x1f\x44\0\0",
    "\x0f\x1f\x80\0\0\0\0",
    "\x0f\x1f\x84\0\0\0\0\0",
    "\x2e\x0f\x1f\x84\0\0\0\0\0",
    "\x66\x2e\x0f\x1f\x84\0\0\0\0\0",
    "\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0",
};

/* mov %esi,%esi and lea of %esi, with a DS prefix for 5 and 8. */
static const char *const nops_32[NOP_MAX_32] = {
    "\x90",
    "\x89\xf6",
    "\x8d\x76\0",
    "\x8d\x74\x26\0",
    "\x3e\x8d\x74\x26\0",
    "\x8d\xb6\0\0\0\0",
    "\x8d\xb4\x26\0\0\0\0",
    "\x3e\x8d\xb4\x26\0\0\0\0",
};

const struct altpick_engine *altpick_engine_of(uint16_t release)
{
    for (size_t i = 0; i < altpick_engine_count; i++) {
        if (release >= altpick_engines[i]->first && release <= altpick_engines[i]->last)
            return altpick_engines[i];
    }
    return NULL;
}

bool altpick_release_parse(const char *text, uint16_t *ret_release)
{
    uint32_t major, minor;

    if (!altpick_number_take(&text, UINT8_MAX, &major) || *text++ != '.' ||
        !altpick_number_take(&text, UINT8_MAX, &minor))
        return false;
    if (*text && *text != '.' && *text != '-' && *text != '+' && *text != ' ')
        return false;
    *ret_release = ALTPICK_RELEASE(major, minor);
    return true;
}

unsigned altpick_engine_nop_max(const struct altpick_engine *engine, bool is_64)
{
    return is_64 ? engine->nop_max_64 : NOP_MAX_32;
}

const uint8_t *altpick_engine_nop(bool is_64, unsigned bytes)
{
    return (const uint8_t *) (is_64 ? nops_64[bytes - 1] : nops_32[bytes - 1]);
}
