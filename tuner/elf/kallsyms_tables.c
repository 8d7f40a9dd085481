/* SPDX-License-Identifier: MIT */
/*
 * Finds a kernel's own symbol table in the image: first the table of tokens, by its shape, then
 * what must lie around it.  Their order changed with Linux 6.2 and again soon after, and was
 * changed in stable releases, too; so no version is asked, but each order tried until everything
 * agrees.
 */
#include "elf/kallsyms_tables.h"

#include "elf/bytes.h"

#include "elf/kallsyms_addresses.h"

#include <elf.h>
#include <string.h>

enum {
    NAMES_PER_MARKER = 256,
    NAME_MAX_BYTES = 1024, /* KSYM_NAME_LEN is 512 at most, the type included */
    LAST_NAMES_MAX_BYTES = NAMES_PER_MARKER * (NAME_MAX_BYTES + 2),
    TOKEN_MAX_BYTES = NAME_MAX_BYTES,
    SEQ_BYTES = 3,   /* of an entry of kallsyms_seqs_of_names */
    STEPS = 1 << 23, /* a kernel of 160,000 symbols takes 1/20 of them */
};

static size_t align_up(size_t at, size_t align)
{
    return (at + align - 1) & ~(align - 1);
}

/* Whether only padding is in [@from, @to). */
static bool is_padding(const struct altpick_kallsyms *k, size_t from, size_t to)
{
    while (from < to && k->data[from] == 0)
        from++;
    return from == to;
}

/* --- names --------------------------------------------------------------------------------------
 */

bool altpick_kallsyms_name_read(const struct altpick_kallsyms *k, size_t *at, size_t end,
                                struct altpick_kallsyms_name *ret_name)
{
    const uint8_t *p = k->data + *at, *stop = k->data + end;
    size_t n, bytes = 0;

    if (p == stop)
        return false;
    n = *p++;
    if (n & 0x80) { /* since 6.1, for names of Rust; earlier ones have no such length */
        if (p == stop)
            return false;
        n = (n & 0x7f) | (size_t) *p++ << 7;
    }
    if (n == 0 || n > (size_t) (stop - p))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (k->token_bytes[p[i]] == 0)
            return false;
        bytes += k->token_bytes[p[i]];
    }
    ret_name->tokens = p;
    ret_name->n_tokens = n;
    ret_name->bytes = bytes;
    ret_name->type =
        (char) k->data[k->token_table + altpick_number(k->data + k->token_index + 2 * p[0], 2)];
    *at = (size_t) (p + n - k->data);
    return bytes >= 2 && bytes <= NAME_MAX_BYTES &&
           (((ret_name->type | 0x20) >= 'a' && (ret_name->type | 0x20) <= 'z') ||
            ret_name->type == '?');
}

/* Whether @k->n names begin at @k->names, at their markers, and end before those. */
static bool names_fit(struct altpick_kallsyms *k)
{
    size_t at = k->names;

    for (uint32_t i = 0; i < k->n; i++) {
        struct altpick_kallsyms_name name;

        if (i % NAMES_PER_MARKER == 0 &&
            at - k->names !=
                altpick_number(k->data + k->markers + i / NAMES_PER_MARKER * k->marker_bytes,
                               k->marker_bytes))
            return false;
        if (k->steps_left == 0 || !altpick_kallsyms_name_read(k, &at, k->markers, &name))
            return false;
        k->steps_left--;
    }
    return k->markers - at < k->align && is_padding(k, at, k->markers);
}

/* Whether what is between markers and tokens can belong to @n symbols: nothing, or sequence
 * numbers. */
static bool gap_fits(const struct altpick_kallsyms *k, size_t from, uint32_t n)
{
    if (from == k->token_table)
        return true;
    return align_up(from + (size_t) SEQ_BYTES * n, k->align) == k->token_table &&
           altpick_kallsyms_seqs_fit(k, from, n) &&
           is_padding(k, from + (size_t) SEQ_BYTES * n, k->token_table);
}

/* Look for names that end where @k->markers begin: the last of @n_markers is at offset @last. */
static bool find_names(struct altpick_kallsyms *k, size_t n_markers, size_t last)
{
    size_t after = align_up(k->markers + n_markers * k->marker_bytes, k->align);
    size_t names = (k->markers - last - 1) & ~(k->align - 1);

    for (; names >= k->align && k->markers - last - names <= LAST_NAMES_MAX_BYTES && k->steps_left;
         names -= k->align, k->steps_left--) {
        uint64_t n = altpick_number(k->data + names - k->align, k->align);

        if (n > NAMES_PER_MARKER * n_markers || n <= NAMES_PER_MARKER * (n_markers - 1))
            continue;
        k->names = names;
        k->n = (uint32_t) n;
        if (names_fit(k) && gap_fits(k, after, k->n) && altpick_kallsyms_addresses_find(k))
            return true;
    }
    return false;
}

/* --- markers ------------------------------------------------------------------------------------
 */

/* Whether @n_markers markers that end at @end leave as much before the tokens as sequence numbers
 * of their names take, or nothing. */
static bool distance_fits(const struct altpick_kallsyms *k, size_t end, size_t n_markers)
{
    size_t after = align_up(end, k->align), gap = k->token_table - after;

    if (after > k->token_table || !is_padding(k, end, after))
        return false;
    return gap == 0 || (gap > (size_t) SEQ_BYTES * NAMES_PER_MARKER * (n_markers - 1) &&
                        gap < (size_t) SEQ_BYTES * NAMES_PER_MARKER * n_markers + k->align);
}

/* Try the increasing run of markers at @k->markers, cut off wherever that can be right. */
static bool try_markers(struct altpick_kallsyms *k)
{
    size_t at = k->markers, last = 0;

    for (size_t n = 1; k->token_table - at >= k->marker_bytes; n++) {
        uint64_t value = altpick_number(k->data + at, k->marker_bytes);

        if (n == 1 ? value != 0 : value <= last || value >= k->markers)
            return false;
        last = (size_t) value;
        at += k->marker_bytes;
        if (distance_fits(k, at, n) && find_names(k, n, last))
            return true;
    }
    return false;
}

/* Everything but the tokens, which @k has. */
static bool find_others(struct altpick_kallsyms *k)
{
    for (size_t at = k->token_table & ~(k->align - 1); at > k->align && k->steps_left;
         k->steps_left--) {
        at -= k->align;
        k->markers = at;
        for (k->marker_bytes = 4; k->marker_bytes <= k->align; k->marker_bytes *= 2) {
            if (try_markers(k)) /* u64 up to 4.19 */
                return true;
        }
    }
    return false;
}

/* --- tokens -------------------------------------------------------------------------------------
 */

/* Whether the u16 at @at can be offsets of tokens: from 0 on, each beyond the one before. */
static bool is_token_index(const uint8_t *at)
{
    uint64_t last = 0;

    if (at[0] || at[1])
        return false;
    for (size_t i = 1; i < ALTPICK_KALLSYMS_TOKENS; i++) {
        uint64_t offset = altpick_number(at + 2 * i, 2);

        if (offset <= last)
            return false;
        last = offset;
    }
    return true;
}

static bool is_printable(const uint8_t *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] <= ' ' || at[i] == 0x7f)
            return false;
    }
    return true;
}

/* Whether the strings at @k->token_table are as the index says, and end before it. */
static bool tokens_fit(struct altpick_kallsyms *k)
{
    for (size_t i = 0; i < ALTPICK_KALLSYMS_TOKENS; i++) {
        size_t at = k->token_table + altpick_number(k->data + k->token_index + 2 * i, 2);
        const uint8_t *end = memchr(k->data + at, '\0', k->token_index - at);
        size_t next =
            i + 1 == ALTPICK_KALLSYMS_TOKENS
                ? 0
                : k->token_table + altpick_number(k->data + k->token_index + 2 * i + 2, 2);

        if (!end || !is_printable(k->data + at, (size_t) (end - k->data) - at))
            return false;
        if (next ? end + 1 != k->data + next
                 : !is_padding(k, (size_t) (end - k->data), k->token_index) ||
                       align_up((size_t) (end - k->data) + 1, k->align) != k->token_index)
            return false;
        k->token_bytes[i] = (uint16_t) (end - k->data - (ptrdiff_t) at);
    }
    return true;
}

/* Find the strings before the index at @k->token_index: only the length of the last is unknown. */
static bool find_tokens(struct altpick_kallsyms *k)
{
    size_t last = altpick_number(k->data + k->token_index + 2 * (ALTPICK_KALLSYMS_TOKENS - 1), 2);

    for (size_t tail = 1; tail <= TOKEN_MAX_BYTES && last + tail <= k->token_index; tail++) {
        k->token_table = k->token_index - last - tail;
        if (k->token_table % k->align == 0 && tokens_fit(k))
            return true;
    }
    return false;
}

static bool find_in_section(const struct altpick_image *image,
                            const struct altpick_section *section, struct altpick_kallsyms *k)
{
    const size_t index_bytes = 2 * ALTPICK_KALLSYMS_TOKENS;

    k->data = section->data;
    k->bytes = (size_t) section->bytes;
    k->align = image->is_64 ? 8 : 4;
    if (section->address % k->align != 0 || k->bytes < index_bytes)
        return false;
    for (size_t at = 0; at <= k->bytes - index_bytes; at += k->align) {
        if (!is_token_index(k->data + at))
            continue;
        k->token_index = at;
        if (find_tokens(k) && find_others(k))
            return true;
    }
    return false;
}

bool altpick_kallsyms_find(const struct altpick_image *image, struct altpick_kallsyms *ret_tables)
{
    struct altpick_kallsyms k = {.image = image, .steps_left = STEPS};

    if (image->is_relocatable)
        return false;
    /* Linux has them in .rodata; Xen's one section holds everything and is looked at last. */
    for (int code = 0; code <= 1; code++) {
        for (size_t i = 1; i < image->n_sections; i++) {
            const struct altpick_section *section = &image->sections[i];

            if (section->flags & SHF_ALLOC && section->data &&
                altpick_section_is_code(section) == (code == 1) &&
                find_in_section(image, section, &k)) {
                *ret_tables = k;
                return true;
            }
        }
    }
    return false;
}
