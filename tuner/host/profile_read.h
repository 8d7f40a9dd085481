/* SPDX-License-Identifier: MIT */
/* Profile files into memory, validated as a whole. */
#ifndef ALTPICK_HOST_PROFILE_READ_H
#define ALTPICK_HOST_PROFILE_READ_H

#include "altpick/err.h"
#include "altpick/profile.h"

/*
 * Read and validate the profile at @path ("-": standard input).  All or nothing: on failure
 * @profile is untouched and @diag says "file:line:column: reason" for syntax, "file: /json/pointer:
 * reason" for content.  Questions and candidates that this version does not know are kept.  The
 * caller frees with altpick_profile_fini().
 */
int altpick_profile_read(const char *path, struct altpick_profile *ret_profile,
                         struct altpick_diag *diag);

/* The same from memory; @name stands for the path in messages. */
int altpick_profile_parse(const char *name, const char *text, size_t bytes,
                          struct altpick_profile *ret_profile, struct altpick_diag *diag);

/* Free what a profile owns.  Accepts zeroed memory. */
void altpick_profile_fini(struct altpick_profile *profile);

#endif
