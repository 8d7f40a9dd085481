/* SPDX-License-Identifier: MIT */
/* One entry of a patch table and the bytes of its site into the bytes that a kernel leaves there.
 */
#ifndef ALTPICK_ELF_APPLY_H
#define ALTPICK_ELF_APPLY_H

#include "elf/engine.h"
#include "elf/table.h"

#include "altpick/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_SITE_BYTES_MAX = 255 }; /* lengths are bytes of a record */

/* Where a byte of patched code comes from. */
enum altpick_origin {
    ALTPICK_FROM_FILE = 0,    /* as it is in the file */
    ALTPICK_FROM_REPLACEMENT, /* copied */
    ALTPICK_FROM_RELOCATION,  /* displacement of a replacement, changed because it moved */
    ALTPICK_FROM_SHORTENING,  /* a jump made short, and what fills the rest of it */
    ALTPICK_FROM_DIRECT_CALL, /* displacement that comes from the pointer of an indirect call */
    ALTPICK_FROM_PADDING,     /* 0x90 behind a replacement */
    ALTPICK_FROM_NOPS,        /* NOPs made of shorter ones, or a jump over them */
    ALTPICK_FROM_LOCK,        /* lock prefix that a kernel on one CPU turns into 3E */
    ALTPICK_FROM_RETURN,      /* a return in place of a jump to the return thunk */
    ALTPICK_FROM_RETPOLINE,   /* an indirect branch in place of one to its thunk */
    ALTPICK_N_ORIGINS
};

/* Patched code with its history, a byte an element. */
struct altpick_patched {
    uint8_t *code;
    uint8_t *origin; /* enum altpick_origin */
    uint32_t *by;    /* 1 + number of the last entry that wrote it; 0: none */
};

/* What applying needs to know of the kernel. */
struct altpick_kernel {
    const struct altpick_engine *engine;
    bool is_64;
    bool knows_nop_func; /* of an engine with direct calls: such a call becomes NOPs */
    uint64_t nop_func;
    /* The pointer at @address of the running kernel's data.  False: not in the file. */
    bool (*pointer)(void *ctx, uint64_t address, uint64_t *ret_pointer);
    void *ctx;
};

/* An entry as it lies in memory. */
struct altpick_application {
    uint64_t site, replacement; /* addresses */
    const uint8_t *code;        /* of the replacement */
    size_t site_bytes, replacement_bytes;
    uint32_t number; /* of the entry in its table, from 0 */
    bool applied;    /* the features ask for it */
    bool direct_call;
};

/*
 * Do to @site, which holds the site's bytes, what @kernel does for @entry: patch where it is
 * applied, and optimise NOPs in any case as that kernel does.  On failure, which names the entry
 * and is where the kernel would stop with a BUG or go wrong, @site is undefined: ALTPICK_EFORMAT
 * (lengths, an instruction that does not decode, a displacement out of range, a direct call of
 * something else), ALTPICK_EUNSUPPORTED (a pointer that the file does not hold).
 */
int altpick_apply(const struct altpick_kernel *kernel, const struct altpick_application *entry,
                  const struct altpick_patched *site, struct altpick_diag *diag);

/* The name of an origin for people: "relocated"; NULL when out of range. */
const char *altpick_origin_name(unsigned origin);

#endif
