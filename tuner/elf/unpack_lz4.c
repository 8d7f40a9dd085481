/* SPDX-License-Identifier: MIT */
/* Frames of lz4, of the older kind that kernels use and of today's, into a spool. */
#include "elf/unpack.h"

#include "diag.h"
#include "elf/bytes.h"

#include <lz4.h>
#include <lz4frame.h>
#include <stdbool.h>

enum {
    LEGACY_MAGIC = 0x184c2102,
    FRAME_MAGIC = 0x184d2204,
    LEGACY_BLOCK_BYTES = 8 << 20, /* of all blocks but the last, inflated */
    EXPANSION_MAX = 255,          /* bytes that one byte of a block stands for, at most */
};

_Static_assert((int) LEGACY_BLOCK_BYTES <= (int) ALTPICK_SPOOL_BEYOND_BYTES, "any block has room");

static bool is_magic(uint32_t number)
{
    return number == LEGACY_MAGIC || number == FRAME_MAGIC;
}

static int legacy_block(const struct altpick_packed *packed, size_t at, uint32_t bytes,
                        struct altpick_spool *spool, struct altpick_diag *diag)
{
    uint64_t most = (uint64_t) bytes * EXPANSION_MAX;
    uint64_t bound = most < LEGACY_BLOCK_BYTES ? most : LEGACY_BLOCK_BYTES;
    uint8_t *room;
    int n, r;

    r = altpick_spool_reserve(spool, &bound, &room, diag);
    if (r < 0)
        return r;
    n = LZ4_decompress_safe((const char *) packed->data + at, (char *) room, (int) bytes,
                            (int) bound);
    if (n < 0)
        return altpick_unpack_fail(packed, at, "corrupt block of lz4", diag);
    return altpick_spool_commit(spool, (uint64_t) n, diag);
}

/* The older frame has no end: blocks with their sizes, until the file ends or another frame begins.
 */
static int legacy_frame(const struct altpick_packed *packed, size_t *at,
                        struct altpick_spool *spool, struct altpick_diag *diag)
{
    int r = ALTPICK_OK;

    for (*at += 4; r == ALTPICK_OK && *at < packed->bytes;) {
        size_t left = packed->bytes - *at;
        uint32_t bytes = left >= 4 ? altpick_u32(packed->data + *at) : 0;

        if (is_magic(bytes))
            break;
        if (left < 4 || bytes == 0 || bytes > (uint32_t) LZ4_COMPRESSBOUND(LEGACY_BLOCK_BYTES))
            return altpick_unpack_fail(packed, *at, "something that is no block of lz4", diag);
        if (bytes > left - 4)
            return altpick_unpack_fail(packed, *at, "cut short: the block of lz4 does not end",
                                       diag);
        r = legacy_block(packed, *at + 4, bytes, spool, diag);
        *at += 4 + (size_t) bytes;
    }
    return r;
}

static int frame(const struct altpick_packed *packed, size_t *at, LZ4F_dctx *context,
                 struct altpick_spool *spool, struct altpick_diag *diag)
{
    size_t hint;
    int r;

    do {
        size_t in = packed->bytes - *at, out = sizeof spool->block;

        hint = LZ4F_decompress(context, spool->block, &out, packed->data + *at, &in, NULL);
        if (LZ4F_isError(hint))
            return altpick_unpack_fail(packed, *at, LZ4F_getErrorName(hint), diag);
        if (hint != 0 && in == 0 && out == 0)
            return altpick_unpack_fail(packed, *at, "cut short: the frame of lz4 does not end",
                                       diag);
        *at += in;
        r = altpick_spool_append(spool, out, diag);
    } while (r == ALTPICK_OK && hint != 0);
    return r;
}

int altpick_unpack_lz4(const struct altpick_packed *packed, struct altpick_spool *spool,
                       struct altpick_diag *diag)
{
    LZ4F_dctx *context;
    int r = ALTPICK_OK;

    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", packed->path);
    for (size_t at = 0; r == ALTPICK_OK && at < packed->bytes;) {
        uint32_t magic = packed->bytes - at >= 4 ? altpick_u32(packed->data + at) : 0;

        if (magic == LEGACY_MAGIC)
            r = legacy_frame(packed, &at, spool, diag);
        else if (magic == FRAME_MAGIC)
            r = frame(packed, &at, context, spool, diag);
        else
            r = altpick_unpack_fail(packed, at, "something that is not lz4 follows", diag);
    }
    LZ4F_freeDecompressionContext(context);
    return r;
}
