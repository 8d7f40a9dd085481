/* SPDX-License-Identifier: MIT */
/* Whole files: read into memory, written beside and renamed. */
#include "file.h"

#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(FILE *f, const char *path, size_t max_bytes, char **ret_text, size_t *ret_bytes,
                    struct altpick_diag *diag)
{
    size_t n = 0, capacity = 0;
    char *text = NULL;

    do {
        char *grown = realloc(text, capacity += 65536);
        if (!grown) {
            free(text);
            return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", path);
        }
        text = grown;
        n += fread(text + n, 1, capacity - n - 1, f);
    } while (n == capacity - 1 && n <= max_bytes);

    if (ferror(f) || n > max_bytes) {
        free(text);
        if (n > max_bytes)
            return altpick_fail(diag, ALTPICK_EFORMAT, "%s: larger than %zu bytes", path,
                                max_bytes);
        return altpick_fail(diag, ALTPICK_EIO, "%s: %s", path, strerror(errno));
    }
    text[n] = '\0';
    *ret_text = text;
    *ret_bytes = n;
    return ALTPICK_OK;
}

int altpick_file_read(const char *path, size_t max_bytes, char **ret_text, size_t *ret_bytes,
                      struct altpick_diag *diag)
{
    FILE *f;
    int r;

    if (strcmp(path, "-") == 0)
        return read_all(stdin, "<stdin>", max_bytes, ret_text, ret_bytes, diag);

    f = fopen(path, "rbe");
    if (!f)
        return altpick_fail(diag, ALTPICK_EIO, "%s: %s", path, strerror(errno));
    r = read_all(f, path, max_bytes, ret_text, ret_bytes, diag);
    fclose(f);
    return r;
}

/* What a file will hold. */
struct content {
    const char *text;
    size_t bytes;
    const struct altpick_file_change *changes;
    size_t n_changes;
};

static int write_fd(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, text, bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        text += n;
        bytes -= (size_t) n;
    }
    return 0;
}

static int write_changes(int fd, const struct content *content)
{
    for (size_t i = 0; i < content->n_changes; i++) {
        const struct altpick_file_change *change = &content->changes[i];
        ssize_t n = pwrite(fd, change->data, change->bytes, (off_t) change->offset);

        if (n < 0)
            return -errno;
        if ((size_t) n != change->bytes)
            return -EIO;
    }
    return 0;
}

/* Devices and pipes cannot be replaced by a rename. */
static int write_in_place(const char *path, const char *text, size_t bytes,
                          struct altpick_diag *diag)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int r;

    if (fd < 0)
        return altpick_fail(diag, ALTPICK_EIO, "%s: %s", path, strerror(errno));
    r = write_fd(fd, text, bytes);
    if (close(fd) != 0 && r == 0)
        r = -errno;
    return r < 0 ? altpick_fail(diag, ALTPICK_EIO, "%s: %s", path, strerror(-r)) : ALTPICK_OK;
}

/* A new file gets what the umask leaves, as open(2) would give it; mkstemp gives 0600. */
static mode_t mode_for(const struct stat *existing)
{
    mode_t mask;

    if (existing)
        return existing->st_mode & 07777;
    mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int replace(const char *path, char *temporary, mode_t mode, const struct content *content,
                   struct altpick_diag *diag)
{
    int fd = mkostemp(temporary, O_CLOEXEC);
    int r;

    if (fd < 0)
        return altpick_fail(diag, ALTPICK_EIO, "%s: no file can be made beside it: %s", path,
                            strerror(errno));
    r = write_fd(fd, content->text, content->bytes);
    if (r == 0)
        r = write_changes(fd, content);
    if (r == 0 && (fchmod(fd, mode) != 0 || fsync(fd) != 0))
        r = -errno;
    if (close(fd) != 0 && r == 0)
        r = -errno;
    if (r == 0 && rename(temporary, path) != 0)
        r = -errno;
    if (r < 0) {
        unlink(temporary);
        return altpick_fail(diag, ALTPICK_EIO, "%s: %s", path, strerror(-r));
    }
    return ALTPICK_OK;
}

/* A signal that would end us in between, and leave the temporary behind, waits. */
static int write_beside(const char *path, char *temporary, mode_t mode,
                        const struct content *content, struct altpick_diag *diag)
{
    sigset_t all, before;
    int r;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    r = replace(path, temporary, mode, content, diag);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return r;
}

/* Write a file beside @path, of which @st (NULL: there is none) tells, and put it in its place. */
static int write_whole(const char *path, const struct stat *st, mode_t mode,
                       const struct content *content, struct altpick_diag *diag)
{
    /* Through a symbolic link, replace what it points to, not the link. */
    char *target = st ? realpath(path, NULL) : strdup(path);
    char *temporary = target ? malloc(strlen(target) + 8) : NULL;
    int r;

    if (!temporary) {
        free(target);
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", path);
    }
    sprintf(temporary, "%s.XXXXXX", target);
    r = write_beside(target, temporary, mode, content, diag);
    free(temporary);
    free(target);
    return r;
}

/* What is at @path, through links: *ret_exists false where there is nothing yet. */
static int look(const char *path, struct stat *ret_st, bool *ret_exists, struct altpick_diag *diag)
{
    *ret_exists = stat(path, ret_st) == 0;
    /* A link to nothing, or to itself: neither it nor what it names is ours to make. */
    if (!*ret_exists && lstat(path, ret_st) == 0)
        return altpick_fail(diag, ALTPICK_EIO, "%s: a symbolic link that leads nowhere", path);
    if (*ret_exists && S_ISDIR(ret_st->st_mode))
        return altpick_fail(diag, ALTPICK_EIO, "%s: %s", path, strerror(EISDIR));
    return ALTPICK_OK;
}

/* @mode is NULL where the file keeps its own, and then may be a device. */
static int write_content(const char *path, const struct content *content, const mode_t *mode,
                         struct altpick_diag *diag)
{
    const struct stat *existing;
    struct stat st;
    bool exists;
    int r = look(path, &st, &exists, diag);

    if (r < 0)
        return r;
    existing = exists ? &st : NULL;
    if (!existing || S_ISREG(st.st_mode))
        return write_whole(path, existing, mode ? *mode : mode_for(existing), content, diag);
    if (mode)
        return altpick_fail(diag, ALTPICK_EIO, "%s: not a regular file", path);
    return write_in_place(path, content->text, content->bytes, diag);
}

int altpick_file_write(const char *path, const char *text, size_t bytes, struct altpick_diag *diag)
{
    return write_content(path, &(struct content){.text = text, .bytes = bytes}, NULL, diag);
}

int altpick_file_write_changed(const char *path, const char *text, size_t bytes, mode_t mode,
                               const struct altpick_file_change *changes, size_t n_changes,
                               struct altpick_diag *diag)
{
    return write_content(path, &(struct content){text, bytes, changes, n_changes}, &mode, diag);
}
