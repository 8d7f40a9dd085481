/* SPDX-License-Identifier: MIT */
/* Child processes in which code may do what it wants. */
#ifndef ALTPICK_HOST_CHILD_H
#define ALTPICK_HOST_CHILD_H

#include "altpick/measure.h"

#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

/*
 * In a child of @parent: a fault must end it, whatever handlers the program around us has, and
 * leave no core file; so must the end of @parent, which may have come already.
 */
void altpick_child_be_mortal(pid_t parent);

/*
 * Try in a child whether @timer, made for 32-bit code, can run it.  False: *ret_why, of @capacity
 * bytes, says what happened.
 */
bool altpick_child_try_32_bit(const struct altpick_timer *timer, char *ret_why, size_t capacity);

#endif
