/* SPDX-License-Identifier: MIT */
/* Padding by the header and by the object: the same bytes. */
#ifndef PAD_H
#define PAD_H

#include <stddef.h>

void pad_with_header(void *dst, size_t n);
void pad_with_object(void *dst, size_t n);

#endif
