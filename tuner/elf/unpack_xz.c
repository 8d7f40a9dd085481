/* SPDX-License-Identifier: MIT */
/* An xz file, of one stream or several, into a spool, by liblzma. */
#include "elf/unpack.h"

#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LARGE_BYTES = 1 << 20, /* from where on memory is a file's */
    N_LARGE = 4,           /* the dictionary is one */
};

/* Debian's kernels have a dictionary of 32 or 128 MiB; xz -9 makes 64, and 1.5 GiB is possible. */
static const uint64_t memory_limit_bytes = UINT64_C(512) << 20;

/* The large blocks that liblzma has: shared mappings of files without names. */
struct dictionary {
    struct {
        void *map;
        size_t bytes;
    } large[N_LARGE];
    int error; /* errno of what failed, or 0 */
};

/* Room is allocated, so that writing there cannot meet a full disk. */
static void *map_file(size_t bytes, int *ret_error)
{
    void *map = MAP_FAILED;
    int fd = altpick_temporary_open();
    int error = fd < 0 ? -fd : posix_fallocate(fd, 0, (off_t) bytes);

    if (error == 0) {
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = map == MAP_FAILED ? errno : 0;
    }
    if (fd >= 0)
        close(fd);
    *ret_error = error;
    return map == MAP_FAILED ? NULL : map;
}

static void *dictionary_alloc(void *opaque, size_t members, size_t member_bytes)
{
    struct dictionary *dictionary = opaque;
    size_t bytes = members * member_bytes; /* liblzma calls with members 1 */

    for (int i = 0; bytes >= LARGE_BYTES && i < N_LARGE; i++) {
        if (dictionary->large[i].map)
            continue;
        dictionary->large[i].bytes = bytes;
        dictionary->large[i].map = map_file(bytes, &dictionary->error);
        return dictionary->large[i].map;
    }
    return malloc(bytes);
}

static void dictionary_free(void *opaque, void *block)
{
    struct dictionary *dictionary = opaque;

    for (int i = 0; block && i < N_LARGE; i++) {
        if (dictionary->large[i].map != block)
            continue;
        munmap(block, dictionary->large[i].bytes);
        dictionary->large[i].map = NULL;
        return;
    }
    free(block);
}

static int complain(const struct altpick_packed *packed, const lzma_stream *stream, lzma_ret result,
                    int error, struct altpick_diag *diag)
{
    size_t at = packed->bytes - stream->avail_in;

    switch (result) {
    case LZMA_MEM_ERROR:
        if (error == 0)
            return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", packed->path);
        return altpick_fail(diag, ALTPICK_EIO, "%s: a temporary file for the dictionary of xz: %s",
                            packed->path, strerror(error));
    case LZMA_MEMLIMIT_ERROR:
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: its xz dictionary needs %" PRIu64 " MiB, more than the %" PRIu64
                            " that it gets",
                            packed->path, lzma_memusage(stream) >> 20, memory_limit_bytes >> 20);
    case LZMA_BUF_ERROR:
        return altpick_unpack_fail(packed, at, "cut short: the xz stream does not end", diag);
    case LZMA_FORMAT_ERROR:
        return altpick_unpack_fail(packed, at, "something that is not xz", diag);
    case LZMA_OPTIONS_ERROR:
        return altpick_unpack_fail(packed, at, "an xz filter that liblzma does not have", diag);
    default:
        return altpick_unpack_fail(packed, at, "corrupt xz data", diag);
    }
}

/* One stream, whatever the number of blocks it takes. */
static int inflate_stream(const struct altpick_packed *packed, lzma_stream *stream,
                          struct altpick_spool *spool, struct altpick_diag *diag)
{
    struct dictionary *dictionary = stream->allocator->opaque;
    lzma_ret result = lzma_stream_decoder(stream, memory_limit_bytes, 0);
    int r = ALTPICK_OK;

    while (result == LZMA_OK && r == ALTPICK_OK) {
        stream->next_out = spool->block;
        stream->avail_out = sizeof spool->block;
        result = lzma_code(stream, LZMA_FINISH);
        if (result == LZMA_OK || result == LZMA_STREAM_END)
            r = altpick_spool_append(spool, sizeof spool->block - stream->avail_out, diag);
    }
    if (r == ALTPICK_OK && result != LZMA_STREAM_END)
        r = complain(packed, stream, result, dictionary->error, diag);
    return r;
}

int altpick_unpack_xz(const struct altpick_packed *packed, struct altpick_spool *spool,
                      struct altpick_diag *diag)
{
    struct dictionary dictionary = {0};
    const lzma_allocator allocator = {dictionary_alloc, dictionary_free, &dictionary};
    lzma_stream stream = LZMA_STREAM_INIT;
    int r;

    stream.allocator = &allocator;
    stream.next_in = packed->data;
    stream.avail_in = packed->bytes;
    do {
        r = inflate_stream(packed, &stream, spool, diag);
        if (r == ALTPICK_OK && stream.avail_in > 0 && *stream.next_in != 0xfd)
            r = altpick_unpack_fail(packed, packed->bytes - stream.avail_in,
                                    "something that is not xz follows", diag);
    } while (r == ALTPICK_OK && stream.avail_in > 0);
    lzma_end(&stream);
    return r;
}
