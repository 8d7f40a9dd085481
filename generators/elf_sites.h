/* SPDX-License-Identifier: MIT */
/* Tables of sites for the engines of consumers. */
#ifndef ALTPICK_GENERATORS_ELF_SITES_H
#define ALTPICK_GENERATORS_ELF_SITES_H

#include "altpick/consumer_site.h"
#include "altpick/out.h"

#include <stddef.h>
#include <stdint.h>

enum { ALTPICK_RECORD_BYTES_MAX = 14 };

/* Every layout, and after the last a NULL name. */
extern const struct altpick_site_layout altpick_elf_layouts[];

/* How a layout is written.  Both references are 32 bits, at offsets 0 (the site) and 4. */
struct altpick_site_form {
    const char *section, *target; /* of the records, and of what they refer to at offset 4 */
    size_t align;
    uint32_t record_bytes;
    bool names; /* the target is the item's name; no linker script of the consumer keeps it */
    /* Write everything but the references into zeroed memory of record_bytes. */
    void (*put)(const struct altpick_consumer_site *site, bool is_32, uint8_t *ret_record);
};

/* The form of @layout, which is one of altpick_elf_layouts. */
const struct altpick_site_form *altpick_elf_site_form(const struct altpick_site_layout *layout);

/* Fits struct altpick_generator's emit_sites. */
int altpick_elf_sites(const struct altpick_site_layout *layout, const char *flavour,
                      const struct altpick_consumer_site *sites, size_t n, struct altpick_out *out);

#endif
