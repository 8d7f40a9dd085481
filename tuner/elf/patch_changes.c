/* SPDX-License-Identifier: MIT */
/* Holds the bytes of a file that patching changes against those that must stay, and each other. */
#include "elf/patch_parts.h"

#include "diag.h"

#include <gelf.h>

/* Whether [@offset, @offset + @n) of the file has a part in common with [@start, @end). */
static bool meets(uint64_t offset, uint64_t n, uint64_t start, uint64_t end)
{
    return offset < end && start < offset + n;
}

static bool meets_section(uint64_t offset, uint64_t n, const struct altpick_section *section)
{
    return meets(offset, n, section->offset, section->offset + section->bytes);
}

/* Whether @change, of code, is of bytes that another changes: two addresses may be one place. */
static bool is_twice(const struct altpick_patch_plan *plan,
                     const struct altpick_file_change *change)
{
    for (const struct altpick_file_change *other = plan->changes; other < change; other++) {
        if (meets(change->offset, change->bytes, other->offset, other->offset + other->bytes))
            return true;
    }
    return false;
}

int altpick_patch_check_changes(const struct altpick_patch_work *work, struct altpick_diag *diag)
{
    const struct altpick_image *image = work->image;
    GElf_Ehdr header = {.e_ehsize = 0};

    gelf_getehdr(image->elf, &header);
    for (size_t i = 0; i < work->plan->n_changes; i++) {
        const struct altpick_file_change *change = &work->plan->changes[i];
        uint64_t offset = change->offset, n = change->bytes;

        if (meets(offset, n, 0, header.e_ehsize) ||
            meets(offset, n, header.e_phoff,
                  header.e_phoff + (uint64_t) header.e_phnum * header.e_phentsize) ||
            meets(offset, n, header.e_shoff, image->section_headers_end) ||
            meets_section(offset, n, work->sites) || meets_section(offset, n, work->names) ||
            is_twice(work->plan, change))
            return altpick_fail(diag, ALTPICK_EFORMAT,
                                "%s: %zu bytes at offset %#llx of the file are code, and headers, "
                                "records, the mark or other code at once",
                                image->path, change->bytes, (unsigned long long) offset);
    }
    return ALTPICK_OK;
}
