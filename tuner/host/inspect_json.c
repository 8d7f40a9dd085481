/* SPDX-License-Identifier: MIT */
/* An inspection as JSON for programs. */
#include "inspect_print.h"

#include <stdio.h>

static void tally_json(const struct altpick_tally *tally, const char *key, const char *value_key,
                       const struct altpick_image *image, struct altpick_json *json)
{
    altpick_json_array(json, key);
    for (size_t i = 0; i < tally->n; i++) {
        const struct altpick_tally_item *item = &tally->items[i];

        altpick_json_object(json, NULL);
        if (item->name)
            altpick_json_text(json, value_key, item->name);
        else if (image)
            altpick_json_text(json, value_key, image->sections[item->value].name);
        else
            altpick_json_u64(json, value_key, item->value);
        altpick_json_u64(json, "records", item->count);
        altpick_json_end(json);
    }
    altpick_json_end(json);
}

static void other_layouts_json(const struct altpick_table_facts *facts, struct altpick_json *json)
{
    altpick_json_array(json, "other_layouts");
    for (size_t i = 0; i < facts->n_others; i++) {
        const struct altpick_other_layout *other = &facts->others[i];

        altpick_json_object(json, NULL);
        altpick_json_text(json, "layout", other->layout->name);
        altpick_json_bool(json, "valid", other->is_valid);
        if (!other->is_valid) {
            altpick_json_u64(json, "record", other->record);
            altpick_json_u64(json, "offset", other->offset);
            altpick_json_text(json, "field", other->fault.field ? other->fault.field : "table");
            altpick_json_text(json, "why",
                              other->fault.field ? other->fault.why : "no whole number of records");
        }
        altpick_json_end(json);
    }
    altpick_json_end(json);
}

static void table_json(const struct altpick_image *image, const struct altpick_table_facts *facts,
                       const struct altpick_disassembler *disassembler, struct altpick_json *json)
{
    const struct altpick_patch_table *table = facts->table;

    altpick_json_object(json, NULL);
    altpick_json_text(json, "section", table->section->name);
    altpick_json_u64(json, "offset", table->offset);
    altpick_json_text(json, "found_by", altpick_inspect_found(table->found));
    altpick_json_text(json, "layout", table->layout->name);
    altpick_json_u64(json, "entry_bytes", table->layout->record_bytes);
    altpick_json_u64(json, "entries", table->n_entries);
    altpick_json_u64(json, "sites", facts->sites);
    altpick_json_u64(json, "groups", facts->groups);
    altpick_json_u64(json, "grouped_records", facts->grouped);
    altpick_json_u64(json, "inverted", facts->inverted);
    altpick_json_u64(json, "direct_call", facts->direct_call);
    altpick_json_u64(json, "padded", facts->padded);
    altpick_json_u64(json, "no_replacement", facts->no_replacement);
    other_layouts_json(facts, json);
    tally_json(&facts->features, "features", "feature", NULL, json);
    tally_json(&facts->tags, "tags", "tag", NULL, json);
    tally_json(&facts->items, "items", "item", NULL, json);
    tally_json(&facts->lengths, "lengths", "bytes", NULL, json);
    tally_json(&facts->site_sections, "site_sections", "section", image, json);
    tally_json(&facts->replacement_sections, "replacement_sections", "section", image, json);
    if (disassembler)
        altpick_inspect_records_json(image, table, disassembler, json);
    altpick_json_end(json);
}

static void others_json(const struct altpick_image *image, struct altpick_json *json)
{
    struct altpick_rewriter_found found;
    size_t next = 1;

    altpick_json_array(json, "other_tables");
    while (altpick_inspection_rewriter_next(image, &next, &found)) {
        altpick_json_object(json, NULL);
        altpick_json_text(json, "section", found.section->name);
        altpick_json_text(json, "what", found.rewriter->name);
        altpick_json_u64(json, "entry_bytes",
                         altpick_rewriter_record_bytes(found.rewriter, image->code_is_64));
        altpick_json_u64(json, "entries", found.n_records);
        altpick_json_end(json);
    }
    altpick_json_end(json);
}

static void encodings_json(const struct altpick_census *census, struct altpick_json *json)
{
    struct altpick_nop_encoding list[ALTPICK_NOP_LISTED];
    size_t n = altpick_census_list(census, list);

    altpick_json_array(json, "encodings");
    for (size_t i = 0; i < n; i++) {
        altpick_json_object(json, NULL);
        altpick_json_text(json, "form", altpick_nop_form_text(list[i].form));
        altpick_json_u64(json, "prefixes_66", list[i].prefixes_66);
        altpick_json_u64(json, "prefixes_2e", list[i].prefixes_2e);
        altpick_json_u64(json, "count", list[i].nops.count);
        altpick_json_u64(json, "bytes", list[i].nops.bytes);
        altpick_json_end(json);
    }
    altpick_json_end(json);
}

static void census_json(const struct altpick_census *census, struct altpick_json *json)
{
    altpick_json_object(json, "census");
    altpick_json_u64(json, "bytes", census->bytes);
    altpick_json_u64(json, "instructions", census->instructions);
    altpick_json_u64(json, "undecodable_bytes", census->undecodable_bytes);
    altpick_json_u64(json, "nops", census->nops.count);
    altpick_json_u64(json, "nop_bytes", census->nops.bytes);
    altpick_json_object(json, "by_length");
    for (unsigned i = 1; i <= ALTPICK_NOP_BYTES_MAX; i++) {
        char key[4];

        snprintf(key, sizeof key, "%u", i);
        if (census->by_length[i])
            altpick_json_u64(json, key, census->by_length[i]);
    }
    altpick_json_end(json);
    encodings_json(census, json);
    altpick_json_end(json);
}

void altpick_inspect_json(const struct altpick_inspection *inspection,
                          const struct altpick_disassembler *disassembler,
                          struct altpick_json *json)
{
    const struct altpick_image *image = &inspection->image;

    altpick_json_object(json, NULL);
    altpick_json_text(json, "file", image->path);
    altpick_json_text(json, "machine", altpick_inspect_machine(image));
    altpick_json_text(json, "kind", altpick_inspect_kind(image));
    if (image->packing)
        altpick_json_text(json, "packing", image->packing);
    altpick_json_u64(json, "bytes", image->map_bytes);
    altpick_json_array(json, "tables");
    for (size_t i = 0; i < inspection->tables.n_tables; i++)
        table_json(image, &inspection->facts[i], disassembler, json);
    altpick_json_end(json);
    if (inspection->locks.present) {
        altpick_json_u64(json, "smp_locks", inspection->locks.n);
        altpick_json_u64(json, "smp_locks_removed", inspection->locks.removed);
        altpick_json_u64(json, "smp_locks_padding", inspection->locks.padding);
    }
    others_json(image, json);
    if (inspection->has_census)
        census_json(&inspection->census, json);
    altpick_json_end(json);
}
