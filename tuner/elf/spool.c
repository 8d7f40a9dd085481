/* SPDX-License-Identifier: MIT */
/* Bytes that come one after another, kept in a file without a name, up to a limit. */
#include "elf/spool.h"

#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The one variable of the environment that is read here: where a user wants large files. */
static const char *folder(void)
{
    const char *wanted = secure_getenv("TMPDIR");

    return wanted && *wanted ? wanted : "/tmp";
}

int altpick_temporary_open(void)
{
    char name[PATH_MAX];
    int fd = open(folder(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);

    if (fd >= 0)
        return fd;
    /* Some file systems make no file without a name: there it has one for a moment. */
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return -errno;
    if (snprintf(name, sizeof name, "%s/altpick.XXXXXX", folder()) >= (int) sizeof name)
        return -ENAMETOOLONG;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    unlink(name);
    return fd;
}

int altpick_spool_open(const char *path, uint64_t limit_bytes, struct altpick_spool *ret_spool,
                       struct altpick_diag *diag)
{
    int fd = altpick_temporary_open();

    if (fd < 0)
        return altpick_fail(diag, ALTPICK_EIO, "%s: no temporary file to inflate it into: %s: %s",
                            path, folder(), strerror(-fd));
    ret_spool->path = path;
    ret_spool->fd = fd;
    ret_spool->bytes = 0;
    ret_spool->limit_bytes = limit_bytes;
    ret_spool->map = NULL;
    ret_spool->map_bytes = 0;
    return ALTPICK_OK;
}

static void unmap(struct altpick_spool *spool)
{
    if (spool->map)
        munmap(spool->map, spool->map_bytes);
    spool->map = NULL;
}

void altpick_spool_close(struct altpick_spool *spool)
{
    unmap(spool);
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}

static int no_room(const struct altpick_spool *spool, int error, struct altpick_diag *diag)
{
    return altpick_fail(diag, ALTPICK_EIO,
                        "%s: inflating it, behind byte %" PRIu64 " of a temporary file: %s: %s",
                        spool->path, spool->bytes, folder(), strerror(error));
}

int altpick_spool_too_large(const struct altpick_spool *spool, struct altpick_diag *diag)
{
    return altpick_fail(diag, ALTPICK_EFORMAT,
                        "%s: inflates to more than %" PRIu64 " bytes, which is refused",
                        spool->path, spool->limit_bytes);
}

static bool is_within_limit(const struct altpick_spool *spool, uint64_t bytes)
{
    return bytes <= spool->limit_bytes - spool->bytes;
}

int altpick_spool_append(struct altpick_spool *spool, size_t bytes, struct altpick_diag *diag)
{
    if (!is_within_limit(spool, bytes))
        return altpick_spool_too_large(spool, diag);
    for (size_t at = 0; at < bytes;) {
        ssize_t n = pwrite(spool->fd, spool->block + at, bytes - at, (off_t) spool->bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return no_room(spool, n < 0 ? errno : ENOSPC, diag);
        at += (size_t) n;
        spool->bytes += (uint64_t) n;
    }
    return ALTPICK_OK;
}

int altpick_spool_reserve(struct altpick_spool *spool, uint64_t *bytes, uint8_t **ret_room,
                          struct altpick_diag *diag)
{
    uint64_t most = spool->limit_bytes - spool->bytes + ALTPICK_SPOOL_BEYOND_BYTES;
    uint64_t end = spool->bytes + (*bytes < most ? *bytes : most);
    int error = posix_fallocate(spool->fd, 0, (off_t) end);
    void *map;

    if (error != 0)
        return no_room(spool, error, diag);
    map = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_SHARED, spool->fd, 0);
    if (map == MAP_FAILED)
        return no_room(spool, errno, diag);
    unmap(spool);
    spool->map = map;
    spool->map_bytes = end;
    *bytes = end - spool->bytes;
    *ret_room = spool->map + spool->bytes;
    return ALTPICK_OK;
}

int altpick_spool_commit(struct altpick_spool *spool, uint64_t bytes, struct altpick_diag *diag)
{
    unmap(spool);
    if (!is_within_limit(spool, bytes))
        return altpick_spool_too_large(spool, diag);
    spool->bytes += bytes;
    if (ftruncate(spool->fd, (off_t) spool->bytes) != 0)
        return no_room(spool, errno, diag);
    return ALTPICK_OK;
}
