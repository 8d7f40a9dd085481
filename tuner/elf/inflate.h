/* SPDX-License-Identifier: MIT */
/* What is around an ELF file, a Linux bzImage or a compressed stream, taken off into a file. */
#ifndef ALTPICK_ELF_INFLATE_H
#define ALTPICK_ELF_INFLATE_H

#include "altpick/err.h"

#include <stddef.h>
#include <stdint.h>

/* What was inside. */
struct altpick_inflated {
    int fd;              /* of a file without a name, the caller's to close; -1 without packing */
    size_t bytes;        /* of that file, not 0 */
    const char *packing; /* static: "gzip", "xz", ..., "bzImage" where that was all; NULL: none */
};

/*
 * Look at the @bytes bytes of @map, which are all of the file @path, and inflate them where they
 * are packed.  A file that is not packed is success with packing NULL.
 * ALTPICK_EUNSUPPORTED: a packing that this build cannot read; ALTPICK_EFORMAT: corrupt, cut short,
 * followed by something else, or larger than is sane when inflated, each with the offset in the
 * file; ALTPICK_EIO: no room for it.  Little of it is ever in anonymous memory: what is large is in
 * files without a name in TMPDIR, or in /tmp.
 */
int altpick_inflate(const char *path, const uint8_t *map, size_t bytes,
                    struct altpick_inflated *ret_inflated, struct altpick_diag *diag);

/* The compressions that this build reads: "gzip, xz"; "none".  Static. */
const char *altpick_inflate_built_in(void);

#endif
