/* SPDX-License-Identifier: MIT */
/* What kernel-fpu.begin's files share. */
#ifndef ALTPICK_PROBES_KERNEL_FPU_BEGIN_H
#define ALTPICK_PROBES_KERNEL_FPU_BEGIN_H

#include "altpick/decide.h"
#include "altpick/derived.h"
#include "altpick/look.h"
#include "altpick/question.h"

enum { KERNEL_FPU_KERNELS = 4, KERNEL_FPU_SIZES = 3 };

/* The conditions that are a xor of two blocks, by routine and size. */
extern const uint8_t altpick_kernel_fpu_xor[KERNEL_FPU_KERNELS][KERNEL_FPU_SIZES];

/* kernel_fpu_begin_table.c */
altpick_derive_table altpick_kernel_fpu_begin_derive;

#endif
