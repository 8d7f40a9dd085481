/* SPDX-License-Identifier: MIT */
/* Running code as text, an instruction at a time, with what is known of each. */
#ifndef ALTPICK_ELF_RUNNING_CODE_H
#define ALTPICK_ELF_RUNNING_CODE_H

#include "elf/insn_text.h"
#include "elf/view.h"

enum {
    ALTPICK_RUNNING_BYTES_MAX = 15,
    ALTPICK_RUNNING_MARKS_MAX = 4,
};

struct altpick_running_instruction {
    uint64_t address;
    size_t bytes;
    uint8_t code[ALTPICK_RUNNING_BYTES_MAX];
    uint8_t origin[ALTPICK_RUNNING_BYTES_MAX]; /* of struct altpick_patched */
    uint32_t by[ALTPICK_RUNNING_BYTES_MAX];
    bool is_cut; /* an instruction of which only @bytes were asked for: they, and no text of it */
    bool is_bad; /* no instruction: a byte by itself */
    char text[ALTPICK_INSN_TEXT_MAX]; /* printable ASCII */
    /* Names of tables that are not part of @running and may rewrite it. */
    const char *marks[ALTPICK_RUNNING_MARKS_MAX];
    size_t n_marks;
};

/* Decodes one image; made once, as it is costly. */
struct altpick_running_decoder {
    const struct altpick_view *view;
    const struct altpick_running *running;
    struct altpick_insn_printer printer;
};

/* Both must outlive the decoder.  ALTPICK_ENOMEM. */
int altpick_running_decoder_init(struct altpick_running_decoder *decoder,
                                 const struct altpick_view *view,
                                 const struct altpick_running *running, bool is_intel,
                                 struct altpick_diag *diag);
void altpick_running_decoder_fini(struct altpick_running_decoder *decoder);

/*
 * The instruction at @address, of which at most @bytes bytes are wanted; where none decodes it is
 * one byte.  False: there is no code at @address.
 */
bool altpick_running_decode(const struct altpick_running_decoder *decoder, uint64_t address,
                            size_t bytes, struct altpick_running_instruction *ret_instruction);

#endif
