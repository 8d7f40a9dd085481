/* SPDX-License-Identifier: MIT */
/* What an image is refused for, and what can be asked of one that is not.  argv[1]: seeds of ELF
 * files.
 */
#include "../unit/test.h"

#include "elf/memory.h"
#include "elf/table.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 8192 };

static const char *seeds;

struct file {
    uint8_t bytes[FILE_MAX];
    size_t n;
};

static struct file read_seed(const char *name)
{
    struct file file = {.n = 0};
    char path[512];
    FILE *in;

    snprintf(path, sizeof path, "%s/%s", seeds, name);
    in = fopen(path, "rb");
    assert_non_null(in);
    file.n = fread(file.bytes, 1, sizeof file.bytes, in);
    fclose(in);
    assert_in_range(file.n, 64, sizeof file.bytes - 1);
    return file;
}

static void refused(const struct file *file, int err, const char *why)
{
    struct altpick_image image = {.path = NULL};
    struct altpick_diag diag = {.text = ""};

    assert_int_equal(altpick_image_view("f.o", file->bytes, file->n, &image, &diag), err);
    assert_null(image.elf);
    assert_int_equal(strncmp(diag.text, "f.o: ", 5), 0);
    if (!strstr(diag.text, why))
        fail_msg("'%s' does not say '%s'", diag.text, why);
}

static void headers_that_are_wrong_are_refused(void **state)
{
    static const struct {
        size_t offset, bytes; /* in the ELF header of 64 bits */
        uint64_t value;
        int err;
        const char *why;
    } damages[] = {
        {EI_MAG1,    1, 'x',        ALTPICK_EFORMAT,      "not an ELF file"                   },
        {EI_CLASS,   1, 3,          ALTPICK_EFORMAT,      "not an ELF file"                   },
        {EI_DATA,    1, 2,          ALTPICK_EFORMAT,      "not little-endian"                 },
        {EI_VERSION, 1, 2,          ALTPICK_EFORMAT,      ""                                  },
        {16,         2, ET_CORE,    ALTPICK_EUNSUPPORTED, "ELF type 4"                        },
        {18,         2, EM_AARCH64, ALTPICK_EUNSUPPORTED, "machine number 183"                },
        {32,         8, 1u << 20,   ALTPICK_EFORMAT,      "program header"                    },
        {40,         8, 1u << 20,   ALTPICK_EFORMAT,      ""                                  },
        {54,         2, 55,         ALTPICK_EFORMAT,      "headers of an unknown size"        },
        {58,         2, 63,         ALTPICK_EFORMAT,      "headers of an unknown size"        },
        {62,         2, 1,          ALTPICK_EFORMAT,      "section 1 does not hold section na"},
        {62,         2, 99,         ALTPICK_EFORMAT,      "section"                           },
    };
    (void) state;

    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct file file = read_seed("linux12-64");

        memcpy(file.bytes + damages[i].offset, &damages[i].value, damages[i].bytes);
        refused(&file, damages[i].err, damages[i].why);
    }
}

/* Byte offset of field @field of section header @section in a file of 64 bits. */
static size_t section_field(const struct file *file, unsigned section, size_t field)
{
    uint64_t headers;

    memcpy(&headers, file->bytes + 40, sizeof headers);
    return (size_t) headers + section * sizeof(Elf64_Shdr) + field;
}

static void section_headers_that_are_wrong_are_refused(void **state)
{
    static const struct {
        size_t field;
        uint64_t value;
        const char *why;
    } damages[] = {
        {offsetof(Elf64_Shdr, sh_name),   1u << 16,   "section 1: its name, at 0x10000"   },
        {offsetof(Elf64_Shdr, sh_offset), 1u << 16,   "section 1: 0x12 bytes at offset"   },
        {offsetof(Elf64_Shdr, sh_size),   1u << 16,   "section 1: 0x10000 bytes at offset"},
        {offsetof(Elf64_Shdr, sh_size),   UINT64_MAX, "section 1 wraps"                   },
    };
    (void) state;

    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct file file = read_seed("linux12-64");
        size_t bytes = damages[i].field == offsetof(Elf64_Shdr, sh_name) ? 4 : 8;

        memcpy(file.bytes + section_field(&file, 1, damages[i].field), &damages[i].value, bytes);
        refused(&file, ALTPICK_EFORMAT, damages[i].why);
    }
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    struct file file = read_seed("module-32");
    size_t whole = file.n;
    (void) state;

    for (file.n = 0; file.n < whole; file.n++)
        refused(&file, ALTPICK_EFORMAT, "");
}

static void places_are_found_by_name_and_address(void **state)
{
    struct file file = read_seed("linux12-64");
    struct altpick_image image;
    struct altpick_diag diag;
    const struct altpick_section *text;
    (void) state;

    assert_int_equal(altpick_image_view("f", file.bytes, file.n, &image, &diag), ALTPICK_OK);
    assert_true(image.is_64 && image.code_is_64 && !image.is_relocatable);
    text = altpick_image_section(&image, ".text");
    assert_non_null(text);
    assert_true(altpick_section_is_code(text));
    assert_false(altpick_section_is_code(altpick_image_section(&image, ".altinstructions")));
    assert_null(altpick_image_section(&image, ".tex"));
    assert_ptr_equal(altpick_image_at(&image, text->address, text->bytes), text);
    assert_null(altpick_image_at(&image, text->address, text->bytes + 1));
    assert_null(altpick_image_at(&image, text->address - 1, 1));
    assert_null(altpick_image_at(&image, UINT64_MAX, 2));
    assert_ptr_equal(altpick_image_bytes(&image, text->address + 3, 1), text->data + 3);
    assert_int_equal(image.load_base, 0x1000);
    altpick_image_close(&image);
}

static void without_section_headers_segments_stand_for_them(void **state)
{
    struct file file = read_seed("linux12-64");
    struct altpick_image image;
    struct altpick_diag diag;
    (void) state;

    memset(file.bytes + 40, 0, 8); /* e_shoff */
    memset(file.bytes + 60, 0, 4); /* e_shnum, e_shstrndx */
    assert_int_equal(altpick_image_view("f", file.bytes, file.n, &image, &diag), ALTPICK_OK);
    assert_false(image.has_section_headers);
    assert_int_equal(image.n_sections, 2);
    assert_string_equal(image.sections[1].name, "segment");
    assert_non_null(altpick_image_bytes(&image, 0x1000, 0x100));
    altpick_image_close(&image);
}

static void relocations_come_with_their_addends(void **state)
{
    static const char *const names[] = {"module-64", "module-32"};
    (void) state;

    for (unsigned i = 0; i < 2; i++) {
        struct file file = read_seed(names[i]);
        struct altpick_relocation *relocations;
        struct altpick_image image;
        struct altpick_diag diag;
        size_t n;

        assert_int_equal(altpick_image_view("f", file.bytes, file.n, &image, &diag), ALTPICK_OK);
        assert_true(image.is_relocatable);
        assert_int_equal(altpick_image_relocations(&image, 2, &relocations, &n, &diag), ALTPICK_OK);
        assert_int_equal(n, 4);
        assert_int_equal(relocations[2].offset, 12);
        assert_int_equal(relocations[2].addend, i == 0 ? 7 : 0);
        free(relocations);
        altpick_image_close(&image);
    }
}

static void every_layout_is_found_by_its_records(void **state)
{
    (void) state;

    for (size_t i = 0; i < altpick_layout_count; i++) {
        const struct altpick_layout *layout = altpick_layouts[i];
        unsigned bits = layout->bits ? layout->bits : 64;
        struct altpick_patch_tables tables;
        struct altpick_image image;
        struct altpick_diag diag;
        struct file file;
        char name[64];

        snprintf(name, sizeof name, "%s-%u", layout->name, bits);
        file = read_seed(name);
        assert_int_equal(altpick_image_view("f", file.bytes, file.n, &image, &diag), ALTPICK_OK);
        if (layout->only_by_symbols)
            assert_int_equal(altpick_patch_tables_read(&image, layout, &tables, &diag), ALTPICK_OK);
        else
            assert_int_equal(altpick_patch_tables_read(&image, NULL, &tables, &diag), ALTPICK_OK);
        assert_int_equal(tables.n_tables, 1);
        assert_ptr_equal(tables.tables[0].layout, layout);
        assert_int_equal(tables.tables[0].found, layout->only_by_symbols
                                                     ? ALTPICK_FOUND_BY_SYMBOLS
                                                     : ALTPICK_FOUND_BY_SECTION);
        altpick_patch_tables_fini(&tables);
        altpick_image_close(&image);
    }
}

/* Where the file keeps the bytes of section @name. */
static size_t file_offset(const struct file *file, const char *name)
{
    const struct altpick_section *section;
    struct altpick_image image;
    struct altpick_diag diag;
    size_t offset;

    assert_int_equal(altpick_image_view("f", file->bytes, file->n, &image, &diag), ALTPICK_OK);
    section = altpick_image_section(&image, name);
    assert_non_null(section);
    offset = (size_t) section->offset;
    altpick_image_close(&image);
    return offset;
}

/* INC EAX five times is nothing but prefixes in 64-bit code. */
static void a_site_may_be_code_of_the_other_kind(void **state)
{
    struct file file = read_seed("altpick-64");
    size_t flags = file_offset(&file, "altpick_sites") + 10;
    struct altpick_patch_tables tables;
    struct altpick_image image;
    struct altpick_diag diag;
    (void) state;

    memset(file.bytes + file_offset(&file, ".text"), 0x40, 5);
    for (uint8_t is_32 = 0; is_32 < 2; is_32++) {
        file.bytes[flags] = is_32;
        assert_int_equal(altpick_image_view("f", file.bytes, file.n, &image, &diag), ALTPICK_OK);
        if (is_32) {
            assert_int_equal(altpick_patch_tables_read(&image, NULL, &tables, &diag), ALTPICK_OK);
            assert_false(tables.tables[0].entries[0].code_is_64);
            assert_true(tables.tables[0].entries[1].code_is_64);
            altpick_patch_tables_fini(&tables);
        } else {
            assert_int_equal(altpick_patch_tables_read(&image, NULL, &tables, &diag),
                             ALTPICK_EFORMAT);
            assert_non_null(strstr(diag.text, "record 0 at offset 0: site"));
        }
        altpick_image_close(&image);
    }
}

static void a_stripped_hypervisor_is_found_by_shape(void **state)
{
    struct file file = read_seed("xen-stripped");
    struct altpick_patch_tables tables;
    struct altpick_image image;
    struct altpick_diag diag;
    (void) state;

    assert_int_equal(altpick_image_view("f", file.bytes, file.n, &image, &diag), ALTPICK_OK);
    assert_true(image.is_xen && image.code_is_64 && !image.is_64);
    assert_int_equal(altpick_patch_tables_read(&image, NULL, &tables, &diag), ALTPICK_OK);
    assert_int_equal(tables.n_tables, 1);
    assert_int_equal(tables.tables[0].n_entries, 80);
    assert_int_equal(tables.tables[0].found, ALTPICK_FOUND_BY_SHAPE);
    assert_string_equal(tables.tables[0].layout->name, "xen14");
    altpick_patch_tables_fini(&tables);
    altpick_image_close(&image);
}

/* One large section, two within it of which one is in the other, and one behind a gap. */
static void of_sections_that_overlap_the_last_to_start_holds(void **state)
{
    static struct altpick_section sections[] = {
        {.name = ""        },
        {                  .flags = SHF_ALLOC, .address = 0x1010, .bytes = 0x10},
        {     .flags = SHF_ALLOC, .address = 0x1000, .bytes = 0x100},
        {.flags = SHF_ALLOC,                  .address = 0x1014, .bytes = 4},
        {                      .flags = SHF_ALLOC,        .address = 0x2000, .bytes = 0x10},
        {                         .address = 0x2000,.bytes = 0x100}, /* not in memory */
    };
    static const struct {
        uint64_t address, bytes;
        unsigned is; /* 0: none */
    } places[] = {
        {0xfff,      1,    0},
        {0x1000,     1,    2},
        {0x1010,     1,    1},
        {0x1014,     4,    3},
        {0x1014,     5,    2},
        {0x1018,     1,    2},
        {0x1020,     1,    2},
        {0x10ff,     1,    2},
        {0x10ff,     2,    0},
        {0x1100,     0,    0},
        {0x2000,     0x10, 4},
        {0x200f,     2,    0},
        {0x2010,     0,    0},
        {UINT64_MAX, 1,    0},
    };
    struct altpick_image image = {.path = "f", .sections = sections, .n_sections = 6};
    struct altpick_memory memory = {.n_parts = 0};
    struct altpick_diag diag;
    (void) state;

    assert_int_equal(altpick_image_order_sections(&image, &diag), ALTPICK_OK);
    assert_int_equal(altpick_memory_load(&image, &memory, &diag), ALTPICK_OK);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct altpick_section *is = places[i].is ? &sections[places[i].is] : NULL;
        const struct altpick_memory_part *part = altpick_memory_part(&memory, places[i].address);

        assert_ptr_equal(altpick_image_at(&image, places[i].address, places[i].bytes), is);
        if (places[i].bytes == 1)
            assert_ptr_equal(part ? part->section : NULL, is);
    }
    altpick_memory_fini(&memory);
    free(image.in_memory);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_that_are_wrong_are_refused),
        cmocka_unit_test(section_headers_that_are_wrong_are_refused),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(places_are_found_by_name_and_address),
        cmocka_unit_test(without_section_headers_segments_stand_for_them),
        cmocka_unit_test(relocations_come_with_their_addends),
        cmocka_unit_test(every_layout_is_found_by_its_records),
        cmocka_unit_test(a_site_may_be_code_of_the_other_kind),
        cmocka_unit_test(a_stripped_hypervisor_is_found_by_shape),
        cmocka_unit_test(of_sections_that_overlap_the_last_to_start_holds),
    };

    seeds = argc > 1 ? argv[1] : ".";
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
