/* SPDX-License-Identifier: MIT */
/* How each generation of Linux applies alternatives at boot, as data. */
#ifndef ALTPICK_ELF_ENGINE_H
#define ALTPICK_ELF_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_ENGINE_NOP_MAX = 11 };

/* What becomes of NOPs within a site, whether it was patched or not. */
enum altpick_nop_rule {
    /* Runs of two or more 0x90: NOPs of the maximum, then one of what remains. */
    ALTPICK_NOPS_SINGLE,
    /* 0x90 and 0F1F side by side become one NOP, or above the maximum a jump over INT3; together
     * with a jump before them whose target is their end. */
    ALTPICK_NOPS_WITH_JUMP,
    /* The same without that jump; a NOP that alone ends the site stays as it is. */
    ALTPICK_NOPS_MERGED,
};

struct altpick_engine {
    const char *name;     /* "linux-5.13" */
    const char *era;      /* "Linux 5.13 to 6.2" */
    uint16_t first, last; /* releases that have it, see ALTPICK_RELEASE() */
    uint8_t nop_max_64;   /* ASM_NOP_MAX of a 64-bit kernel; a 32-bit one has 8 */
    uint8_t nops;         /* enum altpick_nop_rule */
    /* Every call, jump and RIP-relative operand, and INT3 behind a jump that became short; else
     * only a call or jump that is all of a replacement of 5 bytes, short only forwards, with a NOP.
     */
    bool relocates_all;
    bool has_direct_calls; /* the flag that makes an indirect call direct */
    bool widens_nested;    /* entries of one site in a row all get its longest length */
};

/* A release as a number that can be compared: 6.1 is 0x0601. */
#define ALTPICK_RELEASE(major, minor) ((uint16_t) ((major) << 8 | (minor)))

extern const struct altpick_engine *const altpick_engines[];
extern const size_t altpick_engine_count;

/* The engine of @release; NULL where none is modelled. */
const struct altpick_engine *altpick_engine_of(uint16_t release);

/* "6.1", or a banner's "6.1.0-57-amd64", into a release.  False where it is no such thing. */
bool altpick_release_parse(const char *text, uint16_t *ret_release);

/* The longest NOP that @engine uses in code of @bits. */
unsigned altpick_engine_nop_max(const struct altpick_engine *engine, bool is_64);

/* Linux's NOP of @bytes, 1 to altpick_engine_nop_max(). */
const uint8_t *altpick_engine_nop(bool is_64, unsigned bytes);

#endif
