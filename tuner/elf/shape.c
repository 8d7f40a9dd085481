/* SPDX-License-Identifier: MIT */
/* Looks for the longest run of valid records at any aligned offset of an image. */
#include "elf/shape.h"

#include <elf.h>

enum { ALIGNMENT = 4, RECORDS_MIN = 64 };

/* What most bytes fail at, before a record is read in full. */
static bool may_start(const struct altpick_layout *layout, const uint8_t *record)
{
    unsigned site = record[layout->site_bytes.offset];
    unsigned replacement = record[layout->replacement_bytes.offset];

    if (layout->site_excludes_padding)
        site += record[layout->pad_bytes.offset];
    if (layout->fixed.kind != ALTPICK_FIELD_NONE &&
        record[layout->fixed.offset] != layout->fixed_value)
        return false;
    return site > 0 && site <= 255 && replacement <= site &&
           (record[layout->feature.offset + 1] & 0x7f) < ALTPICK_FEATURE_WORDS_MAX / 8;
}

/* Number of valid records from @records' offset on. */
static size_t run_length(const struct altpick_records *records, const struct altpick_layout *layout)
{
    const struct altpick_section *section = &records->image->sections[records->section];
    size_t most = (size_t) ((section->bytes - records->offset) / layout->record_bytes), n = 0;
    struct altpick_record_fault fault;
    struct altpick_record entry;

    while (n < most &&
           may_start(layout, section->data + records->offset + n * layout->record_bytes) &&
           altpick_record_read(records, layout, n, &entry, &fault) == ALTPICK_OK)
        n++;
    return n;
}

int altpick_shape_find(const struct altpick_image *image, const struct altpick_layout *layout,
                       struct altpick_records *ret_records)
{
    struct altpick_records best = {.image = image}, records = {.image = image};

    for (uint32_t i = 1; i < image->n_sections; i++) {
        const struct altpick_section *section = &image->sections[i];

        if (!section->data || !(section->flags & SHF_ALLOC) || image->is_relocatable)
            continue;
        records.section = i;
        for (records.offset = 0; records.offset < section->bytes;) {
            size_t n = run_length(&records, layout);

            records.bytes = n * layout->record_bytes;
            if (n >= RECORDS_MIN && records.bytes > best.bytes)
                best = records;
            records.offset += n >= RECORDS_MIN ? records.bytes / ALIGNMENT * ALIGNMENT : ALIGNMENT;
        }
    }
    if (best.bytes == 0)
        return ALTPICK_ENOFIT;
    *ret_records = best;
    return ALTPICK_OK;
}
