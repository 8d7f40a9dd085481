/* SPDX-License-Identifier: MIT */
/*
 * The records of each layout.  Sources: arch/x86/include/asm/alternative.h and kernel/alternative.c
 * of Linux 4.1, 5.10, 6.1 and 6.12; xen/arch/x86/include/asm/alternative.h and alternative.c of Xen
 * 4.11 to 4.19.  Records are packed, and so are those of other objects beside them: assemblers give
 * .altinstructions an alignment of 1, and any other would put zeroes between two objects' tables.
 */
#include "elf_sites.h"

enum { CALL_REL32 = 0xe8, JMP_REL32 = 0xe9, JMP_REL8 = 0xeb, BRANCH_BYTES = 5 };
enum { LINUX_ALWAYS = 3 * 32 + 21, XEN_ALWAYS = 1 * 32 + 29 };
enum { TOP_BIT = 0x8000, FLAG_NOT = 1, FLAG_DIRECT_CALL = 2 };
enum { ALTPICK_VERSION_1 = 1, FLAG_32 = 1 };

/* The buffers of both engines hold MAX_PATCH_LEN, 255 - 1, bytes. */
enum { ENGINE_BYTES_MAX = 254 };

static void put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t) value;
    at[1] = (uint8_t) (value >> 8);
}

static void put_linux12(const struct altpick_consumer_site *site, bool is_32, uint8_t *ret)
{
    (void) is_32;
    put_u16(ret + 8, site->feature | (site->inverted ? TOP_BIT : 0u));
    ret[10] = (uint8_t) site->bytes;
    ret[11] = (uint8_t) site->code.bytes;
}

static void put_linux13(const struct altpick_consumer_site *site, bool is_32, uint8_t *ret)
{
    put_linux12(site, is_32, ret);
    ret[12] = (uint8_t) site->padding_bytes;
}

static void put_linux14(const struct altpick_consumer_site *site, bool is_32, uint8_t *ret)
{
    (void) is_32;
    put_u16(ret + 8, site->feature);
    put_u16(ret + 10, (site->inverted ? (uint32_t) FLAG_NOT : 0u) |
                          (site->direct_call ? (uint32_t) FLAG_DIRECT_CALL : 0u));
    ret[12] = (uint8_t) site->bytes;
    ret[13] = (uint8_t) site->code.bytes;
}

/* The last byte is the engine's own and 0 to begin with. */
static void put_xen14(const struct altpick_consumer_site *site, bool is_32, uint8_t *ret)
{
    put_linux12(site, is_32, ret);
    ret[10] = (uint8_t) (site->bytes - site->padding_bytes);
    ret[12] = (uint8_t) site->padding_bytes;
}

static void put_altpick(const struct altpick_consumer_site *site, bool is_32, uint8_t *ret)
{
    ret[8] = (uint8_t) site->bytes;
    ret[9] = (uint8_t) (site->bytes - site->padding_bytes);
    ret[10] = is_32 ? FLAG_32 : 0;
    ret[11] = ALTPICK_VERSION_1;
}

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

static const struct altpick_site_form forms[] = {
    {".altinstructions", ".altinstr_replacement", 1, 12, false, put_linux12},
    {".altinstructions", ".altinstr_replacement", 1, 13, false, put_linux13},
    {".altinstructions", ".altinstr_replacement", 1, 14, false, put_linux14},
    {".altinstructions", ".altinstr_replacement", 1, 14, false, put_xen14  },
    {"altpick_sites",    "altpick_names",         4, 12, true,  put_altpick},
};

/* In the order of forms. */
/* clang-format off */
const struct altpick_site_layout altpick_elf_layouts[] = {
    {.name = "linux12",
     .title = "Linux 5.13 to 6.2",
     .site_bytes_max = ENGINE_BYTES_MAX,
     .has_feature = true,
     .feature_max = TOP_BIT - 1,
     .feature_always = LINUX_ALWAYS,
     .has_not = true,
     .many_at_one_site = true,
     .relocates = linux_relocates},
    /* Some long-term kernels of this period know the top bit, others stop at it. */
    {.name = "linux13",
     .title = "Linux 4.1 to 5.12",
     .site_bytes_max = ENGINE_BYTES_MAX,
     .has_feature = true,
     .feature_max = TOP_BIT - 1,
     .feature_always = LINUX_ALWAYS,
     .has_padding = true,
     .many_at_one_site = true,
     .relocates = linux_relocates},
    {.name = "linux14",
     .title = "Linux since 6.3",
     .site_bytes_max = ENGINE_BYTES_MAX,
     .has_feature = true,
     .feature_max = UINT16_MAX,
     .feature_always = LINUX_ALWAYS,
     .has_not = true,
     .has_direct_call = true,
     .many_at_one_site = true},
    {.name = "xen14",
     .title = "Xen since 4.11",
     .site_bytes_max = ENGINE_BYTES_MAX,
     .has_feature = true,
     .feature_max = TOP_BIT - 1,
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

_Static_assert(sizeof forms / sizeof *forms + 1 ==
                   sizeof altpick_elf_layouts / sizeof *altpick_elf_layouts,
               "a layout has a form");

const struct altpick_site_form *altpick_elf_site_form(const struct altpick_site_layout *layout)
{
    return &forms[layout - altpick_elf_layouts];
}
