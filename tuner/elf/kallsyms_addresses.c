/* SPDX-License-Identifier: MIT */
/* Finds the addresses of a kernel's own symbol table, whose names are found already. */
#include "elf/kallsyms_addresses.h"

#include "elf/bytes.h"

#include <elf.h>

enum { SEQ_BYTES = 3 };

/* Linkers and the kernel's script put symbols behind sections, up to the next large page. */
static const uint64_t section_align = 2 << 20;

/* Where the addresses are: before num_syms in older kernels and in Xen, which has no base; else
 * behind the tokens, and sequence numbers follow. */
static const struct order {
    bool behind, has_base;
} orders[] = {
    {true,  true },
    {false, true },
    {false, false}
};

static size_t align_up(size_t at, size_t align)
{
    return (at + align - 1) & ~(align - 1);
}

bool altpick_kallsyms_seqs_fit(const struct altpick_kallsyms *k, size_t at, uint32_t n)
{
    uint64_t sum = 0;

    if (at > k->bytes || n > (k->bytes - at) / SEQ_BYTES)
        return false;
    for (const uint8_t *p = k->data + at; p < k->data + at + (size_t) SEQ_BYTES * n;
         p += SEQ_BYTES) {
        uint32_t seq = (uint32_t) p[0] << 16 | (uint32_t) p[1] << 8 | p[2];

        if (seq >= n)
            return false;
        sum += seq;
    }
    return sum == (uint64_t) n * (n - 1) / 2;
}

uint64_t altpick_kallsyms_address(const struct altpick_kallsyms *k, uint32_t index)
{
    uint32_t raw = altpick_u32(k->data + k->offsets + (size_t) 4 * index);
    uint64_t address;

    if (k->form == ALTPICK_KALLSYMS_PERCPU)
        return (int32_t) raw >= 0 ? raw : k->base - 1 - (uint64_t) (int64_t) (int32_t) raw;
    address = k->base + raw;
    return k->image->is_64 ? address : (uint32_t) address;
}

/* The section that @address is in or closely behind, or NULL. */
static const struct altpick_section *section_of(const struct altpick_image *image, uint64_t address)
{
    for (size_t i = 1; i < image->n_sections; i++) {
        const struct altpick_section *section = &image->sections[i];

        if (section->flags & SHF_ALLOC && address >= section->address &&
            address - section->address < section->bytes + section_align -
                                             (section->address + section->bytes) % section_align +
                                             1)
            return section;
    }
    return NULL;
}

/* Whether all addresses are in the image and in order.  Xen names the place that it counts from,
 * which is before its image. */
static bool addresses_fit(const struct altpick_kallsyms *k)
{
    const struct altpick_section *section = NULL;
    uint64_t last = 0;

    for (uint32_t i = 0; i < k->n; i++) {
        uint64_t address = altpick_kallsyms_address(k, i);

        if (address < last)
            return false;
        last = address;
        if (section && address >= section->address && address - section->address < section->bytes)
            continue;
        section = section_of(k->image, address);
        if (!section && address != k->base)
            return false;
    }
    return true;
}

/* Set @k->offsets and @k->base as @order has them.  Whether there is room for them. */
static bool place(struct altpick_kallsyms *k, const struct order *order)
{
    size_t bytes = align_up((size_t) 4 * k->n, k->align), num = k->names - k->align, base;

    if (order->behind) {
        k->offsets =
            align_up(k->token_index + sizeof(uint16_t) * ALTPICK_KALLSYMS_TOKENS, k->align);
        if (k->offsets > k->bytes || bytes + k->align > k->bytes - k->offsets)
            return false;
        base = k->offsets + bytes;
        if (!altpick_kallsyms_seqs_fit(k, base + k->align, k->n))
            return false;
    } else {
        if (bytes + (order->has_base ? k->align : 0) > num)
            return false;
        base = num - (order->has_base ? k->align : 0);
        k->offsets = base - bytes;
    }
    k->base = 0;
    if (order->has_base)
        k->base = altpick_number(k->data + base, k->align);
    return !order->has_base || section_of(k->image, k->base);
}

bool altpick_kallsyms_addresses_find(struct altpick_kallsyms *k)
{
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (!place(k, &orders[i]))
            continue;
        k->form = ALTPICK_KALLSYMS_PLAIN;
        if (addresses_fit(k))
            return true;
        k->form = ALTPICK_KALLSYMS_PERCPU;
        if (orders[i].has_base && addresses_fit(k))
            return true;
    }
    return false;
}
