/* SPDX-License-Identifier: MIT */
/* Memory for code: one file without a name, mapped once to write and once to execute. */
#include "arena.h"

#include "diag.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int map_views(struct altpick_live *live, int fd, size_t bytes, struct altpick_diag *diag)
{
    void *write_view, *execute_view;

    if (ftruncate(fd, (off_t) bytes) != 0)
        return altpick_fail(diag, ALTPICK_ENOMEM, "cannot size %zu bytes of code memory: %s", bytes,
                            strerror(errno));
    write_view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (write_view == MAP_FAILED)
        return altpick_fail(diag, ALTPICK_ENOMEM, "cannot map %zu bytes of code memory: %s", bytes,
                            strerror(errno));
    execute_view = mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (execute_view == MAP_FAILED) {
        int error = errno;

        munmap(write_view, bytes);
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
    return r;
}

void altpick_arena_fini(struct altpick_live *live)
{
    if (!live->write_view)
        return;
    munmap(live->write_view, live->arena_bytes);
    munmap((void *) (uintptr_t) live->execute_view, live->arena_bytes);
    live->write_view = NULL;
    live->execute_view = NULL;
}
