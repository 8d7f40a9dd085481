/* SPDX-License-Identifier: MIT */
/* A gzip file, of one member or several, into a spool, by zlib. */
#include "elf/unpack.h"

#include "diag.h"

#include <zlib.h>

enum {
    FEED_BYTES = 1 << 30,       /* zlib counts in 32 bits */
    GZIP_ONLY = MAX_WBITS + 16, /* no other header is taken for one */
};

static size_t consumed(const struct altpick_packed *packed, const z_stream *stream)
{
    return (size_t) (stream->next_in - packed->data);
}

static void feed(const struct altpick_packed *packed, z_stream *stream)
{
    size_t left = packed->bytes - consumed(packed, stream);

    stream->avail_in = left < FEED_BYTES ? (uInt) left : FEED_BYTES;
}

static int complain(const struct altpick_packed *packed, const z_stream *stream, int result,
                    struct altpick_diag *diag)
{
    size_t at = consumed(packed, stream);

    if (result == Z_MEM_ERROR)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", packed->path);
    if (at == packed->bytes && result == Z_BUF_ERROR)
        return altpick_unpack_fail(packed, at, "cut short: the gzip member does not end", diag);
    return altpick_unpack_fail(packed, at,
                               stream->msg ? stream->msg : "not the gzip data it should be", diag);
}

/* One member, whatever the number of blocks it takes. */
static int member(const struct altpick_packed *packed, z_stream *stream,
                  struct altpick_spool *spool, struct altpick_diag *diag)
{
    int result, r;

    do {
        feed(packed, stream);
        stream->next_out = spool->block;
        stream->avail_out = sizeof spool->block;
        result = inflate(stream, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END)
            return complain(packed, stream, result, diag);
        r = altpick_spool_append(spool, sizeof spool->block - stream->avail_out, diag);
    } while (r == ALTPICK_OK && result != Z_STREAM_END);
    return r;
}

int altpick_unpack_gzip(const struct altpick_packed *packed, struct altpick_spool *spool,
                        struct altpick_diag *diag)
{
    z_stream stream = {.next_in = (z_const Bytef *) (uintptr_t) packed->data};
    int r;

    if (inflateInit2(&stream, GZIP_ONLY) != Z_OK)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", packed->path);
    for (;;) {
        r = member(packed, &stream, spool, diag);
        if (r < 0 || consumed(packed, &stream) == packed->bytes)
            break;
        if (*stream.next_in != 0x1f) {
            r = altpick_unpack_fail(packed, consumed(packed, &stream),
                                    "something that is not gzip follows", diag);
            break;
        }
        inflateReset(&stream);
    }
    inflateEnd(&stream);
    return r;
}
