/* SPDX-License-Identifier: MIT */
/* Finds out whether bytes of a site are changed again by whoever loads the image. */
#include "elf/patch.h"

#include "diag.h"

#include <elf.h>
#include <string.h>

/* A relocation of a linked image: its place is an address. */
struct fix {
    uint64_t address;
    uint32_t type;
};

static size_t entry_bytes(const struct altpick_image *image, const struct altpick_section *section)
{
    if (section->type == SHT_RELA)
        return image->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
    return image->is_64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
}

/* All of them begin with r_offset and r_info. */
static struct fix read_fix(const struct altpick_image *image, const uint8_t *entry)
{
    Elf64_Rel wide;
    Elf32_Rel narrow;

    if (image->is_64) {
        memcpy(&wide, entry, sizeof wide);
        return (struct fix){wide.r_offset, (uint32_t) ELF64_R_TYPE(wide.r_info)};
    }
    memcpy(&narrow, entry, sizeof narrow);
    return (struct fix){narrow.r_offset, ELF32_R_TYPE(narrow.r_info)};
}

/*
 * Whether an image is changed there by being loaded elsewhere than it was linked for: by its
 * dynamic relocations, and by a list that is made of those which --emit-relocs keeps, as kernels
 * and ROM images do.  Distances within the image stay.
 */
static bool moves(const struct altpick_image *image, const struct altpick_section *section,
                  uint32_t type)
{
    if (section->flags & SHF_ALLOC)
        return type != 0; /* R_X86_64_NONE, R_386_NONE */
    if (image->machine == EM_X86_64)
        return type == R_X86_64_64 || type == R_X86_64_32 || type == R_X86_64_32S ||
               type == R_X86_64_16 || type == R_X86_64_8;
    return type == R_386_32 || type == R_386_16 || type == R_386_8;
}

static int check_section(const struct altpick_image *image, const struct altpick_section *section,
                         const uint64_t *addresses, const uint8_t *lengths, size_t n,
                         struct altpick_diag *diag)
{
    size_t each = entry_bytes(image, section), width = image->is_64 ? 8 : 4;

    if (!section->data || section->bytes % each)
        return altpick_fail(diag, ALTPICK_EFORMAT, "%s: section %s has half a relocation",
                            image->path, section->name);
    for (size_t i = 0; i < section->bytes / each; i++) {
        struct fix fix = read_fix(image, section->data + i * each);

        for (size_t j = 0; moves(image, section, fix.type) && j < n; j++) {
            if (fix.address - addresses[j] < lengths[j] || addresses[j] - fix.address < width)
                return altpick_fail(diag, ALTPICK_ENOFIT,
                                    "%s: site %zu, at %#llx: relocation %zu of section %s changes "
                                    "its bytes when the image is loaded; give it a default without "
                                    "absolute addresses",
                                    image->path, j, (unsigned long long) addresses[j], i,
                                    section->name);
        }
    }
    return ALTPICK_OK;
}

int altpick_patch_check_relocations(const struct altpick_image *image, const uint64_t *addresses,
                                    const uint8_t *lengths, size_t n, struct altpick_diag *diag)
{
    int r = ALTPICK_OK;

    for (size_t i = 1; i < image->n_sections && r == ALTPICK_OK; i++) {
        const struct altpick_section *section = &image->sections[i];

        if ((section->type == SHT_RELA || section->type == SHT_REL) && section->bytes > 0)
            r = check_section(image, section, addresses, lengths, n, diag);
    }
    return r;
}
