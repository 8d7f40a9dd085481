/* SPDX-License-Identifier: MIT */
/* Frames of zstd into a spool, each in one pass: the output is the window, whatever its size. */
#include "elf/unpack.h"

#include "diag.h"
#include "elf/bytes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <zstd.h>
#include <zstd_errors.h>

/* RFC 8878 */
enum {
    BLOCK_MAX_BYTES = 128 << 10,
    BLOCK_HEADER_BYTES = 3,
    SKIPPABLE_MASK = 0xf, /* of the magic number's lowest bits */
};

static bool is_skippable(const uint8_t *frame, size_t bytes)
{
    return bytes >= 8 && (altpick_u32(frame) & ~(uint32_t) SKIPPABLE_MASK) == 0x184d2a50;
}

/* Bytes of a frame before its first block: descriptor, window, dictionary, size. */
static size_t header_bytes(const uint8_t *frame)
{
    static const uint8_t dictionary[] = {0, 1, 2, 4}, size[] = {0, 2, 4, 8};
    unsigned descriptor = frame[4];
    bool single_segment = descriptor >> 5 & 1;
    unsigned size_code = descriptor >> 6;

    return 5u + (single_segment ? 0 : 1) + dictionary[descriptor & 3] +
           (size_code == 0 ? single_segment : size[size_code]);
}

/* No more than this comes out of a frame that does not say its size: the sum over its blocks. */
static uint64_t blocks_bound(const uint8_t *frame, size_t bytes)
{
    size_t at = header_bytes(frame);
    uint64_t bound = 0;
    bool last = false;

    while (!last && at + BLOCK_HEADER_BYTES <= bytes) {
        uint32_t header = altpick_u16(frame + at) | (uint32_t) frame[at + 2] << 16;
        uint32_t block = header >> 3;
        enum { RAW, RUN, COMPRESSED } type = header >> 1 & 3;

        last = header & 1;
        bound += type == COMPRESSED ? BLOCK_MAX_BYTES : block;
        at += BLOCK_HEADER_BYTES + (type == RUN ? 1 : block);
    }
    return bound;
}

/* Inflate the one frame of @bytes bytes at @at. */
static int inflate_frame(const struct altpick_packed *packed, size_t at, size_t bytes,
                         ZSTD_DCtx *context, struct altpick_spool *spool, struct altpick_diag *diag)
{
    const uint8_t *frame = packed->data + at;
    uint64_t bound = ZSTD_getFrameContentSize(frame, bytes);
    uint8_t *room;
    size_t n;
    int r;

    if (bound == ZSTD_CONTENTSIZE_ERROR)
        return altpick_unpack_fail(packed, at, "something that is not zstd", diag);
    if (bound == ZSTD_CONTENTSIZE_UNKNOWN)
        bound = blocks_bound(frame, bytes);
    if (bound == 0)
        bound = 1; /* an empty frame needs a place to end at, too */
    r = altpick_spool_reserve(spool, &bound, &room, diag);
    if (r < 0)
        return r;
    n = ZSTD_decompressDCtx(context, room, bound, frame, bytes);
    if (ZSTD_getErrorCode(n) == ZSTD_error_dstSize_tooSmall)
        return altpick_spool_too_large(spool, diag);
    if (ZSTD_isError(n))
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: the zstd frame at offset %" PRIu64 ": %s",
                            packed->path, packed->offset + at, ZSTD_getErrorName(n));
    return altpick_spool_commit(spool, n, diag);
}

int altpick_unpack_zstd(const struct altpick_packed *packed, struct altpick_spool *spool,
                        struct altpick_diag *diag)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    int r = ALTPICK_OK;

    if (!context)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", packed->path);
    for (size_t at = 0; r == ALTPICK_OK && at < packed->bytes;) {
        const uint8_t *frame = packed->data + at;
        size_t left = packed->bytes - at;
        bool known =
            left >= 4 && (altpick_u32(frame) == ZSTD_MAGICNUMBER || is_skippable(frame, left));
        size_t bytes = known ? ZSTD_findFrameCompressedSize(frame, left) : 0;

        if (!known)
            r = altpick_unpack_fail(packed, at, "something that is not zstd follows", diag);
        else if (ZSTD_isError(bytes))
            r = altpick_unpack_fail(packed, at, "the zstd frame here is cut short or corrupt",
                                    diag);
        else if (!is_skippable(frame, left))
            r = inflate_frame(packed, at, bytes, context, spool, diag);
        at += bytes;
    }
    ZSTD_freeDCtx(context);
    return r;
}
