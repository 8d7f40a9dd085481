/* SPDX-License-Identifier: MIT */
/* A text sink: where writers put bytes, without knowing whether it is memory, a file or a UART. */
#ifndef ALTPICK_OUT_H
#define ALTPICK_OUT_H

#include <stddef.h>
#include <stdint.h>

/*
 * The caller fills write and ctx.  write() returns 0 or a negative altpick_err; the first error is
 * kept in err and everything after it is dropped, so that a writer checks once, at the end.
 */
struct altpick_out {
    int (*write)(void *ctx, const char *text, size_t bytes);
    void *ctx;
    int err;
};

/* Append @bytes bytes of @text. */
void altpick_out_bytes(struct altpick_out *out, const char *text, size_t bytes);

/* Append a NUL-terminated string. */
void altpick_out_text(struct altpick_out *out, const char *text);

/* Append @value in decimal. */
void altpick_out_u64(struct altpick_out *out, uint64_t value);

/* Append @value in lower-case hexadecimal with at least @digits (1..16) digits, without "0x". */
void altpick_out_hex(struct altpick_out *out, uint64_t value, unsigned digits);

/* Append @micro millionths as a decimal with exactly six digits after the point: 83412 -> 0.083412.
 */
void altpick_out_micro(struct altpick_out *out, uint64_t micro);

#endif
