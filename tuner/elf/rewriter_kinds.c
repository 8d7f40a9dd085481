/* SPDX-License-Identifier: MIT */
/* The kinds of tables by which Linux rewrites code besides alternatives, as data. */
#include "elf/rewriter_kinds.h"

#include "diag.h"

#include <elf.h>
#include <string.h>

#define KIND(name) ALTPICK_REWRITER_##name

/* arch/x86/kernel/vmlinux.lds.S names the sections, their headers the records. */
static const struct altpick_rewriter rewriters[] = {
    {KIND(JUMP_LABELS),  "jump labels",         "__jump_table",                 16, 12, false},
    {KIND(STATIC_CALLS), "static calls",        ".static_call_sites",           8,  8,  false},
    {KIND(FTRACE),       "ftrace",              "__mcount_loc",                 8,  4,  true },
    {KIND(PATCHABLE),    "patchable functions", "__patchable_function_entries", 8,  4,  true },
    {KIND(RETPOLINES),   "retpolines",          ".retpoline_sites",             4,  4,  false},
    {KIND(RETURNS),      "return thunks",       ".return_sites",                4,  4,  false},
    {KIND(CALL_THUNKS),  "call thunks",         ".call_sites",                  4,  4,  false},
    {KIND(PARAVIRT),     "paravirt",            ".parainstructions",            16, 8,  true },
    {KIND(IBT),          "IBT seals",           ".ibt_endbr_seal",              4,  4,  false},
    {KIND(CFI),          "CFI",                 ".cfi_sites",                   4,  4,  false},
    {KIND(CONSTANTS),    "runtime constants",   "runtime_ptr_*",                4,  4,  false},
    {KIND(CONSTANTS),    "runtime constants",   "runtime_shift_*",              4,  4,  false},
};

enum { N_REWRITERS = sizeof rewriters / sizeof *rewriters };

const struct altpick_rewriter *altpick_rewriter_of(const char *section)
{
    for (size_t i = 0; i < N_REWRITERS; i++) {
        const char *name = rewriters[i].section;
        size_t n = strcspn(name, "*");

        if (name[n] ? strncmp(name, section, n) == 0 : strcmp(name, section) == 0)
            return &rewriters[i];
    }
    return NULL;
}

const struct altpick_rewriter *altpick_rewriter_first(enum altpick_rewriter_kind kind)
{
    size_t i = 0;

    while (i + 1 < N_REWRITERS && rewriters[i].kind != kind)
        i++;
    return &rewriters[i];
}

unsigned altpick_rewriter_record_bytes(const struct altpick_rewriter *rewriter, bool is_64)
{
    return is_64 ? rewriter->record_bytes_64 : rewriter->record_bytes_32;
}

int altpick_rewriter_section(const struct altpick_image *image,
                             const struct altpick_section *section,
                             const struct altpick_rewriter **ret_rewriter, size_t *ret_n,
                             struct altpick_diag *diag)
{
    const struct altpick_rewriter *rewriter = NULL;
    unsigned bytes = 1;

    if (section->type == SHT_PROGBITS && section->data && section->bytes)
        rewriter = altpick_rewriter_of(section->name);
    if (rewriter)
        bytes = altpick_rewriter_record_bytes(rewriter, image->code_is_64);
    if (section->bytes % bytes != 0)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "%s: %s: %llu bytes are no whole number of records of %u bytes",
                            image->path, section->name, (unsigned long long) section->bytes, bytes);
    *ret_rewriter = rewriter;
    *ret_n = (size_t) section->bytes / bytes;
    return ALTPICK_OK;
}
