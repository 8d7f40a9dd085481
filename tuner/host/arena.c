/* SPDX-License-Identifier: MIT */
/* Memory for code: one file without a name, mapped once to write and once to execute. */
#include "arena.h"

#include "diag.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    STACK_32_BYTES = 4096,
    STREAM_PER_L3 = 2,
    STREAM_BYTES_MIN = 256 << 20,
    STREAM_BYTES_UNKNOWN = 1 << 30,
};

/* A stack for 32-bit code, whose addresses end at 4 GiB. */
static int map_stack_32(struct altpick_live *live, struct altpick_diag *diag)
{
    uint8_t *stack = mmap(NULL, STACK_32_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_32BIT, -1, 0);

    if (stack == MAP_FAILED)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "no stack below 4 GiB: %s",
                            strerror(errno));
    live->stack_32_end = stack + STACK_32_BYTES;
    return ALTPICK_OK;
}

static int map_views(struct altpick_live *live, int fd, size_t bytes, struct altpick_diag *diag)
{
    int low = live->selector_32 ? MAP_32BIT : 0;
    void *write_view, *execute_view;

    if (ftruncate(fd, (off_t) bytes) != 0)
        return altpick_fail(diag, ALTPICK_ENOMEM, "cannot size %zu bytes of code memory: %s", bytes,
                            strerror(errno));
    write_view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (write_view == MAP_FAILED)
        return altpick_fail(diag, ALTPICK_ENOMEM, "cannot map %zu bytes of code memory: %s", bytes,
                            strerror(errno));
    execute_view = mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_POPULATE | low, fd, 0);
    if (execute_view == MAP_FAILED) {
        int error = errno;

        munmap(write_view, bytes);
        if (low)
            return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "no code memory below 4 GiB: %s",
                                strerror(error));
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "cannot map executable memory: %s%s",
                            strerror(error),
                            error == EACCES || error == EPERM
                                ? ": a security policy forbids it, and without it nothing can be "
                                  "measured"
                                : "");
    }
    live->write_view = write_view;
    live->execute_view = execute_view;
    live->arena_bytes = bytes;
    return ALTPICK_OK;
}

int altpick_arena_init(struct altpick_live *live, size_t bytes, struct altpick_diag *diag)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    int fd = memfd_create("altpick-code", MFD_CLOEXEC);
    int r;

    if (fd < 0)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "cannot create code memory (memfd_create: %s)", strerror(errno));
    r = map_views(live, fd, (bytes + page - 1) / page * page, diag);
    close(fd);
    if (r == 0 && live->selector_32)
        r = map_stack_32(live, diag);
    return r;
}

int altpick_arena_data(struct altpick_live *live, struct altpick_diag *diag)
{
    void *data = mmap(NULL, altpick_live_data_bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (data == MAP_FAILED)
        return altpick_fail(diag, ALTPICK_ENOMEM, "cannot map memory for data: %s",
                            strerror(errno));
    live->data = data;
    altpick_live_data_init(live);
    return ALTPICK_OK;
}

/* Written once: pages that are only read would all be the same page of zeroes. */
bool altpick_arena_stream(struct altpick_live *live)
{
    long l3_bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    size_t bytes = l3_bytes > 0 ? (size_t) l3_bytes * STREAM_PER_L3 : STREAM_BYTES_UNKNOWN;
    void *stream;

    if (bytes < STREAM_BYTES_MIN)
        bytes = STREAM_BYTES_MIN;
    stream = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stream == MAP_FAILED)
        return false;
    memset(stream, 1, bytes);
    live->stream = stream;
    live->stream_bytes = bytes;
    return true;
}

void altpick_arena_fini(struct altpick_live *live)
{
    if (live->write_view) {
        munmap(live->write_view, live->arena_bytes);
        munmap((void *) (uintptr_t) live->execute_view, live->arena_bytes);
    }
    if (live->data)
        munmap(live->data, altpick_live_data_bytes());
    live->data = NULL;
    if (live->stream)
        munmap((void *) (uintptr_t) live->stream, live->stream_bytes);
    live->stream = NULL;
    if (live->stack_32_end)
        munmap(live->stack_32_end - STACK_32_BYTES, STACK_32_BYTES);
    live->stack_32_end = NULL;
    live->write_view = NULL;
    live->execute_view = NULL;
}
