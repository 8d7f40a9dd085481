/* SPDX-License-Identifier: MIT */
/* Makes the table of what was decided, and puts it into the sites of this program. */
#include "mini.h"

#include "altpick/patches.h"
#include "bytes.h"
#include "patch.h"

enum { SHOWN_BYTES = 12, NAME_COLUMNS = 24 };

static struct altpick_patches table;

/* For the default of fpu.init.body: what XRSTOR and FXRSTOR read. */
static const struct __attribute__((aligned(64))) {
    uint16_t control, status;
    uint32_t zero[5];
    uint32_t mxcsr, rest[137];
} initial = {.control = 0x37f, .mxcsr = 0x1f80};
_Static_assert(sizeof initial == 576, "legacy region and header");

const void *mini_fpu_init_data = &initial;

static void show_bytes(struct altpick_out *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n && i < SHOWN_BYTES; i++)
        altpick_out_hex(out, bytes[i], 2);
    if (n > SHOWN_BYTES)
        altpick_out_text(out, "..");
}

static void show_name(struct altpick_out *out, const char *name)
{
    altpick_out_text(out, name);
    for (size_t n = altpick_length(name); n < NAME_COLUMNS; n++)
        altpick_out_text(out, " ");
}

static const char fpu_init[] = "fpu.init.body";

/* What the runtime's hooks share. */
struct patching {
    struct altpick_out *out;
    bool replaces_fpu_init;
};

/* The runtime tells of every site before it writes any. */
static void show_site(void *ctx, const struct altpick_patch_site *site,
                      enum altpick_patch_fate fate, const uint8_t *bytes)
{
    static const char *const fates[] = {"applied", "unknown", "lacking"};
    const uint8_t *code = (const uint8_t *) &site->site + site->site;
    const char *item = (const char *) &site->item + site->item;
    struct patching *patching = ctx;
    struct altpick_out *out = patching->out;

    if (altpick_equal(item, fpu_init) && fate == ALTPICK_PATCH_APPLIED)
        patching->replaces_fpu_init = true;
    altpick_out_text(out, "miniature: ");
    show_name(out, item);
    altpick_out_u64(out, site->bytes);
    altpick_out_text(out, " bytes, ");
    altpick_out_text(out, fates[fate]);
    altpick_out_text(out, "\nminiature:   before ");
    show_bytes(out, code, site->bytes);
    if (bytes) {
        altpick_out_text(out, "\nminiature:   after  ");
        show_bytes(out, bytes, site->bytes);
    }
    altpick_out_text(out, "\n");
}

/*
 * What the code that was put at sites of fpu.init.body is given: the table says.  Where the default
 * stays, because this CPU lacks what was decided, so does the default's.
 */
static void take_fpu_init_data(void)
{
    const struct altpick_patch_table *header = (const void *) table.data;
    const struct altpick_patch_entry *entry = (const void *) (table.data + header->entries);

    for (size_t i = 0; i < header->n_entries; i++) {
        if (altpick_equal((const char *) table.data + entry[i].name, fpu_init))
            mini_fpu_init_data = table.data + entry[i].data; /* none: never read */
    }
}

static bool apply(const struct altpick_patcher *patcher, struct altpick_patch_result *ret_result,
                  struct altpick_out *out)
{
    int r = altpick_patch_apply(patcher, ret_result);

    if (r < 0) {
        altpick_out_text(out, "miniature: sites: ");
        altpick_out_text(out, ret_result->item);
        altpick_out_text(out, ": ");
        altpick_out_text(out, ret_result->why);
        altpick_out_text(out, "\n");
    }
    return r == 0;
}

static void show_counts(struct altpick_out *out, const struct altpick_patch_result *result)
{
    altpick_out_text(out, "miniature: sites: ");
    altpick_out_u64(out, result->n_sites);
    altpick_out_text(out, ", applied ");
    altpick_out_u64(out, result->n[ALTPICK_PATCH_APPLIED]);
    altpick_out_text(out, ", unknown ");
    altpick_out_u64(out, result->n[ALTPICK_PATCH_UNKNOWN]);
    altpick_out_text(out, ", lacking ");
    altpick_out_u64(out, result->n[ALTPICK_PATCH_LACKING]);
    altpick_out_text(out, result->beforehand ? "; patched beforehand\n" : "\n");
}

bool mini_sites_patch(const struct altpick_output *output, struct altpick_out *out)
{
    struct patching patching = {.out = out};
    struct altpick_patch_result result;
    struct altpick_patcher patcher = {
        .table = (const void *) table.data,
        .text = boot_image_start,
        .text_bytes = (size_t) (boot_text_end - boot_image_start),
        .ctx = &patching,
        .tell = show_site,
    };

    if (altpick_patches_build(output, NULL, &table) < 0)
        return false;
    patcher.table_bytes = table.bytes;
    if (!apply(&patcher, &result, out)) /* a dry run: nothing is written */
        return false;
    patcher.tell = NULL;
    patcher.poke = mini_text_poke;
    if (!apply(&patcher, &result, out))
        return false;
    show_counts(out, &result);
    if (patching.replaces_fpu_init)
        take_fpu_init_data();
    return true;
}
