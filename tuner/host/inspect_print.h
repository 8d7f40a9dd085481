/* SPDX-License-Identifier: MIT */
/* An inspection, for people and for programs. */
#ifndef ALTPICK_HOST_INSPECT_PRINT_H
#define ALTPICK_HOST_INSPECT_PRINT_H

#include "elf/disassemble.h"
#include "elf/inspect.h"

#include "altpick/json.h"
#include "altpick/out.h"

/* A summary, at most ALTPICK_LINE_COLUMNS wide. */
void altpick_inspect_text(const struct altpick_inspection *inspection, struct altpick_out *out);

/* Every record of every table with its code. */
void altpick_inspect_records_text(const struct altpick_inspection *inspection,
                                  const struct altpick_disassembler *disassembler,
                                  struct altpick_out *out);

/* Both as one object; the records where @disassembler is not NULL. */
void altpick_inspect_json(const struct altpick_inspection *inspection,
                          const struct altpick_disassembler *disassembler,
                          struct altpick_json *json);
void altpick_inspect_records_json(const struct altpick_image *image,
                                  const struct altpick_patch_table *table,
                                  const struct altpick_disassembler *disassembler,
                                  struct altpick_json *json);

/* What a file is: "Linux module", "relocatable", "executable", "shared object", "Xen". */
const char *altpick_inspect_kind(const struct altpick_image *image);

/* "x86-64" or "i386": of the code, whatever wraps it. */
const char *altpick_inspect_machine(const struct altpick_image *image);

/* How a table was found: "section", "symbols" or "shape". */
const char *altpick_inspect_found(enum altpick_table_found found);

#endif
