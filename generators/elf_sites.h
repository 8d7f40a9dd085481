/* SPDX-License-Identifier: MIT */
/* Tables of sites for the engines of consumers. */
#ifndef ALTPICK_GENERATORS_ELF_SITES_H
#define ALTPICK_GENERATORS_ELF_SITES_H

#include "altpick/consumer_site.h"
#include "altpick/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct altpick_layout; /* elf/layout.h: where fields lie */

/* Every layout, and after the last a NULL name. */
extern const struct altpick_site_layout altpick_elf_layouts[];

/* Write all of a record but its references into @ret_record, which is zeroed. */
void altpick_elf_put_site(const struct altpick_layout *layout,
                          const struct altpick_consumer_site *site, bool is_32,
                          uint8_t *ret_record);

/* Fits struct altpick_generator's emit_sites. */
int altpick_elf_sites(const struct altpick_site_layout *layout, const char *flavour,
                      const struct altpick_consumer_site *sites, size_t n, struct altpick_out *out);

#endif
