/* SPDX-License-Identifier: MIT */
/*
 * What the engine of each layout takes, and the writer of its records.  Where fields lie in a
 * record is elf/layout.h's.  Sources: arch/x86/kernel/alternative.c of Linux 4.1, 5.10, 6.1
 * and 6.12, xen/arch/x86/alternative.c of Xen 4.11 to 4.19.
 */
#include "elf_sites.h"

#include "elf/layout.h"

enum { CALL_REL32 = 0xe8, JMP_REL32 = 0xe9, JMP_REL8 = 0xeb, BRANCH_BYTES = 5 };
/* Linux: X86_FEATURE_ALWAYS.  Xen: an alias of LM, bit 29 of CPUID 80000001H EDX, its word 2. */
enum { LINUX_ALWAYS = 3 * 32 + 21, XEN_ALWAYS = 2 * 32 + 29 };

/* The buffers of both engines hold MAX_PATCH_LEN, 255 - 1, bytes. */
enum { ENGINE_BYTES_MAX = 254, FEATURE_MAX = ALTPICK_FEATURE_WORDS_MAX * 32 - 1 };

/* Up to 6.2: five bytes that begin with CALL or JMP of any length. */
static bool linux_relocates(const uint8_t *code, uint32_t bytes)
{
    return bytes == BRANCH_BYTES &&
           (code[0] == CALL_REL32 || code[0] == JMP_REL32 || code[0] == JMP_REL8);
}

static bool xen_relocates(const uint8_t *code, uint32_t bytes)
{
    return bytes >= BRANCH_BYTES && (code[0] == CALL_REL32 || code[0] == JMP_REL32);
}

/* clang-format off */
const struct altpick_site_layout altpick_elf_layouts[] = {
    {.name = "linux12",
     .title = "Linux 5.13 to 6.2",
     .site_bytes_max = ENGINE_BYTES_MAX,
     .has_feature = true,
     .feature_max = FEATURE_MAX,
     .feature_always = LINUX_ALWAYS,
     .has_not = true,
     .many_at_one_site = true,
     .relocates = linux_relocates},
    /* Some long-term kernels of this period know the top bit, others stop at it. */
    {.name = "linux13",
     .title = "Linux 4.1 to 5.12",
     .site_bytes_max = ENGINE_BYTES_MAX,
     .has_feature = true,
     .feature_max = FEATURE_MAX,
     .feature_always = LINUX_ALWAYS,
     .has_padding = true,
     .many_at_one_site = true,
     .relocates = linux_relocates},
    {.name = "linux14",
     .title = "Linux since 6.3",
     .site_bytes_max = ENGINE_BYTES_MAX,
     .has_feature = true,
     .feature_max = FEATURE_MAX,
     .feature_always = LINUX_ALWAYS,
     .has_not = true,
     .has_direct_call = true,
     .many_at_one_site = true},
    {.name = "xen14",
     .title = "Xen since 4.11",
     .site_bytes_max = ENGINE_BYTES_MAX,
     .has_feature = true,
     .feature_max = FEATURE_MAX,
     .feature_always = XEN_ALWAYS,
     .has_not = true,
     .has_padding = true,
     .many_at_one_site = true,
     .relocates = xen_relocates},
    {.name = "altpick",
     .title = "altpick's own runtime, and altpick patch",
     .site_bytes_max = ALTPICK_ITEM_PLACE_MAX,
     .has_padding = true},
    {.name = NULL},
};
/* clang-format on */

static void put(const struct altpick_field *field, uint32_t value, uint8_t *record)
{
    for (unsigned i = 0; field->kind != ALTPICK_FIELD_NONE && i < field->bytes; i++)
        record[field->offset + i] = (uint8_t) (value >> (8 * i));
}

void altpick_elf_put_site(const struct altpick_layout *layout,
                          const struct altpick_consumer_site *site, bool is_32, uint8_t *ret_record)
{
    uint32_t bytes = site->bytes, flags = 0;

    if (layout->site_excludes_padding)
        bytes -= site->padding_bytes;
    if (site->inverted)
        flags |= layout->inverted_flag;
    if (site->direct_call)
        flags |= layout->direct_call_flag;
    if (is_32)
        flags |= layout->code32_flag;
    put(&layout->feature, site->feature | (site->inverted ? layout->inverted_in_feature : 0u),
        ret_record);
    put(&layout->flags, flags, ret_record);
    put(&layout->site_bytes, bytes, ret_record);
    put(&layout->replacement_bytes, site->code.bytes, ret_record);
    put(&layout->pad_bytes, site->padding_bytes, ret_record);
    put(&layout->default_bytes, site->bytes - site->padding_bytes, ret_record);
    put(&layout->fixed, layout->fixed_value, ret_record);
}
