/* SPDX-License-Identifier: MIT */
/* What formats share about bodies: which there are, and names in the spelling of a language. */
#ifndef ALTPICK_GENERATORS_BODY_H
#define ALTPICK_GENERATORS_BODY_H

#include "altpick/out.h"
#include "altpick/output.h"

#include <stdbool.h>
#include <stddef.h>

enum { ALTPICK_BODIES_MAX = 16 };

/*
 * The bodies for code of @bits (64 or 32) that there are, in the order fpu.init, kernel-fpu.begin,
 * refcount; returns how many.
 */
size_t altpick_body_list(const struct altpick_bodies *bodies, uint32_t bits,
                         const struct altpick_body *ret[ALTPICK_BODIES_MAX]);

/* Whether @body is an operation on a reference counter: the same in both kinds of code. */
bool altpick_body_counts(const struct altpick_body *body);

/*
 * The name of @body as an identifier: "kernel_fpu_begin_sse" or "KERNEL_FPU_BEGIN_SSE", without the
 * kind of code that it is for.
 */
void altpick_body_name(struct altpick_out *out, const struct altpick_body *body, bool upper);

/* Print @text with the name of @body in place of each @ and, in upper case, of each $. */
void altpick_body_text(struct altpick_out *out, const struct altpick_body *body, const char *text);

/* A comment that disassembles @body, as code of @bits. */
void altpick_body_words(struct altpick_out *out, const struct altpick_body *body, uint32_t bits);

/* The features that it needs of a CPU, separated by blanks. */
void altpick_body_needs(struct altpick_out *out, const struct altpick_body *body);

/* What an operation on a reference counter takes and gives. */
struct altpick_refcount_form {
    bool takes_amount, returns;
    const char *does; /* for a comment */
};
extern const struct altpick_refcount_form altpick_refcount_forms[ALTPICK_N_COUNTER_OPS];

#endif
