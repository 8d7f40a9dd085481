/* SPDX-License-Identifier: MIT */
/* Compressed streams: one decoder a format, each through its library, into a spool. */
#ifndef ALTPICK_ELF_UNPACK_H
#define ALTPICK_ELF_UNPACK_H

#include "elf/spool.h"

/* A part of a file that is compressed. */
struct altpick_packed {
    const char *path;
    const uint8_t *data;
    size_t bytes;
    uint64_t offset; /* of data in the file, for messages */
};

/*
 * Inflate all of @packed, one stream or several one after another, into @spool.  What does not
 * belong to a stream, is cut short or corrupt: ALTPICK_EFORMAT with the offset.
 */
typedef int altpick_unpack(const struct altpick_packed *packed, struct altpick_spool *spool,
                           struct altpick_diag *diag);

altpick_unpack altpick_unpack_gzip;
altpick_unpack altpick_unpack_xz;
altpick_unpack altpick_unpack_zstd;
altpick_unpack altpick_unpack_lz4;

/* Refuse @packed for @reason at @at, an offset in its data. */
int altpick_unpack_fail(const struct altpick_packed *packed, size_t at, const char *reason,
                        struct altpick_diag *diag);

#endif
