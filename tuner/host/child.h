/* SPDX-License-Identifier: MIT */
/* Child processes in which code may do what it wants. */
#ifndef ALTPICK_HOST_CHILD_H
#define ALTPICK_HOST_CHILD_H

#include "altpick/measure.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * In a child: a fault must end it, whatever handlers the program around us has, and leave no core
 * file.
 */
void altpick_child_be_mortal(void);

/*
 * Try in a child whether @timer, made for 32-bit code, can run it.  False: *ret_why, of @capacity
 * bytes, says what happened.
 */
bool altpick_child_try_32_bit(const struct altpick_timer *timer, char *ret_why, size_t capacity);

#endif
