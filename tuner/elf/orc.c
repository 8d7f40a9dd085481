/* SPDX-License-Identifier: MIT */
/* Turns a kernel's ORC unwind tables into bounds of functions. */
#include "elf/orc.h"

#include "diag.h"
#include "elf/bytes.h"

#include <stdlib.h>

/* struct orc_entry: s16 sp_offset, s16 bp_offset, u16 of which the low 4 bits are sp_reg. */
enum { IP_BYTES = 4, ENTRY_BYTES = 6, SP_REG_MASK = 15, SP_UNDEFINED = 0, SP_IS_SP = 5 };

/* What the tables say from an address on. */
enum state {
    STATE_NOTHING, /* padding, or what objtool did not follow; sorted first where addresses equal */
    STATE_CALLED,  /* the stack as after a call: only the return address is on it */
    STATE_OTHER,
};

struct row {
    uint64_t address;
    enum state state;
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
}

static struct row read_row(const struct altpick_section *ip, const struct altpick_section *orc,
                           size_t index)
{
    const uint8_t *entry = orc->data + ENTRY_BYTES * index;
    int16_t sp_offset = (int16_t) altpick_u16(entry);
    uint16_t bits = altpick_u16(entry + 4);
    struct row row;

    row.address =
        ip->address + IP_BYTES * index + (uint64_t) altpick_s32(ip->data + IP_BYTES * index);
    row.state = (bits & SP_REG_MASK) == SP_UNDEFINED                 ? STATE_NOTHING
                : (bits & SP_REG_MASK) == SP_IS_SP && sp_offset == 8 ? STATE_CALLED
                                                                     : STATE_OTHER;
    return row;
}

/* Whether @address is in code or at its end, where a terminator is.  *@hint: where the last was. */
static bool is_code(const struct altpick_image *image, uint64_t address, size_t *hint)
{
    for (size_t i = 0; i < image->n_sections; i++) {
        size_t at = (*hint + i) % image->n_sections;
        const struct altpick_section *section = &image->sections[at];

        if (address >= section->address && address - section->address <= section->bytes &&
            altpick_section_is_code(section)) {
            *hint = at;
            return true;
        }
    }
    return false;
}

static int read_rows(const struct altpick_image *image, const struct altpick_section *ip,
                     const struct altpick_section *orc, struct row *rows, size_t n,
                     struct altpick_diag *diag)
{
    bool in_order = true;
    size_t hint = 0;

    for (size_t i = 0; i < n; i++) {
        rows[i] = read_row(ip, orc, i);
        if (!is_code(image, rows[i].address, &hint))
            return altpick_fail(diag, ALTPICK_EFORMAT,
                                "%s: .orc_unwind_ip: entry %zu, at offset %#zx: address %#llx is "
                                "not in code",
                                image->path, i, IP_BYTES * i, (unsigned long long) rows[i].address);
        in_order = in_order && (i == 0 || compare_rows(&rows[i - 1], &rows[i]) <= 0);
    }
    if (!in_order) /* up to 5.5 the kernel sorts them at boot */
        qsort(rows, n, sizeof *rows, compare_rows);
    return ALTPICK_OK;
}

static int add_bounds(const struct row *rows, size_t n, struct altpick_symbol_map *map)
{
    bool was_nothing = true;
    uint64_t end = 0;
    int r = ALTPICK_OK;

    for (size_t i = 0; r == ALTPICK_OK && i < n; i++) {
        if (rows[i].state == STATE_NOTHING) {
            if (!was_nothing)
                end = rows[i].address;
        } else if (rows[i].state == STATE_CALLED && was_nothing) {
            if (map->n > 0)
                r = altpick_symbol_map_add(map, end, 0, ALTPICK_MAP_END, NULL);
            if (r == ALTPICK_OK)
                r = altpick_symbol_map_add(map, rows[i].address, 0, 't', NULL);
        }
        was_nothing = rows[i].state == STATE_NOTHING;
    }
    if (r == ALTPICK_OK && map->n > 0 && was_nothing)
        r = altpick_symbol_map_add(map, end, 0, ALTPICK_MAP_END, NULL);
    return r;
}

int altpick_orc_read(const struct altpick_image *image, struct altpick_symbol_map *ret_map,
                     struct altpick_diag *diag)
{
    const struct altpick_section *ip = altpick_image_section(image, ".orc_unwind_ip");
    const struct altpick_section *orc = altpick_image_section(image, ".orc_unwind");
    struct altpick_symbol_map map = {0};
    struct row *rows;
    size_t n;
    int r;

    if (image->is_relocatable || !ip || !orc || !ip->data || !orc->data)
        return altpick_fail(diag, ALTPICK_ENOFIT, "%s: no ORC tables", image->path);
    n = (size_t) ip->bytes / IP_BYTES;
    if (ip->bytes % IP_BYTES != 0 || orc->bytes % ENTRY_BYTES != 0 || orc->bytes / ENTRY_BYTES != n)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: .orc_unwind_ip of %llu bytes does not fit .orc_unwind of %llu",
                            image->path, (unsigned long long) ip->bytes,
                            (unsigned long long) orc->bytes);
    rows = malloc((n + 1) * sizeof *rows);
    if (!rows)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
    r = read_rows(image, ip, orc, rows, n, diag);
    if (r == ALTPICK_OK && add_bounds(rows, n, &map) < 0)
        r = altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", image->path);
    free(rows);
    if (r < 0)
        altpick_symbol_map_fini(&map);
    else
        *ret_map = map;
    return r;
}
