/* SPDX-License-Identifier: MIT */
/* Images packed by the tools of each format come out whole; damaged ones do not come out. */
#define _GNU_SOURCE /* mkstemp, popen, setenv */
#include "elf/inflate.h"
#include "file.h"
#include "packed.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Two blocks of lz4 and something, and much more than the window of gzip. */
enum { IMAGE_BYTES = (17 << 20) + 12345, SMALL_BYTES = 300 << 10, MESSAGE_MAX = 256 };

static const struct format {
    const char *name, *tool; /* the tool packs standard input to standard output */
    bool notices_every_bit;
} formats[] = {
    {"gzip", "gzip -1n",     true },
    {"xz",   "xz -0",        true },
    {"zstd", "zstd -1 -q",   true }, /* of standard input: a frame that does not say its size */
    {"lz4",  "lz4 -1 -l -q", false},
    {"lz4",  "lz4 -1 -q",    true },
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

static struct bytes image, small; /* small: its first part */

static bool is_built_in(const struct format *format)
{
    return strstr(altpick_inflate_built_in(), format->name) != NULL;
}

static int inflate_bytes(const struct bytes *packed, struct altpick_inflated *ret,
                         struct altpick_diag *diag)
{
    memset(diag, 0, sizeof *diag);
    return altpick_inflate("packed", packed->data, packed->n, ret, diag);
}

static void assert_comes_out(const struct bytes *packed, const char *packing,
                             const struct bytes *expected)
{
    struct altpick_inflated inflated;
    struct altpick_diag diag;
    void *map;

    if (inflate_bytes(packed, &inflated, &diag) != ALTPICK_OK)
        fail_msg("%s", diag.text);
    assert_string_equal(inflated.packing, packing);
    assert_int_equal(inflated.bytes, expected->n);
    map = mmap(NULL, inflated.bytes, PROT_READ, MAP_SHARED, inflated.fd, 0);
    assert_true(map != MAP_FAILED);
    assert_memory_equal(map, expected->data, expected->n);
    munmap(map, inflated.bytes);
    close(inflated.fd);
}

/* Refused with @err and a message that has @part; nothing is returned. */
static void assert_refused(const struct bytes *packed, int err, const char *part)
{
    struct altpick_inflated inflated = {.fd = -7};
    struct altpick_diag diag;
    int r = inflate_bytes(packed, &inflated, &diag);

    if (r != err)
        fail_msg("%d, not %d: %s", r, err, diag.text);
    if (!strstr(diag.text, part) || strncmp(diag.text, "packed: ", 8) != 0)
        fail_msg("no '%s' in: %s", part, diag.text);
    assert_int_equal(inflated.fd, -7);
}

static void what_is_not_packed_is_left_alone(void **state)
{
    static const char *const plain[] = {"\177ELF\2\1\1", "", "x", "some text that is no image"};
    struct altpick_inflated inflated;
    struct altpick_diag diag;
    (void) state;

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        struct bytes bytes = {(uint8_t *) (uintptr_t) plain[i], strlen(plain[i])};

        assert_int_equal(inflate_bytes(&bytes, &inflated, &diag), ALTPICK_OK);
        assert_null(inflated.packing);
        assert_int_equal(inflated.fd, -1);
    }
}

static void each_format_comes_out_whole(void **state)
{
    (void) state;
    for (int i = 0; i < N_FORMATS; i++) {
        struct bytes packed = packed_by(formats[i].tool, &image);

        if (is_built_in(&formats[i]))
            assert_comes_out(&packed, formats[i].name, &image);
        else
            assert_refused(&packed, ALTPICK_EUNSUPPORTED, "which this build cannot read; built in");
        free(packed.data);
    }
}

static void a_bzimage_gives_its_payload(void **state)
{
    (void) state;
    for (int i = 0; i < N_FORMATS; i++) {
        struct bytes packed = packed_by(formats[i].tool, &image);
        struct bytes boot = bzimage_of(&packed, strcmp(formats[i].name, "gzip") != 0, image.n);

        if (is_built_in(&formats[i]))
            assert_comes_out(&boot, formats[i].name, &image);
        else
            assert_refused(&boot, ALTPICK_EUNSUPPORTED, "built in");
        free(packed.data);
        free(boot.data);
    }
}

static void a_bzimage_may_hold_a_plain_image(void **state)
{
    struct bytes boot = bzimage_of(&image, false, 0);
    (void) state;

    assert_comes_out(&boot, "bzImage", &image);
    free(boot.data);
}

static void streams_may_follow_each_other(void **state)
{
    struct bytes twice = bytes_join(&small, &small);
    (void) state;

    for (int i = 0; i < N_FORMATS; i++) {
        struct bytes packed, pair;

        if (!is_built_in(&formats[i]))
            continue;
        packed = packed_by(formats[i].tool, &small);
        pair = bytes_join(&packed, &packed);
        assert_comes_out(&pair, formats[i].name, &twice);
        free(packed.data);
        free(pair.data);
    }
    free(twice.data);
}

static void what_is_cut_short_is_refused_with_the_offset(void **state)
{
    (void) state;
    for (int i = 0; i < N_FORMATS; i++) {
        struct bytes packed, cut;

        if (!is_built_in(&formats[i]))
            continue;
        packed = packed_by(formats[i].tool, &small);
        cut = packed;
        for (unsigned part = 1; part < 8; part++) {
            cut.n = packed.n * part / 8 - 1;
            assert_refused(&cut, ALTPICK_EFORMAT, "offset ");
        }
        for (cut.n = packed.n - 1; cut.n > packed.n - 8; cut.n--)
            assert_refused(&cut, ALTPICK_EFORMAT, "offset ");
        free(packed.data);
    }
}

static void what_follows_is_refused_with_its_offset(void **state)
{
    static const struct bytes junk = {(uint8_t *) (uintptr_t) "junk", 4};
    (void) state;

    for (int i = 0; i < N_FORMATS; i++) {
        char offset[MESSAGE_MAX];
        struct bytes packed, more;

        if (!is_built_in(&formats[i]))
            continue;
        packed = packed_by(formats[i].tool, &small);
        more = bytes_join(&packed, &junk);
        snprintf(offset, sizeof offset, "offset %zu: something that is no", packed.n);
        assert_refused(&more, ALTPICK_EFORMAT, offset);
        free(packed.data);
        free(more.data);
    }
}

static void a_flipped_bit_is_noticed(void **state)
{
    (void) state;
    for (int i = 0; i < N_FORMATS; i++) {
        struct bytes packed;

        if (!is_built_in(&formats[i]) || !formats[i].notices_every_bit)
            continue;
        packed = packed_by(formats[i].tool, &small);
        for (unsigned part = 1; part < 8; part++) {
            size_t at = packed.n * part / 8;

            packed.data[at] ^= 0x10;
            assert_refused(&packed, ALTPICK_EFORMAT, "offset ");
            packed.data[at] ^= 0x10;
        }
        free(packed.data);
    }
}

static void the_header_of_a_bzimage_is_checked(void **state)
{
    static const struct {
        size_t at, bytes;
        uint32_t value;
        int err;
        const char *part;
    } damage[] = {
        {0x206, 2, 0x0207,     ALTPICK_EUNSUPPORTED, "boot protocol 2.07"},
        {0x248, 4, 0xffffffff, ALTPICK_EFORMAT,      "offset 0x248"      },
        {0x248, 4, 1u << 30,   ALTPICK_EFORMAT,      "offset 0x248"      },
        {0x24c, 4, 0,          ALTPICK_EFORMAT,      "offset 0x248"      },
        {0x24c, 4, 0xffffffff, ALTPICK_EFORMAT,      "offset 0x248"      },
        {0x24c, 4, 3,          ALTPICK_EUNSUPPORTED, "unknown way"       },
        {0x1f1, 1, 0xff,       ALTPICK_EFORMAT,      "offset 0x248"      },
    };
    struct bytes boot = bzimage_of(&small, false, 0);
    (void) state;

    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        uint8_t before[4];

        memcpy(before, boot.data + damage[i].at, damage[i].bytes);
        memcpy(boot.data + damage[i].at, &damage[i].value, damage[i].bytes);
        assert_refused(&boot, damage[i].err, damage[i].part);
        memcpy(boot.data + damage[i].at, before, damage[i].bytes);
    }
    for (boot.n = 0x250; boot.n < 5 * 512 + small.n; boot.n += 100)
        assert_refused(&boot, ALTPICK_EFORMAT, "offset 0x248");
    free(boot.data);
}

static void a_payload_of_another_size_is_refused(void **state)
{
    (void) state;

    for (int i = 1; i < N_FORMATS; i++) {
        struct bytes packed;

        if (!is_built_in(&formats[i]))
            continue;
        packed = packed_by(formats[i].tool, &small);
        for (int more = -1; more < 2; more += 2) {
            struct bytes boot = bzimage_of(&packed, true, small.n + (size_t) more);

            assert_refused(&boot, ALTPICK_EFORMAT,
                           more < 0 ? "inflates to more than" : "is said to inflate to");
            free(boot.data);
        }
        free(packed.data);
    }
}

static void what_is_not_read_is_named(void **state)
{
    static const struct {
        struct bytes bytes;
        const char *part;
    } others[] = {
        {{(uint8_t *) (uintptr_t) "BZh91AY&SY", 10},        "packed with bzip2, which altpick cannot"},
        {{(uint8_t *) (uintptr_t) "\x5d\0\0\x80\0\xff", 6},
         "packed with lzma, which altpick cannot"                                                    },
        {{(uint8_t *) (uintptr_t) "\x89LZO\0\r\n\x1a", 8},  "packed with lzo, which altpick cannot"  },
    };
    (void) state;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct bytes boot = bzimage_of(&others[i].bytes, true, 1);

        assert_refused(&others[i].bytes, ALTPICK_EUNSUPPORTED, others[i].part);
        assert_refused(&boot, ALTPICK_EUNSUPPORTED, others[i].part);
        assert_refused(&boot, ALTPICK_EUNSUPPORTED, altpick_inflate_built_in());
        free(boot.data);
    }
}

static void nothing_inflates_without_end(void **state)
{
    struct bytes zeros = {calloc(1, 80 << 20), 80 << 20};
    (void) state;

    assert_non_null(zeros.data);
    for (int i = 0; i < N_FORMATS; i++) {
        struct bytes packed;

        if (!is_built_in(&formats[i]))
            continue;
        packed = packed_by(formats[i].tool, &zeros);
        assert_refused(&packed, ALTPICK_EFORMAT, "inflates to more than");
        free(packed.data);
    }
    free(zeros.data);
}

static void nothing_is_refused(void **state)
{
    static const struct bytes nothing = {(uint8_t *) (uintptr_t) "", 0};
    (void) state;

    for (int i = 0; i < N_FORMATS; i++) {
        struct bytes packed;

        if (!is_built_in(&formats[i]))
            continue;
        packed = packed_by(formats[i].tool, &nothing);
        assert_refused(&packed, ALTPICK_EFORMAT, "inflates to nothing");
        free(packed.data);
    }
}

static void a_full_disk_is_an_error(void **state)
{
    struct rlimit before, limited;
    (void) state;

    getrlimit(RLIMIT_FSIZE, &before);
    limited = before;
    limited.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < N_FORMATS; i++) {
        struct bytes packed;

        if (!is_built_in(&formats[i]))
            continue;
        packed = packed_by(formats[i].tool, &small);
        setrlimit(RLIMIT_FSIZE, &limited);
        assert_refused(&packed, ALTPICK_EIO, "File too large");
        setrlimit(RLIMIT_FSIZE, &before);
        free(packed.data);
    }
}

static void temporary_files_are_where_they_are_wanted(void **state)
{
    struct bytes boot = bzimage_of(&small, false, 0);
    (void) state;

    setenv("TMPDIR", "/nowhere", 1);
    assert_refused(&boot, ALTPICK_EIO, "/nowhere: No such file");
    setenv("TMPDIR", "", 1);
    assert_comes_out(&boot, "bzImage", &small);
    unsetenv("TMPDIR");
    free(boot.data);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_packed_is_left_alone),
        cmocka_unit_test(each_format_comes_out_whole),
        cmocka_unit_test(a_bzimage_gives_its_payload),
        cmocka_unit_test(a_bzimage_may_hold_a_plain_image),
        cmocka_unit_test(streams_may_follow_each_other),
        cmocka_unit_test(what_is_cut_short_is_refused_with_the_offset),
        cmocka_unit_test(what_follows_is_refused_with_its_offset),
        cmocka_unit_test(a_flipped_bit_is_noticed),
        cmocka_unit_test(the_header_of_a_bzimage_is_checked),
        cmocka_unit_test(a_payload_of_another_size_is_refused),
        cmocka_unit_test(what_is_not_read_is_named),
        cmocka_unit_test(nothing_inflates_without_end),
        cmocka_unit_test(nothing_is_refused),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(temporary_files_are_where_they_are_wanted),
    };
    int failed;

    if (!tools_are_there())
        return 77; /* what meson takes for skipped */
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    image = image_like(IMAGE_BYTES);
    small = (struct bytes){image.data, SMALL_BYTES};
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(image.data);
    return failed;
}
