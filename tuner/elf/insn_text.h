/* SPDX-License-Identifier: MIT */
/* One instruction as text, with names in place of numbers where the caller knows any. */
#ifndef ALTPICK_ELF_INSN_TEXT_H
#define ALTPICK_ELF_INSN_TEXT_H

#include "altpick/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_INSN_TEXT_MAX = 256, ALTPICK_INSN_NAME_MAX = 192 };

/* A number of an instruction that a name may stand for. */
struct altpick_insn_number {
    enum {
        ALTPICK_INSN_IMMEDIATE,
        ALTPICK_INSN_DISPLACEMENT, /* beside registers, or alone in a relocatable file */
        ALTPICK_INSN_ADDRESS,      /* of a branch's target, or of memory that is known by it */
    } kind;
    bool is_absolute; /* an address that the code holds as it is, not relative to its end */
    uint64_t value;   /* as the operand has it; of an address all of it */
    size_t at;        /* offset of its field in the instruction */
    size_t to_end;    /* bytes from there to the end of the instruction */
};

/* Put the name of @number into @ret_name, of ALTPICK_INSN_NAME_MAX bytes.  False: it has none. */
typedef bool altpick_insn_name(void *ctx, const struct altpick_insn_number *number, char *ret_name);

/* Zeroed memory is none. */
struct altpick_insn_printer {
    void *zydis; /* owned */
};

/* Made once, as it is costly.  @is_intel: that syntax, else AT&T.  ALTPICK_ENOMEM. */
int altpick_insn_printer_init(struct altpick_insn_printer *ret_printer, bool is_intel);
void altpick_insn_printer_fini(struct altpick_insn_printer *printer);

/*
 * Decode the instruction at @code, which is at @address and of which @n bytes may be read, and
 * write it, in printable ASCII, to @ret_text of ALTPICK_INSN_TEXT_MAX bytes.  Returns its length; 0
 * where none decodes, and then the text is "(bad)".  @name is asked, with @ctx, for each number.
 */
size_t altpick_insn_print(const struct altpick_insn_printer *printer, bool is_64,
                          const uint8_t *code, size_t n, uint64_t address, altpick_insn_name *name,
                          void *ctx, char *ret_text);

#endif
