/* SPDX-License-Identifier: MIT */
/* What all boot programs do alike: read options, probe, print the table, send the profile. */
#ifndef ALTPICK_BOOT_FRONT_H
#define ALTPICK_BOOT_FRONT_H

#include "altpick/boot.h"
#include "altpick/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a program owns and gives.  Sinks may be NULL. */
struct altpick_front {
    const char *options; /* words: "budget=50000 only=nop.*,refcount seed=1 rehearse"; NULL: none */
    struct altpick_out *console; /* for people: lines end with "\n" */
    struct altpick_out *serial;  /* COM1: gets what the console gets, and the profile in markers */
    struct altpick_out *profile; /* the profile's bytes alone: a file */
    struct altpick_boot_options boot; /* memories, clock, timer; what options say is added to it */
};

/*
 * Run it all.  Returns 0, ALTPICK_EUNTRUSTED (the profile is written and says so), ALTPICK_EUSAGE
 * for options that are wrong (the console says which, nothing is measured), or what
 * altpick_boot_probe() or a sink returned; the console has the reason in words.
 */
int altpick_front_run(const struct altpick_front *front);

/*
 * Around the profile on a serial line.  The second is followed by a space, the number of bytes of
 * the profile in decimal, " bytes, crc32 ", and the CRC-32 (ISO 3309, as zlib's crc32()) in eight
 * hexadecimal digits; each is a line of its own.  `altpick probe --from-serial` reads it.
 */
#define ALTPICK_FRONT_BEGIN "-----BEGIN ALTPICK PROFILE-----"
#define ALTPICK_FRONT_END   "-----END ALTPICK PROFILE-----"

/* The last line of any boot program that came to its end: tests wait for it. */
#define ALTPICK_FRONT_DONE "altpick: done"

#endif
