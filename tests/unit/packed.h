/* SPDX-License-Identifier: MIT */
/* Bytes like an image's, packed by the tools of each format, and a bzImage around them. */
#ifndef ALTPICK_TESTS_PACKED_H
#define ALTPICK_TESTS_PACKED_H

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    uint8_t *data;
    size_t n;
};

static inline bool tools_are_there(void)
{
    return system("for t in gzip xz zstd lz4; do command -v $t >/dev/null || exit 1; done") == 0;
}

/* The caller frees data. */
static inline struct bytes bytes_join(const struct bytes *a, const struct bytes *b)
{
    struct bytes joined = {malloc(a->n + b->n), a->n + b->n};

    assert_non_null(joined.data);
    memcpy(joined.data, a->data, a->n);
    memcpy(joined.data + a->n, b->data, b->n);
    return joined;
}

/* An ELF header's magic, then lines of 64 bytes, most of each taken from somewhere before it. */
static inline struct bytes image_like(size_t n)
{
    enum { LINE = 64, NEW = 24, REACH = 30000 };
    struct bytes image = {malloc(n), n};
    uint32_t random = 1;
    size_t from = 0;

    assert_non_null(image.data);
    for (size_t i = 0; i < n; i++) {
        random = random * 1664525 + 1013904223;
        if (i % LINE == 0)
            from = (random >> 8) % REACH + LINE;
        image.data[i] =
            i % LINE < NEW || i < from ? (uint8_t) (random >> 24) : image.data[i - from];
    }
    memcpy(image.data, "\177ELF\2\1\1", 7);
    return image;
}

/* What @tool makes of @plain on its standard input; the caller frees data. */
static inline struct bytes packed_by(const char *tool, const struct bytes *plain)
{
    char in[] = "/tmp/altpick-plain-XXXXXX", command[256];
    struct bytes packed = {NULL, 0};
    int fd = mkstemp(in);
    size_t capacity = plain->n + (1 << 16);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(plain->data, 1, plain->n, f), plain->n);
    assert_int_equal(fclose(f), 0);
    snprintf(command, sizeof command, "%s <%s", tool, in);
    f = popen(command, "r");
    assert_non_null(f);
    packed.data = malloc(capacity);
    assert_non_null(packed.data);
    packed.n = fread(packed.data, 1, capacity, f);
    assert_true(packed.n < capacity);
    assert_int_equal(pclose(f), 0);
    remove(in);
    return packed;
}

/* Five sectors of setup, then the payload, and its size where Linux appends one. */
static inline struct bytes bzimage_of(const struct bytes *payload, bool with_size, size_t size)
{
    enum { SETUP_BYTES = 5 * 512 };
    struct bytes boot = {NULL, SETUP_BYTES + payload->n + (with_size ? 4 : 0)};
    const uint32_t length = (uint32_t) (boot.n - SETUP_BYTES), offset = 0;
    const uint32_t said = (uint32_t) size;
    const uint16_t version = 0x020f;

    boot.data = calloc(1, boot.n);
    assert_non_null(boot.data);
    boot.data[0x1f1] = 4;
    memcpy(boot.data + 0x1fe, "\x55\xaaxxHdrS", 8);
    memcpy(boot.data + 0x206, &version, 2);
    memcpy(boot.data + 0x248, &offset, 4);
    memcpy(boot.data + 0x24c, &length, 4);
    memcpy(boot.data + SETUP_BYTES, payload->data, payload->n);
    if (with_size)
        memcpy(boot.data + SETUP_BYTES + payload->n, &said, 4);
    return boot;
}

#endif
