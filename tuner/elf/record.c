/* SPDX-License-Identifier: MIT */
/* Turns the bytes of one record into a validated entry. */
#include "elf/record.h"

#include "elf/bytes.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <Zydis/Zydis.h>

enum { ITEM_NAME_MAX = 64 };

__attribute__((format(printf, 3, 4))) static int fault(struct altpick_record_fault *ret,
                                                       const char *field, const char *format, ...)
{
    va_list args;

    ret->field = field;
    va_start(args, format);
    vsnprintf(ret->why, sizeof ret->why, format, args);
    va_end(args);
    return ALTPICK_EFORMAT;
}

/* --- numbers and places -------------------------------------------------------------------------
 */

/* Little-endian, as all of these tables. */
static uint64_t number(const uint8_t *record, struct altpick_field field)
{
    return altpick_number(record + field.offset, field.bytes);
}

static const struct altpick_relocation *relocation_at(const struct altpick_records *records,
                                                      uint64_t offset)
{
    return altpick_relocation_at(records->relocations, records->n_relocations, offset);
}

/* The types that the assembler makes of such a field. */
static bool relocation_fits(const struct altpick_image *image, struct altpick_field field,
                            uint32_t type)
{
    bool is_64 = image->machine == EM_X86_64;

    switch (field.kind) {
    case ALTPICK_FIELD_RELATIVE:
        return type == (is_64 ? R_X86_64_PC32 : R_386_PC32);
    case ALTPICK_FIELD_ADDRESS:
        return type == (is_64 ? R_X86_64_64 : R_386_32);
    default:
        return is_64 ? type == R_X86_64_32 || type == R_X86_64_32S : type == R_386_32;
    }
}

/* Haiku's kernel is loaded at this; its objects subtract it, in 32 bits the same for both kinds. */
static const uint32_t haiku_load_base = 0x80000000;

/* A place that a relocation names. */
static int relocated_place(const struct altpick_records *records, uint64_t offset,
                           struct altpick_field field, const char *what,
                           struct altpick_place *ret_place, struct altpick_record_fault *ret_fault)
{
    const struct altpick_image *image = records->image;
    const struct altpick_relocation *relocation = relocation_at(records, offset + field.offset);
    struct altpick_symbol symbol;
    struct altpick_place place = {.section = 0};
    uint64_t addend;

    if (!relocation)
        return fault(ret_fault, what, "no relocation fills it");
    if (relocation + 1 < records->relocations + records->n_relocations &&
        relocation[1].offset == relocation->offset)
        return fault(ret_fault, what, "two relocations fill it");
    if (!relocation_fits(image, field, relocation->type))
        return fault(ret_fault, what, "relocation type %u does not belong there", relocation->type);
    if (altpick_image_symbol(image, relocation->symbol, &symbol) < 0)
        return fault(ret_fault, what, "its symbol %u cannot be read", relocation->symbol);
    addend = (uint64_t) relocation->addend;
    if (field.kind == ALTPICK_FIELD_OFFSET) {
        addend += haiku_load_base;
        if (addend >> 32 > 1) /* 1: it was sign-extended */
            return fault(ret_fault, what, "addend %#llx is no offset in a kernel",
                         (unsigned long long) relocation->addend);
        addend = (uint32_t) addend;
    }
    place.offset = symbol.value + addend;
    if (symbol.section == SHN_UNDEF) {
        if (!*symbol.name)
            return fault(ret_fault, what, "its symbol has no name and is nowhere");
        place.symbol = symbol.name;
        *ret_place = place;
        return ALTPICK_OK;
    }
    if (symbol.section >= image->n_sections)
        return fault(ret_fault, what, "its symbol is in no section");
    place.section = symbol.section;
    place.address = place.offset;
    *ret_place = place;
    return ALTPICK_OK;
}

/* A place that the linked value of the field gives. */
static int linked_place(const struct altpick_records *records, const uint8_t *record,
                        uint64_t offset, struct altpick_field field, const char *what,
                        struct altpick_place *ret_place, struct altpick_record_fault *ret_fault)
{
    const struct altpick_image *image = records->image;
    uint64_t value = number(record, field), address;
    const struct altpick_section *section;

    switch (field.kind) {
    case ALTPICK_FIELD_RELATIVE:
        address = image->sections[records->section].address + offset + field.offset +
                  (uint64_t) (int64_t) (int32_t) value;
        break;
    case ALTPICK_FIELD_OFFSET:
        address = image->load_base + value;
        break;
    default:
        address = value;
        break;
    }
    if (!image->is_64)
        address = (uint32_t) address;
    section = altpick_image_at(image, address, 0);
    if (!section && address) /* an empty replacement may lie at the end */
        section = altpick_image_at(image, address - 1, 0);
    if (!section)
        return fault(ret_fault, what, "address %#llx is in no section",
                     (unsigned long long) address);
    *ret_place = (struct altpick_place){
        .section = (uint32_t) (section - image->sections),
        .offset = address - section->address,
        .address = address,
    };
    return ALTPICK_OK;
}

static int read_place(const struct altpick_records *records, const uint8_t *record, uint64_t offset,
                      struct altpick_field field, const char *what, struct altpick_place *ret_place,
                      struct altpick_record_fault *ret_fault)
{
    return records->image->is_relocatable
               ? relocated_place(records, offset, field, what, ret_place, ret_fault)
               : linked_place(records, record, offset, field, what, ret_place, ret_fault);
}

/* --- validation ---------------------------------------------------------------------------------
 */

bool altpick_code_is_whole(unsigned bits, const uint8_t *code, size_t bytes, size_t *ret_end)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction in;
    size_t at = 0;

    ZydisDecoderInit(&decoder,
                     bits == 64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     bits == 64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    while (at < bytes &&
           ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, bytes - at, &in)))
        at += in.length;
    *ret_end = at;
    return at == bytes;
}

/* @place holds @bytes bytes of code; sets its data. */
static int check_code(const struct altpick_image *image, bool is_64, struct altpick_place *place,
                      uint64_t bytes, const char *what, struct altpick_record_fault *ret_fault)
{
    const struct altpick_section *section = &image->sections[place->section];
    size_t end;

    if (place->symbol)
        return ALTPICK_OK; /* in another file */
    if (bytes == 0)
        return ALTPICK_OK;
    if (!altpick_section_is_code(section))
        return fault(ret_fault, what, "it is in section %s, which holds no code", section->name);
    if (place->offset > section->bytes || bytes > section->bytes - place->offset)
        return fault(ret_fault, what, "%llu bytes from offset %#llx leave section %s",
                     (unsigned long long) bytes, (unsigned long long) place->offset, section->name);
    place->data = section->data + place->offset;
    if (!altpick_code_is_whole(is_64 ? 64 : 32, place->data, (size_t) bytes, &end))
        return fault(ret_fault, what, "its %llu bytes are no whole instructions, from byte %zu on",
                     (unsigned long long) bytes, end);
    return ALTPICK_OK;
}

static int check_lengths(const struct altpick_layout *layout, struct altpick_record *entry,
                         struct altpick_record_fault *ret_fault)
{
    if (layout->site_excludes_padding) /* a site may be nothing but padding */
        entry->site_bytes = (uint16_t) (entry->site_bytes + entry->pad_bytes);
    if (entry->site_bytes == 0)
        return fault(ret_fault, "site length", "it is 0");
    if (entry->site_bytes > 255 && layout->site_bytes.bytes == 1)
        return fault(ret_fault, "site length", "with its padding it is %u, over 255",
                     entry->site_bytes);
    if (entry->pad_bytes > entry->site_bytes)
        return fault(ret_fault, "padding", "%u bytes of padding in a site of %u", entry->pad_bytes,
                     entry->site_bytes);
    if (entry->replacement_bytes > entry->site_bytes)
        return fault(ret_fault, "replacement length", "%u bytes do not fit a site of %u",
                     entry->replacement_bytes, entry->site_bytes);
    return ALTPICK_OK;
}

static int read_numbers(const struct altpick_layout *layout, const uint8_t *record,
                        struct altpick_record *entry, struct altpick_record_fault *ret_fault)
{
    uint16_t feature = (uint16_t) number(record, layout->feature);

    entry->site_bytes = (uint16_t) number(record, layout->site_bytes);
    entry->replacement_bytes = (uint16_t) number(record, layout->replacement_bytes);
    entry->pad_bytes = (uint16_t) number(record, layout->pad_bytes);
    entry->flags = (uint16_t) number(record, layout->flags);
    entry->tag = (uint16_t) number(record, layout->tag);
    entry->feature = feature & (uint16_t) ~layout->inverted_in_feature;
    entry->inverted =
        (feature & layout->inverted_in_feature) || (entry->flags & layout->inverted_flag);
    entry->direct_call = entry->flags & layout->direct_call_flag;
    if (layout->code32_flag) /* an image may have code of both kinds */
        entry->code_is_64 = !(entry->flags & layout->code32_flag);

    if (number(record, layout->fixed) != layout->fixed_value)
        return fault(ret_fault, "fixed field", "byte %u holds %#llx instead of %#x",
                     layout->fixed.offset, (unsigned long long) number(record, layout->fixed),
                     layout->fixed_value);
    if (entry->flags & ~layout->known_flags)
        return fault(ret_fault, "flags", "%#x has bits without a meaning", entry->flags);
    if (entry->feature >= 32 * ALTPICK_FEATURE_WORDS_MAX)
        return fault(ret_fault, "feature", "%u*32+%u: there are not that many", entry->feature / 32,
                     entry->feature % 32);
    if (layout->default_bytes.kind != ALTPICK_FIELD_NONE) {
        uint16_t kept = (uint16_t) number(record, layout->default_bytes);

        if (kept > entry->site_bytes)
            return fault(ret_fault, "default length", "%u bytes do not fit a site of %u", kept,
                         entry->site_bytes);
        entry->pad_bytes = (uint16_t) (entry->site_bytes - kept);
    }
    return check_lengths(layout, entry, ret_fault);
}

/* The name of an item: letters, digits, '.' and '-', with a NUL. */
static int read_item(const struct altpick_image *image, const struct altpick_place *place,
                     const char **ret_item, struct altpick_record_fault *ret_fault)
{
    const struct altpick_section *section = &image->sections[place->section];
    const char *name;
    size_t bytes;

    if (place->symbol || !section->data || place->offset >= section->bytes)
        return fault(ret_fault, "item", "its name is not in the file");
    name = (const char *) section->data + place->offset;
    bytes = strnlen(name, section->bytes - place->offset);
    if (bytes == section->bytes - place->offset || bytes == 0 || bytes > ITEM_NAME_MAX)
        return fault(ret_fault, "item", "its name has no end or no letter");
    for (size_t i = 0; i < bytes; i++) {
        if (name[i] <= ' ' || name[i] > '~')
            return fault(ret_fault, "item", "byte %zu of its name is %#x", i, (uint8_t) name[i]);
    }
    *ret_item = name;
    return ALTPICK_OK;
}

/* Relocations fill the fields that are places, and nothing else of the record. */
static int check_relocations(const struct altpick_records *records,
                             const struct altpick_layout *layout, uint64_t offset,
                             struct altpick_record_fault *ret_fault)
{
    for (unsigned i = 0; records->image->is_relocatable && i < layout->record_bytes; i++) {
        bool is_place =
            (i == layout->site.offset && layout->site.kind != ALTPICK_FIELD_NONE) ||
            (i == layout->replacement.offset && layout->replacement.kind != ALTPICK_FIELD_NONE) ||
            (i == layout->item.offset && layout->item.kind != ALTPICK_FIELD_NONE);

        if (!is_place && relocation_at(records, offset + i))
            return fault(ret_fault, "record", "a relocation fills byte %u, which is no place", i);
    }
    return ALTPICK_OK;
}

int altpick_record_read(const struct altpick_records *records, const struct altpick_layout *layout,
                        size_t index, struct altpick_record *ret_entry,
                        struct altpick_record_fault *ret_fault)
{
    const struct altpick_image *image = records->image;
    uint64_t offset = records->offset + index * layout->record_bytes;
    const uint8_t *record = image->sections[records->section].data + offset;
    struct altpick_record entry = {.at = offset, .code_is_64 = image->code_is_64};
    struct altpick_place item = {.section = 0};
    int r;

    r = check_relocations(records, layout, offset, ret_fault);
    if (r == ALTPICK_OK)
        r = read_numbers(layout, record, &entry, ret_fault);
    if (r == ALTPICK_OK)
        r = read_place(records, record, offset, layout->site, "site", &entry.site, ret_fault);
    if (r == ALTPICK_OK)
        r = check_code(image, entry.code_is_64, &entry.site, entry.site_bytes, "site", ret_fault);
    if (r == ALTPICK_OK && layout->replacement.kind != ALTPICK_FIELD_NONE) {
        r = read_place(records, record, offset, layout->replacement, "replacement",
                       &entry.replacement, ret_fault);
        if (r == ALTPICK_OK)
            r = check_code(image, entry.code_is_64, &entry.replacement, entry.replacement_bytes,
                           "replacement", ret_fault);
    }
    if (r == ALTPICK_OK && layout->item.kind != ALTPICK_FIELD_NONE) {
        r = read_place(records, record, offset, layout->item, "item", &item, ret_fault);
        if (r == ALTPICK_OK)
            r = read_item(image, &item, &entry.item, ret_fault);
    }
    if (r == ALTPICK_OK)
        *ret_entry = entry;
    return r;
}
