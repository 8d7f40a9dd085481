/* SPDX-License-Identifier: MIT */
/* An output format: one file in generators/, one line in generators/meson.build. */
#ifndef ALTPICK_GENERATOR_H
#define ALTPICK_GENERATOR_H

#include "altpick/consumer_site.h"
#include "altpick/out.h"
#include "altpick/output.h"

#include <stddef.h>

struct altpick_generator {
    const char *name;            /* -f NAME */
    const char *title;           /* one line for people */
    const char *const *flavours; /* NULL-terminated; the first is the default; NULL: has none */

    /*
     * Print @output.  @flavour is one of flavours.  Deterministic: equal arguments, equal bytes; no
     * dates, hosts, paths or measured figures.  Returns 0 or an error; the sink keeps its own.
     */
    int (*emit)(const struct altpick_output *output, const char *flavour, struct altpick_out *out);

    /* --layout NAME: tables for the engines of consumers; ends with a NULL name; NULL: has none. */
    const struct altpick_site_layout *layouts;

    /*
     * Print the records of @n (1..) sites in @layout, one of layouts, in their order; those of one
     * symbol lie together.  NULL where there are no layouts.  Deterministic as emit.
     */
    int (*emit_sites)(const struct altpick_site_layout *layout, const char *flavour,
                      const struct altpick_consumer_site *sites, size_t n, struct altpick_out *out);
};

/* Every registered generator, in the order of generators/meson.build. */
extern const struct altpick_generator *const altpick_generators[];
extern const size_t altpick_generator_count;

/*
 * The table of format elf alone, which `altpick patch` applies: not registered, for it is no file
 * of anybody's build.
 */
extern const struct altpick_generator altpick_generator_patches;

/* The generator called @name, or NULL. */
const struct altpick_generator *altpick_generator_find(const char *name);

#endif
