/* SPDX-License-Identifier: MIT */
/* Bytes that come one after another, kept in a file without a name, up to a limit. */
#ifndef ALTPICK_ELF_SPOOL_H
#define ALTPICK_ELF_SPOOL_H

#include "altpick/err.h"

#include <stddef.h>
#include <stdint.h>

enum {
    ALTPICK_SPOOL_BLOCK_BYTES = 65536,
    ALTPICK_SPOOL_BEYOND_BYTES = 16 << 20, /* room beyond the limit, where a decoder notices it */
};

struct altpick_spool {
    const char *path; /* of what is being inflated, for messages; the caller's */
    int fd;
    uint64_t bytes, limit_bytes;
    uint8_t *map; /* of the whole file while room is reserved in it, else NULL */
    size_t map_bytes;
    uint8_t block[ALTPICK_SPOOL_BLOCK_BYTES]; /* for the caller to fill, then to append */
};

/*
 * A file without a name in TMPDIR, or in /tmp where that is not set: its descriptor, or -errno.  It
 * is gone when the last descriptor and mapping is.
 */
int altpick_temporary_open(void);

/* Start an empty spool.  altpick_spool_close() ends it, unless its fd was taken and set to -1. */
int altpick_spool_open(const char *path, uint64_t limit_bytes, struct altpick_spool *ret_spool,
                       struct altpick_diag *diag);
void altpick_spool_close(struct altpick_spool *spool);

/* Append the first @bytes bytes of the block.  ALTPICK_EFORMAT beyond the limit, ALTPICK_EIO. */
int altpick_spool_append(struct altpick_spool *spool, size_t bytes, struct altpick_diag *diag);

/*
 * Make room for *@bytes bytes, or for the fewer that it then is, more than the limit leaves; and
 * map it, so that a decoder can write there and read again what it wrote.  Then say how many bytes
 * it was.  Room is allocated: writing there cannot meet a full disk.
 */
int altpick_spool_reserve(struct altpick_spool *spool, uint64_t *bytes, uint8_t **ret_room,
                          struct altpick_diag *diag);
int altpick_spool_commit(struct altpick_spool *spool, uint64_t bytes, struct altpick_diag *diag);

/* ALTPICK_EFORMAT: more is coming out than the limit allows. */
int altpick_spool_too_large(const struct altpick_spool *spool, struct altpick_diag *diag);

#endif
