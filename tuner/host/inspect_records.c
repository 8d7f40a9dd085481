/* SPDX-License-Identifier: MIT */
/* The records of patch tables with the code that they are about, as text and as JSON. */
#include "inspect_print.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PLACE_TEXT_MAX = 160, NOTES_TEXT_MAX = 256, CODE_COLUMNS = 30 };

/* Code that is shown: the bytes of a place, an instruction at a time. */
struct shown {
    const struct altpick_disassembler *disassembler;
    const struct altpick_place *place;
    size_t bytes, at;
};

/* The next instruction, where it was, and how often it is repeated. */
static void next_instruction(struct shown *shown, struct altpick_instruction *ret, size_t *ret_at,
                             size_t *ret_times)
{
    const uint8_t *code = shown->place->data;

    altpick_disassemble(shown->disassembler, shown->place->section,
                        shown->place->offset + shown->at, shown->bytes - shown->at, ret);
    *ret_at = shown->at;
    *ret_times = 1;
    shown->at += ret->bytes;
    /* Padding is one byte over and over: 90, or CC behind a jump. */
    while (ret->bytes == 1 && shown->at < shown->bytes && code[shown->at] == code[*ret_at]) {
        shown->at++;
        (*ret_times)++;
    }
}

static void place_text(const struct altpick_image *image, const struct altpick_place *place,
                       char ret[PLACE_TEXT_MAX])
{
    if (place->symbol)
        snprintf(ret, PLACE_TEXT_MAX, "%.96s%+" PRId64, place->symbol, (int64_t) place->offset);
    else if (image->is_relocatable)
        snprintf(ret, PLACE_TEXT_MAX, "%.96s+%#" PRIx64, image->sections[place->section].name,
                 place->offset);
    else
        snprintf(ret, PLACE_TEXT_MAX, "%#" PRIx64, place->address);
}

static const char *plural(unsigned n)
{
    return n == 1 ? "" : "s";
}

/* --- text ---------------------------------------------------------------------------------------
 */

static void code_text(struct shown *shown, const char *what, struct altpick_out *out)
{
    struct altpick_instruction instruction;
    char code[64];
    size_t at, times;

    if (shown->bytes == 0 || !shown->place->data)
        altpick_line(out, 10, "    %s  %s", what,
                     shown->bytes == 0 ? "nothing" : "in another file");
    while (shown->place->data && shown->at < shown->bytes) {
        next_instruction(shown, &instruction, &at, &times);
        snprintf(
            code, sizeof code, "%s",
            altpick_figure_code(shown->place->data + at, instruction.bytes, CODE_COLUMNS).text);
        if (times > 1)
            snprintf(code + 2, sizeof code - 2, ", %zu times", times);
        altpick_line(out, 10, "    %s  %-22s  %s", what, code, instruction.text);
        what = "   ";
    }
}

/* What a record says besides its places. */
static void notes_text(const struct altpick_layout *layout, const struct altpick_record *entry,
                       char ret[NOTES_TEXT_MAX])
{
    size_t n = (size_t) snprintf(ret, NOTES_TEXT_MAX, "%u byte%s", entry->site_bytes,
                                 plural(entry->site_bytes));

    if (layout->pad_bytes.kind != ALTPICK_FIELD_NONE ||
        layout->default_bytes.kind != ALTPICK_FIELD_NONE)
        n += (size_t) snprintf(ret + n, NOTES_TEXT_MAX - n, ", %u of padding", entry->pad_bytes);
    if (layout->feature.kind != ALTPICK_FIELD_NONE)
        n += (size_t) snprintf(ret + n, NOTES_TEXT_MAX - n, ", feature %u*32+%u",
                               entry->feature / 32, entry->feature % 32);
    if (layout->tag.kind != ALTPICK_FIELD_NONE)
        n += (size_t) snprintf(ret + n, NOTES_TEXT_MAX - n, ", tag %u", entry->tag);
    if (entry->item)
        n += (size_t) snprintf(ret + n, NOTES_TEXT_MAX - n, ", %.64s", entry->item);
    snprintf(ret + n, NOTES_TEXT_MAX - n, "%s%s", entry->inverted ? ", inverted" : "",
             entry->direct_call ? ", direct call" : "");
}

static void record_text(const struct altpick_inspection *inspection,
                        const struct altpick_patch_table *table, size_t index,
                        const struct altpick_disassembler *disassembler, struct altpick_out *out)
{
    const struct altpick_record *entry = &table->entries[index];
    struct shown old = {disassembler, &entry->site, entry->site_bytes, 0};
    struct shown new = {disassembler, &entry->replacement, entry->replacement_bytes, 0};
    char place[PLACE_TEXT_MAX], notes[NOTES_TEXT_MAX];

    place_text(&inspection->image, &entry->site, place);
    notes_text(table->layout, entry, notes);
    altpick_line(out, 4, "  %s+%#" PRIx64 ": %s, %s", table->section->name, entry->at, place,
                 notes);
    code_text(&old, "old", out);
    if (table->layout->replacement.kind != ALTPICK_FIELD_NONE)
        code_text(&new, "new", out);
}

void altpick_inspect_records_text(const struct altpick_inspection *inspection,
                                  const struct altpick_disassembler *disassembler,
                                  struct altpick_out *out)
{
    for (size_t i = 0; i < inspection->tables.n_tables; i++) {
        const struct altpick_patch_table *table = &inspection->tables.tables[i];

        for (size_t k = 0; k < table->n_entries; k++)
            record_text(inspection, table, k, disassembler, out);
    }
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

static void place_json(const struct altpick_image *image, const struct altpick_place *place,
                       const char *key, struct altpick_json *json)
{
    altpick_json_object(json, key);
    if (place->symbol) {
        altpick_json_text(json, "symbol", place->symbol);
        altpick_json_i64(json, "addend", (int64_t) place->offset);
    } else {
        altpick_json_text(json, "section", image->sections[place->section].name);
        altpick_json_u64(json, "offset", place->offset);
        if (!image->is_relocatable)
            altpick_json_hex(json, "address", place->address);
    }
    altpick_json_end(json);
}

static void code_json(struct shown *shown, const char *key, struct altpick_json *json)
{
    struct altpick_instruction instruction;
    size_t at, times;

    if (shown->bytes > 0 && !shown->place->data)
        return;
    altpick_json_object(json, key);
    altpick_json_code(json, "code", shown->place->data, shown->bytes);
    altpick_json_array(json, "instructions");
    while (shown->at < shown->bytes) {
        next_instruction(shown, &instruction, &at, &times);
        for (; times > 0; times--)
            altpick_json_text(json, NULL, instruction.text);
    }
    altpick_json_end(json);
    altpick_json_end(json);
}

static void numbers_json(const struct altpick_layout *layout, const struct altpick_record *entry,
                         struct altpick_json *json)
{
    altpick_json_u64(json, "site_bytes", entry->site_bytes);
    if (layout->replacement.kind != ALTPICK_FIELD_NONE)
        altpick_json_u64(json, "replacement_bytes", entry->replacement_bytes);
    if (layout->pad_bytes.kind != ALTPICK_FIELD_NONE ||
        layout->default_bytes.kind != ALTPICK_FIELD_NONE)
        altpick_json_u64(json, "pad_bytes", entry->pad_bytes);
    if (layout->feature.kind != ALTPICK_FIELD_NONE) {
        altpick_json_u64(json, "feature", entry->feature);
        altpick_json_bool(json, "inverted", entry->inverted);
    }
    if (layout->flags.kind != ALTPICK_FIELD_NONE)
        altpick_json_u64(json, "flags", entry->flags);
    if (layout->direct_call_flag)
        altpick_json_bool(json, "direct_call", entry->direct_call);
    if (layout->tag.kind != ALTPICK_FIELD_NONE)
        altpick_json_u64(json, "tag", entry->tag);
    if (entry->item)
        altpick_json_text(json, "item", entry->item);
}

static void record_json(const struct altpick_image *image, const struct altpick_patch_table *table,
                        const struct altpick_record *entry,
                        const struct altpick_disassembler *disassembler, struct altpick_json *json)
{
    struct shown old = {disassembler, &entry->site, entry->site_bytes, 0};
    struct shown new = {disassembler, &entry->replacement, entry->replacement_bytes, 0};
    bool has_replacement = table->layout->replacement.kind != ALTPICK_FIELD_NONE;

    altpick_json_object(json, NULL);
    altpick_json_u64(json, "at", entry->at);
    place_json(image, &entry->site, "site", json);
    if (has_replacement)
        place_json(image, &entry->replacement, "replacement", json);
    numbers_json(table->layout, entry, json);
    code_json(&old, "old", json);
    if (has_replacement)
        code_json(&new, "new", json);
    altpick_json_end(json);
}

void altpick_inspect_records_json(const struct altpick_image *image,
                                  const struct altpick_patch_table *table,
                                  const struct altpick_disassembler *disassembler,
                                  struct altpick_json *json)
{
    altpick_json_array(json, "records");
    for (size_t i = 0; i < table->n_entries; i++)
        record_json(image, table, &table->entries[i], disassembler, json);
    altpick_json_end(json);
}
