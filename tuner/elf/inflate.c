/* SPDX-License-Identifier: MIT */
/* What is around an ELF file, a Linux bzImage or a compressed stream, taken off into a file. */
#include "elf/inflate.h"

#include "diag.h"
#include "elf/bytes.h"
#include "elf/unpack.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* The header of a bzImage: Documentation/arch/x86/boot.rst of Linux. */
enum {
    SETUP_SECTS = 0x1f1, /* u8, 0 means 4: 512-byte sectors behind the first */
    BOOT_FLAG = 0x1fe,
    BOOT_MAGIC = 0xaa55,
    HEADER = 0x202, /* "HdrS" */
    VERSION = 0x206,
    PAYLOAD_OFFSET = 0x248, /* behind the setup sectors */
    PAYLOAD_LENGTH = 0x24c,
    BOOT_HEADER_BYTES = 0x250,
    VERSION_PAYLOAD = 0x208, /* since when it says where the payload is */
};

#define LIMIT_BYTES (UINT64_C(2) << 30)
/* Kernels shrink to an eighth or so. */
enum { LIMIT_SMALL_BYTES = 64 << 20, LIMIT_RATIO = 64 };

struct packing {
    const char *name;
    uint8_t magic[8];
    uint8_t magic_bytes;
    bool has_reader;        /* in some build */
    altpick_unpack *unpack; /* in this build; else NULL */
};

#if ALTPICK_WITH_GZIP
#define GZIP      altpick_unpack_gzip
#define GZIP_NAME ", gzip"
#else
#define GZIP      NULL
#define GZIP_NAME ""
#endif
#if ALTPICK_WITH_XZ
#define XZ      altpick_unpack_xz
#define XZ_NAME ", xz"
#else
#define XZ      NULL
#define XZ_NAME ""
#endif
#if ALTPICK_WITH_ZSTD
#define ZSTD      altpick_unpack_zstd
#define ZSTD_NAME ", zstd"
#else
#define ZSTD      NULL
#define ZSTD_NAME ""
#endif
#if ALTPICK_WITH_LZ4
#define LZ4      altpick_unpack_lz4
#define LZ4_NAME ", lz4"
#else
#define LZ4      NULL
#define LZ4_NAME ""
#endif

static const struct packing packings[] = {
    {"gzip",  {0x1f, 0x8b},                               2, true,  GZIP},
    {"xz",    {0xfd, '7', 'z', 'X', 'Z', 0},              6, true,  XZ  },
    {"zstd",  {0x28, 0xb5, 0x2f, 0xfd},                   4, true,  ZSTD},
    {"lz4",   {0x02, 0x21, 0x4c, 0x18},                   4, true,  LZ4 }, /* the older frames, which kernels use */
    {"lz4",   {0x04, 0x22, 0x4d, 0x18},                   4, true,  LZ4 },
    {"bzip2", {'B', 'Z', 'h'},                            3, false, NULL},
    {"lzma",  {0x5d, 0, 0},                               3, false, NULL},
    {"lzo",   {0x89, 'L', 'Z', 'O', 0, 0x0d, 0x0a, 0x1a}, 8, false, NULL},
};

enum { N_PACKINGS = sizeof packings / sizeof *packings };

const char *altpick_inflate_built_in(void)
{
    static const char names[] = GZIP_NAME XZ_NAME ZSTD_NAME LZ4_NAME;

    return sizeof names > 1 ? names + strlen(", ") : "none";
}

int altpick_unpack_fail(const struct altpick_packed *packed, size_t at, const char *reason,
                        struct altpick_diag *diag)
{
    return altpick_fail(diag, ALTPICK_EFORMAT, "%s: offset %" PRIu64 ": %s", packed->path,
                        packed->offset + at, reason);
}

static bool is_elf(const uint8_t *data, size_t bytes)
{
    return bytes >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0;
}

static const struct packing *packing_of(const uint8_t *data, size_t bytes)
{
    for (int i = 0; i < N_PACKINGS; i++) {
        if (bytes >= packings[i].magic_bytes &&
            memcmp(data, packings[i].magic, packings[i].magic_bytes) == 0)
            return &packings[i];
    }
    return NULL;
}

static uint64_t limit_of(size_t bytes)
{
    uint64_t limit =
        bytes < LIMIT_BYTES / LIMIT_RATIO ? (uint64_t) bytes * LIMIT_RATIO : LIMIT_BYTES;

    return limit < LIMIT_SMALL_BYTES ? LIMIT_SMALL_BYTES : limit;
}

/* Where @packed is a bzImage, narrow it to the payload. */
static int find_payload(struct altpick_packed *packed, bool *ret_is_boot, struct altpick_diag *diag)
{
    const uint8_t *data = packed->data;
    uint64_t setup, offset, length;
    unsigned version;

    *ret_is_boot = packed->bytes >= BOOT_HEADER_BYTES && !is_elf(data, packed->bytes) &&
                   altpick_u16(data + BOOT_FLAG) == BOOT_MAGIC &&
                   memcmp(data + HEADER, "HdrS", 4) == 0;
    if (!*ret_is_boot)
        return ALTPICK_OK;
    version = altpick_u16(data + VERSION);
    if (version < VERSION_PAYLOAD)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: a bzImage of boot protocol %u.%02u, which does not say where the "
                            "kernel is",
                            packed->path, version >> 8, version & 0xff);
    setup = 512 * (1 + (uint64_t) (data[SETUP_SECTS] ? data[SETUP_SECTS] : 4));
    offset = setup + altpick_u32(data + PAYLOAD_OFFSET);
    length = altpick_u32(data + PAYLOAD_LENGTH);
    if (length == 0 || offset > packed->bytes || length > packed->bytes - offset)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: offset 0x%x: the payload of the bzImage is said to be %" PRIu64
                            " bytes at %" PRIu64 ", and the file has %zu",
                            packed->path, (unsigned) PAYLOAD_OFFSET, length, offset, packed->bytes);
    packed->data += offset;
    packed->bytes = (size_t) length;
    packed->offset = offset;
    return ALTPICK_OK;
}

/* Linux appends the size that is inside to every stream but gzip's, which has it anyway. */
static int take_size(struct altpick_packed *packed, uint64_t *ret_size, struct altpick_diag *diag)
{
    if (packed->bytes <= 4)
        return altpick_unpack_fail(packed, 0, "too short for a payload and its size", diag);
    packed->bytes -= 4;
    *ret_size = altpick_u32(packed->data + packed->bytes);
    return ALTPICK_OK;
}

static int copy(const struct altpick_packed *packed, struct altpick_spool *spool,
                struct altpick_diag *diag)
{
    uint64_t bytes = packed->bytes;
    uint8_t *room;
    int r = altpick_spool_reserve(spool, &bytes, &room, diag);

    if (r < 0)
        return r;
    memcpy(room, packed->data, bytes);
    return altpick_spool_commit(spool, packed->bytes, diag);
}

static int check_size(const struct altpick_packed *packed, const struct altpick_spool *spool,
                      const uint64_t *said, struct altpick_diag *diag)
{
    if (spool->bytes == 0)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: inflates to nothing", packed->path);
    if (said && *said != spool->bytes)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: offset %" PRIu64 ": the payload is said to inflate to %" PRIu64
                            " bytes, and does to %" PRIu64,
                            packed->path, packed->offset + packed->bytes, *said, spool->bytes);
    return ALTPICK_OK;
}

/* Inflate @packed, which inflates to *@said bytes where that is not NULL, and keep the file. */
static int unpack(const struct altpick_packed *packed, altpick_unpack *how, const uint64_t *said,
                  struct altpick_inflated *ret, struct altpick_diag *diag)
{
    uint64_t limit = limit_of(packed->bytes);
    struct altpick_spool spool;
    int r;

    r = altpick_spool_open(packed->path, said && *said < limit ? *said : limit, &spool, diag);
    if (r < 0)
        return r;
    r = how(packed, &spool, diag);
    if (r == ALTPICK_OK)
        r = check_size(packed, &spool, said, diag);
    if (r == ALTPICK_OK) {
        ret->fd = spool.fd;
        ret->bytes = (size_t) spool.bytes;
        spool.fd = -1;
    }
    altpick_spool_close(&spool);
    return r;
}

static int refuse(const char *path, bool is_boot, const struct packing *packing,
                  struct altpick_diag *diag)
{
    if (!packing)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: a bzImage whose payload is packed in an unknown way; built in: %s",
                            path, altpick_inflate_built_in());
    return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                        "%s: %spacked with %s, which %s cannot read; built in: %s", path,
                        is_boot ? "a bzImage, " : "", packing->name,
                        packing->has_reader ? "this build" : "altpick", altpick_inflate_built_in());
}

/* @packed is what is to be inflated, @is_boot whether that is the payload of a bzImage. */
static int unpack_known(struct altpick_packed *packed, bool is_boot, const struct packing *packing,
                        struct altpick_inflated *ret, struct altpick_diag *diag)
{
    bool has_size = is_boot && packing->unpack != GZIP;
    uint64_t size;
    int r = has_size ? take_size(packed, &size, diag) : ALTPICK_OK;

    if (r < 0)
        return r;
    ret->packing = packing->name;
    return unpack(packed, packing->unpack, has_size ? &size : NULL, ret, diag);
}

int altpick_inflate(const char *path, const uint8_t *map, size_t bytes,
                    struct altpick_inflated *ret_inflated, struct altpick_diag *diag)
{
    struct altpick_packed packed = {.path = path, .data = map, .bytes = bytes};
    struct altpick_inflated inflated = {.fd = -1};
    const struct packing *packing;
    bool is_boot;
    int r;

    r = find_payload(&packed, &is_boot, diag);
    if (r < 0)
        return r;
    packing = packing_of(packed.data, packed.bytes);
    if (is_elf(packed.data, packed.bytes)) {
        if (is_boot) {
            inflated.packing = "bzImage";
            r = unpack(&packed, copy, NULL, &inflated, diag);
        }
    } else if (packing && packing->unpack) {
        r = unpack_known(&packed, is_boot, packing, &inflated, diag);
    } else if (packing || is_boot) {
        r = refuse(path, is_boot, packing, diag);
    }
    if (r == ALTPICK_OK)
        *ret_inflated = inflated;
    return r;
}
