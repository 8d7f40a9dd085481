/* SPDX-License-Identifier: MIT */
/* Every bit of every field of a table, flipped: refused with record and offset, or another value
 * that is as good. */
#include "elf/record.h"
#include "elf/table.h"
#include "file.h"
#include "test.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

enum { FILE_BYTES_MAX = 1 << 20, FIELDS_MAX = 12, PLACE_MAX = 64 };

static const struct altpick_layout *layout;
static const char *paths[2]; /* linked, object */

/* A file, its undamaged tables, and how its damages came out. */
struct subject {
    uint8_t *data;
    size_t bytes;
    struct altpick_image image;
    struct altpick_patch_tables tables;
    size_t refused, legal;
};

static void subject_open(struct subject *subject, const char *path)
{
    struct altpick_diag diag = {""};
    char *text;

    *subject = (struct subject){.data = NULL};
    assert_int_equal(altpick_file_read(path, FILE_BYTES_MAX, &text, &subject->bytes, &diag), 0);
    subject->data = (uint8_t *) text;
    assert_int_equal(
        altpick_image_view("file", subject->data, subject->bytes, &subject->image, &diag), 0);
    assert_int_equal(altpick_patch_tables_read(&subject->image, NULL, &subject->tables, &diag), 0);
    assert_int_equal(subject->tables.n_tables, 1);
    assert_ptr_equal(subject->tables.tables[0].layout, layout);
}

static void subject_close(struct subject *subject)
{
    altpick_patch_tables_fini(&subject->tables);
    altpick_image_close(&subject->image);
    free(subject->data);
}

/* --- what is legal ------------------------------------------------------------------------------
 */

static bool is_same_place(const struct altpick_place *a, const struct altpick_place *b)
{
    return a->section == b->section && a->offset == b->offset &&
           (a->symbol == b->symbol ||
            (a->symbol && b->symbol && strcmp(a->symbol, b->symbol) == 0));
}

static bool is_same(const struct altpick_record *a, const struct altpick_record *b)
{
    return a->at == b->at && is_same_place(&a->site, &b->site) &&
           is_same_place(&a->replacement, &b->replacement) && a->site_bytes == b->site_bytes &&
           a->replacement_bytes == b->replacement_bytes && a->pad_bytes == b->pad_bytes &&
           a->feature == b->feature && a->flags == b->flags && a->tag == b->tag &&
           a->inverted == b->inverted && a->direct_call == b->direct_call &&
           (a->item == b->item || strcmp(a->item, b->item) == 0);
}

/* The place holds @bytes bytes of whole instructions in an executable section, by Zydis alone. */
static void assert_code(const struct altpick_image *image, const struct altpick_place *place,
                        size_t bytes)
{
    const struct altpick_section *section = &image->sections[place->section];
    ZydisDecodedInstruction in;
    ZydisDecoder decoder;

    if (place->symbol || bytes == 0)
        return;
    assert_true(place->section < image->n_sections && section->flags & SHF_EXECINSTR);
    assert_true(place->offset <= section->bytes && bytes <= section->bytes - place->offset);
    ZydisDecoderInit(&decoder,
                     image->code_is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     image->code_is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    for (size_t at = 0; at < bytes; at += in.length)
        assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
            &decoder, NULL, image->map + section->offset + place->offset + at, bytes - at, &in)));
}

/* @entry is what the bytes of its record say, and a kernel could live with it. */
static void assert_legal(const struct altpick_image *image, const struct altpick_section *table,
                         const struct altpick_record *entry)
{
    const uint8_t *record = image->map + table->offset + entry->at;
    const struct {
        struct altpick_field field;
        unsigned is;
    } numbers[] = {
        {layout->feature,
         entry->feature |
             (entry->inverted && layout->inverted_in_feature ? layout->inverted_in_feature : 0u)},
        {layout->site_bytes,        layout->site_excludes_padding
                                 ? entry->site_bytes - (unsigned) entry->pad_bytes
                                 : entry->site_bytes                },
        {layout->replacement_bytes, entry->replacement_bytes                                    },
        {layout->pad_bytes,         entry->pad_bytes                                            },
        {layout->flags,             entry->flags                                                },
        {layout->tag,               entry->tag                                                  },
        {layout->fixed,             layout->fixed_value                                         },
        {layout->default_bytes,     entry->site_bytes - (unsigned) entry->pad_bytes             },
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint32_t value = 0;

        memcpy(&value, record + numbers[i].field.offset, numbers[i].field.bytes);
        if (numbers[i].field.kind != ALTPICK_FIELD_NONE)
            assert_int_equal(value, numbers[i].is);
    }
    assert_true(entry->site_bytes > 0 && entry->replacement_bytes <= entry->site_bytes);
    assert_true(entry->pad_bytes <= entry->site_bytes && entry->feature < 1024);
    assert_true((entry->flags & ~layout->known_flags) == 0);
    assert_code(image, &entry->site, entry->site_bytes);
    assert_code(image, &entry->replacement, entry->replacement_bytes);
}

/* --- one damage ---------------------------------------------------------------------------------
 */

/* No record is to be named: a relocation that moved is missing here, and perhaps too much there. */
static const size_t any_record = SIZE_MAX;

/* Whether the message says where: file, record and offset, or the relocation. */
static bool names_place(const struct subject *subject, const char *text, size_t index)
{
    const struct altpick_patch_table *table = &subject->tables.tables[0];
    char place[PLACE_MAX];

    if (strncmp(text, "file: ", 6) != 0)
        return false;
    if (index == any_record)
        return strstr(text, ": record ") || strstr(text, " record ") ||
               strstr(text, ": relocation ");
    snprintf(place, sizeof place, "record %zu at offset %#llx: ", index,
             (unsigned long long) (table->offset + index * layout->record_bytes));
    return strstr(text, place) != NULL;
}

/* What was read in spite of the damage: record @index says what is in the file, the rest as before.
 */
static void check_legal(const struct subject *subject, const struct altpick_image *image,
                        const struct altpick_patch_tables *tables, size_t index, const char *what)
{
    const struct altpick_patch_table *before = &subject->tables.tables[0];
    const struct altpick_patch_table *table = &tables->tables[0];

    assert_int_equal(tables->n_tables, 1);
    assert_int_equal(table->n_entries, before->n_entries);
    for (size_t i = 0; i < table->n_entries; i++) {
        if (i != index && index != any_record && !is_same(&table->entries[i], &before->entries[i]))
            fail_msg("%s of record %zu: record %zu is another", what, index, i);
        assert_legal(image, table->section, &table->entries[i]);
    }
}

/* Read the damaged file, in which field @what of record @index is another. */
static void check(struct subject *subject, size_t index, const char *what)
{
    struct altpick_patch_tables tables;
    struct altpick_diag diag = {""};
    struct altpick_image image;

    if (altpick_image_view("file", subject->data, subject->bytes, &image, &diag) < 0)
        fail_msg("%s: the image is refused: %s", what, diag.text);
    if (altpick_patch_tables_read(&image, layout, &tables, &diag) < 0) {
        if (!names_place(subject, diag.text, index))
            fail_msg("%s of record %zu: the place is not named: %s", what, index, diag.text);
        /* Nor is it taken for another layout. */
        assert_int_equal(altpick_patch_tables_read(&image, NULL, &tables, &diag), ALTPICK_EFORMAT);
        subject->refused++;
    } else {
        check_legal(subject, &image, &tables, index, what);
        subject->legal++;
        altpick_patch_tables_fini(&tables);
    }
    altpick_image_close(&image);
}

static void flip_bits(struct subject *subject, size_t offset, size_t bytes, size_t index,
                      const char *what)
{
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        subject->data[offset + bit / 8] ^= (uint8_t) (1 << bit % 8);
        check(subject, index, what);
        subject->data[offset + bit / 8] ^= (uint8_t) (1 << bit % 8);
    }
}

/* All bytes @value. */
static void overwrite(struct subject *subject, size_t offset, size_t bytes, uint8_t value,
                      size_t index, const char *what)
{
    uint8_t before[8];

    memcpy(before, subject->data + offset, bytes);
    memset(subject->data + offset, value, bytes);
    if (memcmp(before, subject->data + offset, bytes) != 0)
        check(subject, index, what);
    memcpy(subject->data + offset, before, bytes);
}

/* --- linked files -------------------------------------------------------------------------------
 */

struct named_field {
    const char *name;
    struct altpick_field field;
    bool any_value; /* is as good as any other */
};

static size_t fields_of_layout(struct named_field ret[FIELDS_MAX])
{
    const struct named_field all[] = {
        {"site",               layout->site,              false},
        {"replacement",        layout->replacement,       false},
        {"site length",        layout->site_bytes,        false},
        {"replacement length", layout->replacement_bytes, false},
        {"padding",            layout->pad_bytes,         false},
        {"feature",            layout->feature,           false},
        {"flags",              layout->flags,             false},
        {"tag",                layout->tag,               true },
        {"item",               layout->item,              false},
        {"default length",     layout->default_bytes,     false},
        {"fixed field",        layout->fixed,             false},
    };
    size_t n = 0, covered = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].field.kind != ALTPICK_FIELD_NONE) {
            ret[n++] = all[i];
            covered += all[i].field.bytes;
        }
    }
    assert_int_equal(covered, layout->record_bytes); /* no byte of a record is left out */
    return n;
}

static void every_field_of_a_linked_table_is_checked(void **state)
{
    struct named_field fields[FIELDS_MAX];
    struct subject subject;
    (void) state;

    subject_open(&subject, paths[0]);
    for (size_t f = 0, n = fields_of_layout(fields); f < n; f++) {
        const struct altpick_patch_table *table = &subject.tables.tables[0];

        subject.refused = subject.legal = 0;
        for (size_t i = 0; i < table->n_entries; i++) {
            size_t at = table->section->offset + table->entries[i].at + fields[f].field.offset;

            flip_bits(&subject, at, fields[f].field.bytes, i, fields[f].name);
            overwrite(&subject, at, fields[f].field.bytes, 0xff, i, fields[f].name);
            overwrite(&subject, at, fields[f].field.bytes, 0, i, fields[f].name);
        }
        print_message("%s: %zu refused, %zu other values\n", fields[f].name, subject.refused,
                      subject.legal);
        assert_true(fields[f].any_value || subject.refused > 0);
    }
    subject_close(&subject);
}

static void half_a_record_is_refused(void **state)
{
    struct subject subject;
    (void) state;

    subject_open(&subject, paths[0]);
    if (subject.tables.tables[0].found == ALTPICK_FOUND_BY_SECTION) {
        struct altpick_section *section =
            (struct altpick_section *) (uintptr_t) subject.tables.tables[0].section;
        struct altpick_patch_tables tables;
        struct altpick_diag diag = {""};

        section->bytes--;
        assert_int_equal(altpick_patch_tables_read(&subject.image, layout, &tables, &diag),
                         ALTPICK_EFORMAT);
        assert_non_null(strstr(diag.text, "no whole number of records"));
        assert_non_null(strstr(diag.text, "at offset"));
    }
    subject_close(&subject);
}

/* --- objects ------------------------------------------------------------------------------------
 */

/* The number of the record that a relocation at @offset of the table fills. */
static size_t record_at(uint64_t offset)
{
    return (size_t) offset / layout->record_bytes;
}

/* Flip every bit of one relocation at @at in the file. */
static void damage_relocation(struct subject *subject, size_t at, bool has_addend)
{
    size_t word = subject->image.is_64 ? 8 : 4;
    uint64_t offset = 0;

    memcpy(&offset, subject->data + at, word);
    flip_bits(subject, at, word, any_record, "offset of a relocation");
    flip_bits(subject, at + word, word, any_record, "type and symbol of a relocation");
    if (has_addend)
        flip_bits(subject, at + 2 * word, word, record_at(offset), "addend of a relocation");
    else
        flip_bits(subject, (size_t) subject->tables.tables[0].section->offset + (size_t) offset,
                  word, record_at(offset), "addend in the place");
}

static void every_field_of_a_relocation_is_checked(void **state)
{
    struct subject subject;
    (void) state;

    if (!paths[1])
        skip();
    subject_open(&subject, paths[1]);
    for (size_t i = 1; i < subject.image.n_sections; i++) {
        const struct altpick_section *section = &subject.image.sections[i];

        if ((section->type != SHT_RELA && section->type != SHT_REL) ||
            &subject.image.sections[section->info] != subject.tables.tables[0].section)
            continue;
        for (uint64_t at = 0; at < section->bytes; at += section->entry_bytes)
            damage_relocation(&subject, (size_t) (section->offset + at), section->type == SHT_RELA);
    }
    print_message("relocations: %zu refused, %zu other values\n", subject.refused, subject.legal);
    assert_true(subject.refused > 0);
    subject_close(&subject);
}

static void every_number_of_an_object_is_checked(void **state)
{
    struct named_field fields[FIELDS_MAX];
    struct subject subject;
    (void) state;

    if (!paths[1])
        skip();
    subject_open(&subject, paths[1]);
    for (size_t f = 0, n = fields_of_layout(fields); f < n; f++) {
        const struct altpick_patch_table *table = &subject.tables.tables[0];

        for (size_t i = 0; i < table->n_entries && fields[f].field.kind == ALTPICK_FIELD_NUMBER;
             i++)
            flip_bits(&subject,
                      table->section->offset + table->entries[i].at + fields[f].field.offset,
                      fields[f].field.bytes, i, fields[f].name);
    }
    assert_true(subject.refused > 0);
    subject_close(&subject);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_linked_table_is_checked),
        cmocka_unit_test(half_a_record_is_refused),
        cmocka_unit_test(every_field_of_a_relocation_is_checked),
        cmocka_unit_test(every_number_of_an_object_is_checked),
    };

    layout = argc > 2 ? altpick_layout_find(argv[1]) : NULL;
    if (!layout) {
        fprintf(stderr, "usage: test_table_damage LAYOUT LINKED [OBJECT]\n");
        return 2;
    }
    paths[0] = argv[2];
    paths[1] = argc > 3 ? argv[3] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
