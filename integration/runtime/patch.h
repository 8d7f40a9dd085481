/* SPDX-License-Identifier: MIT */
/*
 * Puts what altpick decided into the sites of the running image, which <altpick/site.h> marks. Copy
 * this file (in C++ include it in extern "C") and patch.c.  docs/formats.md has every layout.
 *
 * Call it where nothing else can run a site meanwhile: one processor, no NMI or machine check, XCR0
 * as it will stay.  It ends with CPUID, which serialises (Intel SDM vol. 3A, "Handling Self- and
 * Cross-Modifying Code").  Stop others, which must have the same features and XCR0, outside of all
 * sites and let them serialise (INT3 first is not enough: one may be inside of a site).
 */
#ifndef ALTPICK_PATCH_H
#define ALTPICK_PATCH_H

#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_PATCH_VERSION = 1, ALTPICK_PATCH_SITE_MAX = 255, ALTPICK_PATCH_NEEDS_MAX = 32 };

/* A record of section altpick_sites.  Addresses are relative to the field that holds them. */
struct altpick_patch_site {
    int32_t site, item;           /* the code; the item's name with a NUL, in altpick_names */
    uint8_t bytes, default_bytes; /* of the site; of its default without the padding */
    uint8_t flags, version;       /* flags: 1 for 32-bit code */
};

/* What a replacement needs of a CPU: a bit of a CPUID register (0 EAX .. 3 EDX), bits of XCR0. */
struct altpick_patch_need {
    uint32_t leaf, subleaf, xcr0;
    uint8_t reg, bit, zero[2];
};

/* A displacement of 1 or 4 bytes, relative to `end`, to what lies outside of the replacement. */
struct altpick_patch_fixup {
    uint8_t at, bytes, end, zero;
};

/* How a gap is filled: evenly by `pieces` gaps, or (0) by `bytes` of code, and 90 behind a jump. */
struct altpick_patch_pad {
    uint16_t code;
    uint8_t bytes, pieces;
};

/* A replacement.  Offsets, here and above, count bytes from the start of the table. */
struct altpick_patch_entry {
    uint16_t name, code, code_bytes, data, data_bytes; /* data: what rdi points to */
    uint16_t needs, fixups;
    uint8_t n_needs, n_fixups;
    uint8_t kinds, exact, zero[2]; /* bit 0: 64-bit code, 1: 32-bit code; for its length only */
    uint32_t xcr0;                 /* bits of XCR0 that may be set; all ones: those above, too */
};

/* The start of the table: position independent, aligned to 64 bytes, its last byte 0. */
struct altpick_patch_table {
    char magic[16]; /* "altpick-patches" */
    uint16_t version, bytes, entries, n_entries;
    uint16_t pads[2], zero[2]; /* for 64-bit and 32-bit code: gaps of 0 to 255 bytes */
};
extern const struct altpick_patch_table altpick_patch_table; /* in the object of emit -f elf */
extern const unsigned int altpick_patch_table_bytes;

/* Section altpick_mark, made by patch.c: what `altpick patch` did to the image. */
struct altpick_patch_mark {
    char magic[16]; /* "altpick-mark" */
    uint32_t version, applied, xcr0, n_needs;
    struct altpick_patch_need needs[ALTPICK_PATCH_NEEDS_MAX];
};

/* What happens to a site, or why nothing does. */
enum altpick_patch_fate {
    ALTPICK_PATCH_APPLIED,     /* it gets what was decided; in a dry run: would get */
    ALTPICK_PATCH_UNKNOWN,     /* the table has nothing for it: it is left alone */
    ALTPICK_PATCH_LACKING,     /* the CPU lacks what that needs: it is left alone */
    ALTPICK_PATCH_EWRONG = -1, /* the mark, the table or a site is */
    ALTPICK_PATCH_ECPU = -2,   /* patched beforehand for another CPU: the image must not be used */
    ALTPICK_PATCH_EPOKE = -3   /* poke failed: sites before this one are written */
};

struct altpick_patcher {
    const struct altpick_patch_table *table; /* NULL: only check the mark */
    size_t table_bytes, text_bytes;
    const void *text; /* where sites may lie: all of the code that has any */
    void *ctx;
    /* Write code, by what makes it writable.  Returns 0, or not to stop.  NULL: a dry run. */
    int (*poke)(void *ctx, void *address, const uint8_t *bytes, size_t n);
    /* Told of every site before any is written, and what it would get, or NULL.  May be NULL. */
    void (*tell)(void *ctx, const struct altpick_patch_site *site, enum altpick_patch_fate fate,
                 const uint8_t *bytes);
    /* What CPUID (EAX, EBX, ECX, EDX) and XGETBV of XCR0 say; NULL: executed. */
    void (*cpuid)(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t ret_regs[4]);
    uint64_t (*xgetbv0)(void *ctx);
    const struct altpick_patch_site *sites, *sites_end; /* NULL, also below: this image's */
    const char *names, *names_end;                      /* section altpick_names */
    const volatile struct altpick_patch_mark *mark;
};

struct altpick_patch_result {
    size_t n_sites, n[3];                  /* by enum altpick_patch_fate */
    int beforehand;                        /* patched by a tool, for CPUs such as this one */
    const struct altpick_patch_site *site; /* that is wrong, or NULL */
    const char *item, *why;                /* its name and the reason: static text, or "" */
    uint8_t bytes[ALTPICK_PATCH_SITE_MAX]; /* scratch */
};

/*
 * Apply the table to all sites.  The mark, the whole table and all sites are checked first: where
 * anything is wrong, or the image was patched beforehand, nothing is written and *ret_result tells.
 * May be called again with another table: a site that it has nothing for keeps what it holds, one
 * of nop.text-poke gets its NOP whatever was put there since, and fpu.init.body needs that table's
 * `data` from then on.  Returns 0 or an error.  Hidden: each module patches itself with its own.
 */
__attribute__((visibility("hidden"))) int
altpick_patch_apply(const struct altpick_patcher *p, struct altpick_patch_result *ret_result);

#endif
