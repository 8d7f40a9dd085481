/* SPDX-License-Identifier: MIT */
/* The layouts of patch tables, one constant each. */
#include "elf/layout.h"

#include <string.h>

/* A field of so many bytes at an offset in the record. */
#define RELATIVE(at)                                                                               \
    {                                                                                              \
        ALTPICK_FIELD_RELATIVE, at, 4                                                              \
    }
#define ADDRESS(at, bytes)                                                                         \
    {                                                                                              \
        ALTPICK_FIELD_ADDRESS, at, bytes                                                           \
    }
#define OFFSET(at)                                                                                 \
    {                                                                                              \
        ALTPICK_FIELD_OFFSET, at, 4                                                                \
    }
#define NUMBER(at, bytes)                                                                          \
    {                                                                                              \
        ALTPICK_FIELD_NUMBER, at, bytes                                                            \
    }

/*
 * Linux: struct alt_instr of arch/x86/include/asm/alternative.h.  Xen: the same name in
 * xen/arch/x86/include/asm/alternative.h.  OpenBSD: struct codepatch of sys/arch/amd64/amd64/
 * codepatch.c and CODEPATCH_END of i386.  NetBSD: HOTPATCH of sys/arch/{amd64,i386}/include/
 * frameasm.h.  Haiku: struct altcodepatch of headers/private/kernel/arch/x86/altcodepatch.h, with
 * offsets from where the kernel is loaded.
 */
static const struct altpick_layout linux12 = {
    .name = "linux12",
    .section = ".altinstructions",
    .era = "Linux 3.1 to 4.0 and 5.13 to 6.2",
    .family = ALTPICK_FAMILY_LINUX,
    .record_bytes = 12,
    .site = RELATIVE(0),
    .replacement = RELATIVE(4),
    .feature = NUMBER(8, 2),
    .site_bytes = NUMBER(10, 1),
    .replacement_bytes = NUMBER(11, 1),
    .inverted_in_feature = 0x8000,
};

static const struct altpick_layout linux13 = {
    .name = "linux13",
    .section = ".altinstructions",
    .era = "Linux 4.1 to 5.12",
    .family = ALTPICK_FAMILY_LINUX,
    .record_bytes = 13,
    .site = RELATIVE(0),
    .replacement = RELATIVE(4),
    .feature = NUMBER(8, 2),
    .site_bytes = NUMBER(10, 1),
    .replacement_bytes = NUMBER(11, 1),
    .pad_bytes = NUMBER(12, 1),
};

static const struct altpick_layout linux14 = {
    .name = "linux14",
    .section = ".altinstructions",
    .era = "Linux 6.3 and later",
    .family = ALTPICK_FAMILY_LINUX,
    .record_bytes = 14,
    .site = RELATIVE(0),
    .replacement = RELATIVE(4),
    .feature = NUMBER(8, 2),
    .flags = NUMBER(10, 2),
    .site_bytes = NUMBER(12, 1),
    .replacement_bytes = NUMBER(13, 1),
    .inverted_flag = 1,
    .direct_call_flag = 2,
    .known_flags = 3,
};

static const struct altpick_layout xen12 = {
    .name = "xen12",
    .section = ".altinstructions",
    .era = "Xen 4.5 to 4.10",
    .family = ALTPICK_FAMILY_XEN,
    .record_bytes = 12,
    .site = RELATIVE(0),
    .replacement = RELATIVE(4),
    .feature = NUMBER(8, 2),
    .site_bytes = NUMBER(10, 1),
    .replacement_bytes = NUMBER(11, 1),
    .only_by_symbols = true,
};

static const struct altpick_layout xen14 = {
    .name = "xen14",
    .section = ".altinstructions",
    .era = "Xen 4.11 and later",
    .family = ALTPICK_FAMILY_XEN,
    .record_bytes = 14,
    .site = RELATIVE(0),
    .replacement = RELATIVE(4),
    .feature = NUMBER(8, 2),
    .site_bytes = NUMBER(10, 1),
    .replacement_bytes = NUMBER(11, 1),
    .pad_bytes = NUMBER(12, 1),
    .fixed = NUMBER(13, 1), /* the engine's own note, 0 until it runs */
    .inverted_in_feature = 0x8000,
    .site_excludes_padding = true,
};

static const struct altpick_layout openbsd16 = {
    .name = "openbsd16",
    .section = ".codepatch",
    .era = "OpenBSD/amd64",
    .family = ALTPICK_FAMILY_OPENBSD,
    .bits = 64,
    .record_bytes = 16,
    .site = ADDRESS(0, 8),
    .site_bytes = NUMBER(8, 2),
    .tag = NUMBER(10, 2),
    .fixed = NUMBER(12, 4),
};

static const struct altpick_layout openbsd8 = {
    .name = "openbsd8",
    .section = ".codepatch",
    .era = "OpenBSD/i386",
    .family = ALTPICK_FAMILY_OPENBSD,
    .bits = 32,
    .record_bytes = 8,
    .site = ADDRESS(0, 4),
    .site_bytes = NUMBER(4, 2),
    .tag = NUMBER(6, 2),
};

static const struct altpick_layout netbsd10 = {
    .name = "netbsd10",
    .section = ".rodata.hotpatch",
    .era = "NetBSD/amd64",
    .family = ALTPICK_FAMILY_NETBSD,
    .bits = 64,
    .record_bytes = 10,
    .tag = NUMBER(0, 1),
    .site_bytes = NUMBER(1, 1),
    .site = ADDRESS(2, 8),
};

static const struct altpick_layout netbsd6 = {
    .name = "netbsd6",
    .section = ".rodata.hotpatch",
    .era = "NetBSD/i386",
    .family = ALTPICK_FAMILY_NETBSD,
    .bits = 32,
    .record_bytes = 6,
    .tag = NUMBER(0, 1),
    .site_bytes = NUMBER(1, 1),
    .site = ADDRESS(2, 4),
};

static const struct altpick_layout haiku8 = {
    .name = "haiku8",
    .section = ".altcodepatch",
    .era = "Haiku",
    .family = ALTPICK_FAMILY_HAIKU,
    .record_bytes = 8,
    .site = OFFSET(0),
    .site_bytes = NUMBER(4, 2),
    .tag = NUMBER(6, 2),
};

static const struct altpick_layout altpick = {
    .name = "altpick",
    .section = "altpick_sites",
    .era = "altpick/site.h",
    .family = ALTPICK_FAMILY_ALTPICK,
    .record_bytes = 12,
    .site = RELATIVE(0),
    .item = RELATIVE(4),
    .site_bytes = NUMBER(8, 1),
    .default_bytes = NUMBER(9, 1),
    .flags = NUMBER(10, 1),
    .fixed = NUMBER(11, 1), /* version */
    .fixed_value = 1,
    .code32_flag = 1,
    .known_flags = 1,
};

const struct altpick_layout *const altpick_layouts[] = {
    &linux12,  &linux13,  &linux14, &xen12,  &xen14,   &openbsd16,
    &openbsd8, &netbsd10, &netbsd6, &haiku8, &altpick,
};

const size_t altpick_layout_count = sizeof altpick_layouts / sizeof *altpick_layouts;

const struct altpick_layout *altpick_layout_find(const char *name)
{
    for (size_t i = 0; i < altpick_layout_count; i++) {
        if (strcmp(altpick_layouts[i]->name, name) == 0)
            return altpick_layouts[i];
    }
    return NULL;
}
