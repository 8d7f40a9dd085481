/* SPDX-License-Identifier: MIT */
/* Reads what PVH and multiboot2 loaders tell, and hands out the RAM that they say is free. */
#include "info.h"

#include "port.h"

#define MAPPED_END UINT64_C(0x100000000) /* start.S maps 4 GiB */
#define LOW_END    UINT64_C(0x100000)    /* firmware's and DOS's: never handed out */
#define VGA_TEXT   UINT64_C(0xb8000)

enum { CRTC_INDEX = 0x3d4, CRTC_DATA = 0x3d5, CURSOR_LOW = 15 };
enum { RAM = 1 }; /* in both protocols' maps */

/* Linker script. */
extern const char boot_image_start[], boot_image_end[];

/* Xen's public/arch-x86/hvm/start_info.h. */
struct pvh_start {
    uint32_t magic, version, flags, n_modules;
    uint64_t modules, command_line, rsdp, map;
    uint32_t n_map, reserved;
};

struct pvh_range {
    uint64_t start, bytes;
    uint32_t type, reserved;
};

/* Multiboot2 Specification 2.0, 3.6: tags of type and size, each aligned to 8. */
struct multiboot2_tag {
    uint32_t type, bytes;
};

enum { TAG_END = 0, TAG_COMMAND_LINE = 1, TAG_MAP = 6, TAG_FRAMEBUFFER = 8 };
enum { FRAMEBUFFER_TYPE_AT = 29, FRAMEBUFFER_TEXT = 2, MAP_HEAD_BYTES = 16, MAP_ENTRY_MIN = 20 };

static const void *pointer(uint64_t address)
{
    return (
        const void *) (uintptr_t) address; // NOLINT: physical addresses are mapped to themselves
}

static void add_range(struct boot_info *info, uint64_t start, uint64_t bytes, uint32_t type)
{
    if (type != RAM || start >= MAPPED_END || info->n_ram == BOOT_RANGES_MAX)
        return;
    if (bytes > MAPPED_END - start)
        bytes = MAPPED_END - start;
    info->ram[info->n_ram++] = (struct boot_range){start, bytes};
}

static void copy_line(struct boot_info *info, const char *line, size_t max)
{
    size_t n = 0;

    while (n < max && line[n] && n + 1 < BOOT_LINE_MAX) {
        info->command_line[n] = line[n];
        n++;
    }
    info->command_line[n] = '\0';
    if (n < max && line[n])
        info->flags |= BOOT_LINE_CUT;
}

static void read_pvh(const struct pvh_start *start, struct boot_info *info)
{
    const struct pvh_range *map = pointer(start->map);

    if (start->command_line && start->command_line < MAPPED_END - BOOT_LINE_MAX)
        copy_line(info, pointer(start->command_line), SIZE_MAX);
    if (start->version < 1 || start->map >= MAPPED_END)
        return;
    for (uint32_t i = 0; i < start->n_map; i++)
        add_range(info, map[i].start, map[i].bytes, map[i].type);
}

static void read_map_tag(const uint8_t *tag, uint32_t bytes, struct boot_info *info)
{
    uint32_t entry_bytes =
        bytes < MAP_HEAD_BYTES ? 0 : ((const uint32_t *) pointer((uintptr_t) tag))[2];

    if (entry_bytes < MAP_ENTRY_MIN || entry_bytes % 8)
        return;
    for (uint32_t at = MAP_HEAD_BYTES; bytes - at >= entry_bytes; at += entry_bytes) {
        const struct pvh_range *range = pointer((uintptr_t) (tag + at)); /* the same fields */

        add_range(info, range->start, range->bytes, range->type);
    }
}

/* Returns whether some tag says that the screen is something else than text. */
static bool read_multiboot2(const uint8_t *data, struct boot_info *info)
{
    uint32_t total = *(const uint32_t *) pointer((uintptr_t) data);
    bool graphics = false;

    for (uint32_t at = 8; at < total && total - at >= sizeof(struct multiboot2_tag);) {
        const uint8_t *text = data + at;
        const struct multiboot2_tag *tag = pointer((uintptr_t) text);

        if (tag->type == TAG_END || tag->bytes < sizeof *tag || tag->bytes > total - at)
            break;
        if (tag->type == TAG_COMMAND_LINE)
            copy_line(info, (const char *) text + sizeof *tag, tag->bytes - sizeof *tag);
        else if (tag->type == TAG_MAP)
            read_map_tag(text, tag->bytes, info);
        else if (tag->type == TAG_FRAMEBUFFER && tag->bytes > FRAMEBUFFER_TYPE_AT)
            graphics = text[FRAMEBUFFER_TYPE_AT] != FRAMEBUFFER_TEXT;
        at += (tag->bytes + 7) & ~7u;
    }
    return graphics;
}

static bool register_keeps(uint8_t value)
{
    boot_out8(CRTC_DATA, value);
    return boot_in8(CRTC_DATA) == value;
}

/* Some machines have plain memory there that no map tells of, so that the chip is asked first. */
static bool has_crtc(void)
{
    uint8_t index = boot_in8(CRTC_INDEX), before;
    bool keeps;

    boot_out8(CRTC_INDEX, CURSOR_LOW);
    before = boot_in8(CRTC_DATA);
    keeps = register_keeps(0x5a) && register_keeps(0xa5);
    boot_out8(CRTC_DATA, before);
    boot_out8(CRTC_INDEX, index);
    return keeps;
}

static bool cell_keeps(uint16_t value)
{
    volatile uint16_t *cell = (volatile uint16_t *) (uintptr_t) VGA_TEXT;
    uint16_t before = *cell;
    bool keeps;

    *cell = value;
    keeps = *cell == value;
    *cell = before;
    return keeps;
}

/* Nobody tells PVH programs of a screen. */
static bool has_text_screen(const struct boot_info *info)
{
    for (uint32_t i = 0; i < info->n_ram; i++) {
        if (info->ram[i].start <= VGA_TEXT && VGA_TEXT - info->ram[i].start < info->ram[i].bytes)
            return false;
    }
    return has_crtc() && cell_keeps(0x0741) && cell_keeps(0x0742);
}

void boot_info_read(uint32_t loader, const void *data, struct boot_info *ret_info)
{
    bool graphics = false;

    *ret_info = (struct boot_info){.bytes = sizeof *ret_info};
    if (loader == BOOT_BY_PVH)
        read_pvh(data, ret_info);
    else
        graphics = read_multiboot2(data, ret_info);
    if (!graphics && has_text_screen(ret_info))
        ret_info->flags |= BOOT_TEXT_SCREEN;
}

void *boot_memory_take(const struct boot_info *info, size_t bytes, size_t alignment)
{
    static uint64_t taken; /* everything below is */
    uint64_t floor = taken;

    if (floor < LOW_END)
        floor = LOW_END;
    for (uint32_t i = 0; i < info->n_ram; i++) {
        uint64_t at = info->ram[i].start > floor ? info->ram[i].start : floor;
        uint64_t end = info->ram[i].start + info->ram[i].bytes;
        uint64_t image = (uintptr_t) boot_image_start, image_end = (uintptr_t) boot_image_end;

        at = (at + alignment - 1) & ~(uint64_t) (alignment - 1);
        if (at < image_end && at + bytes > image)
            at = (image_end + alignment - 1) & ~(uint64_t) (alignment - 1);
        if (at >= end || end - at < bytes)
            continue;
        taken = at + bytes;
        return (void *) (uintptr_t) at;
    }
    return NULL;
}
