/* SPDX-License-Identifier: MIT */
/* Checks a table of decisions and the sites of an image, then writes the one into the other. */
#include "patch.h"

enum { ECX = 2, EDX = 3, OSXSAVE = 27, ROWS = 16 };

/* An image without a site has neither section. */
#define BOUND __attribute__((weak, visibility("hidden")))
extern const struct altpick_patch_site __start_altpick_sites[] BOUND, __stop_altpick_sites[] BOUND;
extern const char __start_altpick_names[] BOUND, __stop_altpick_names[] BOUND;

/* Volatile: a tool writes it after the compiler has seen it. */
static const volatile struct altpick_patch_mark own_mark
    __attribute__((section("altpick_mark"), used)) = {
        .magic = "altpick-mark", .version = ALTPICK_PATCH_VERSION, .xcr0 = ~0u};

static const void *at(const struct altpick_patch_table *table, size_t offset)
{
    return (const uint8_t *) table + offset;
}

/* Volatile, so that no compiler makes a call of memcpy() of it. */
static void copy(volatile uint8_t *to, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

static int is_equal(const volatile char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* Whether @n things of @size bytes at @offset are inside the table. */
static int holds(const struct altpick_patch_table *table, size_t offset, size_t n, size_t size)
{
    return (offset % 4 == 0 || size == 1) && offset <= table->bytes &&
           n <= (table->bytes - offset) / size;
}

static int are_needs(const volatile struct altpick_patch_need *need, size_t n)
{
    while (n > 0 && need->reg <= EDX && need->bit < 32 && !need->zero[0] && !need->zero[1])
        n--, need++;
    return n == 0;
}

/* Gaps of up to 15 bytes are code, and longer ones code or made of those. */
static int are_pads(const struct altpick_patch_table *table, size_t offset)
{
    const struct altpick_patch_pad *pad = at(table, offset);
    size_t n = 0;

    if (!holds(table, offset, ALTPICK_PATCH_SITE_MAX + 1, sizeof *pad))
        return 0;
    while (n <= ALTPICK_PATCH_SITE_MAX && holds(table, pad->code, pad->bytes, 1) &&
           (n < ROWS ? !pad->pieces && pad->bytes == n
                     : pad->bytes <= n && n <= (pad->pieces ? pad->pieces * 15u : n)))
        n++, pad++;
    return n > ALTPICK_PATCH_SITE_MAX;
}

static int is_entry(const struct altpick_patch_table *t, const struct altpick_patch_entry *e)
{
    const struct altpick_patch_fixup *f = at(t, e->fixups);
    size_t end = 0, n = e->n_fixups;

    if (!holds(t, e->name, 1, 1) || !holds(t, e->code, e->code_bytes, 1) ||
        !holds(t, e->data, e->data_bytes, 1) || !holds(t, e->fixups, n, sizeof *f) ||
        !holds(t, e->needs, e->n_needs, sizeof(struct altpick_patch_need)) ||
        !are_needs(at(t, e->needs), e->n_needs) || e->kinds - 1u > 2 || e->exact > 1 ||
        e->zero[0] || e->zero[1])
        return 0;
    for (; n > 0 && (f->bytes == 1 || f->bytes == 4) && f->at >= end && !f->zero &&
           f->at + f->bytes <= f->end && f->end <= e->code_bytes;
         n--, f++)
        end = f->end;
    return n == 0;
}

static int is_table(const struct altpick_patch_table *t, size_t bytes)
{
    const struct altpick_patch_entry *e;
    size_t n;

    if ((uintptr_t) t % 64 || bytes < sizeof *t || t->bytes > bytes || t->bytes < sizeof *t ||
        !is_equal(t->magic, "altpick-patches") || t->version != ALTPICK_PATCH_VERSION ||
        t->zero[0] || t->zero[1] || *(const uint8_t *) at(t, t->bytes - 1u) ||
        !holds(t, t->entries, t->n_entries, sizeof(struct altpick_patch_entry)) ||
        !are_pads(t, t->pads[0]) || !are_pads(t, t->pads[1]))
        return 0;
    for (e = at(t, t->entries), n = t->n_entries; n > 0 && is_entry(t, e); n--)
        e++;
    return n == 0;
}

static void fill(const struct altpick_patch_table *table, int is_32, volatile uint8_t *to, size_t n)
{
    const struct altpick_patch_pad *pads = at(table, table->pads[is_32]);
    size_t count = pads[n].pieces ? pads[n].pieces : 1, each = n / count, longer = n % count;

    for (size_t i = 0, bytes; i < count; i++, to += bytes) {
        bytes = i < longer ? each + 1 : each;
        copy(to, at(table, pads[bytes].code), pads[bytes].bytes);
        for (size_t j = pads[bytes].bytes; j < bytes; j++)
            to[j] = 0x90; /* jumped over */
    }
}

/* Let displacements that were right @by bytes further on reach the same targets. */
static int move(const struct altpick_patch_fixup *f, size_t n, int is_32, uint64_t by, uint8_t *to)
{
    for (; n > 0; n--, f++) {
        unsigned shift = 64u - 8u * f->bytes;
        uint64_t value = 0;

        for (unsigned i = 0; i < f->bytes; i++)
            value |= (uint64_t) to[f->at + i] << 8 * i;
        value = (uint64_t) ((int64_t) (value << shift) >> shift) + by;
        value = is_32 ? (uint64_t) (int32_t) value : value; /* where addresses wrap */
        if ((uint64_t) ((int64_t) (value << shift) >> shift) != value)
            return 0;
        for (unsigned i = 0; i < f->bytes; i++)
            to[f->at + i] = (uint8_t) (value >> 8 * i);
    }
    return 1;
}

static void cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
    (void) ctx;
    r[0] = leaf, r[ECX] = subleaf;
    __asm__ volatile("cpuid" : "+a"(r[0]), "=b"(r[1]), "+c"(r[ECX]), "=d"(r[EDX]) : : "memory");
}

/* Whether the CPU has all of @need, and XCR0 no bit beside those of @may. */
static int meets(const struct altpick_patcher *p, const volatile struct altpick_patch_need *need,
                 size_t n, uint32_t may)
{
    void (*ask)(void *, uint32_t, uint32_t, uint32_t[4]) = p->cpuid ? p->cpuid : cpuid;
    uint64_t xcr0 = 0;
    uint32_t r[4];

    if (n == 0 && may == ~0u)
        return 1; /* not asked in vain: it takes long where CPUID is intercepted */
    ask(p->ctx, 1, 0, r);
    if (r[ECX] >> OSXSAVE & 1 && p->xgetbv0) {
        xcr0 = p->xgetbv0(p->ctx);
    } else if (r[ECX] >> OSXSAVE & 1) {
        __asm__ volatile("xgetbv" : "=a"(r[0]), "=d"(r[EDX]) : "c"(0));
        xcr0 = (uint64_t) r[EDX] << 32 | r[0];
    }
    for (; n > 0; n--, need++) {
        ask(p->ctx, need->leaf & 0x80000000u, 0, r); /* the last leaf, or anything */
        if (r[0] < need->leaf || (r[0] ^ need->leaf) >> 16)
            return 0;
        ask(p->ctx, need->leaf, need->subleaf, r);
        if (!(r[need->reg] >> need->bit & 1) || (need->xcr0 & ~xcr0))
            return 0;
    }
    return may == ~0u || !(xcr0 & ~(uint64_t) may);
}

static uintptr_t address_of(const int32_t *field)
{
    return (uintptr_t) field + (uintptr_t) (intptr_t) *field;
}

static int fail(struct altpick_patch_result *result, int error, const char *why)
{
    result->why = why;
    return error;
}

/* Make what a site, whose record is right, gets.  Returns its fate. */
static int make(const struct altpick_patcher *p, struct altpick_patch_result *result)
{
    const struct altpick_patch_table *t = p->table;
    const struct altpick_patch_entry *e = at(t, t->entries);
    uintptr_t code = address_of(&result->site->site);
    size_t i = 0, bytes = result->site->bytes;
    int is_32 = result->site->flags;

    while (i < t->n_entries && !(e->kinds >> is_32 & 1 && is_equal(result->item, at(t, e->name))))
        i++, e++;
    if (i == t->n_entries)
        return ALTPICK_PATCH_UNKNOWN;
    if (e->code_bytes > bytes || (e->exact && e->code_bytes != bytes))
        return fail(result, ALTPICK_PATCH_EWRONG, "what was decided does not fit into it");
    copy(result->bytes, at(t, e->code), e->code_bytes);
    fill(t, is_32, result->bytes + e->code_bytes, bytes - e->code_bytes);
    if (!move(at(t, e->fixups), e->n_fixups, is_32,
              (uint64_t) (intptr_t) ((uintptr_t) at(t, e->code) - code), result->bytes))
        return fail(result, ALTPICK_PATCH_EWRONG, "what was decided does not reach its target");
    return meets(p, at(t, e->needs), e->n_needs, e->xcr0) ? ALTPICK_PATCH_APPLIED
                                                          : ALTPICK_PATCH_LACKING;
}

/* Whether @n bytes at @a meet @m bytes at @b.  Either may end where memory does. */
static int overlap(uintptr_t a, size_t n, const volatile void *b, size_t m)
{
    return a - (uintptr_t) b < m || (m && (uintptr_t) b - a < n);
}

/* Check the record of @site; then as make(). */
static int examine(const struct altpick_patcher *p, const struct altpick_patch_site *site,
                   struct altpick_patch_result *result)
{
    const struct altpick_patch_site *other = p->sites ? p->sites : __start_altpick_sites;
    const struct altpick_patch_site *end = p->sites ? p->sites_end : __stop_altpick_sites;
    const char *names = p->names ? p->names : __start_altpick_names;
    const char *names_end = p->names ? p->names_end : __stop_altpick_names;
    uintptr_t code = address_of(&site->site), before = code - (uintptr_t) p->text;
    size_t n = site->bytes, names_bytes = (uintptr_t) names_end - (uintptr_t) names;

    result->site = site;
    result->item = "";
    if (address_of(&site->item) - (uintptr_t) names >= names_bytes || names_end[-1])
        return fail(result, ALTPICK_PATCH_EWRONG, "its name lies elsewhere");
    result->item = (const char *) address_of(&site->item);
    if (site->version != 1 || site->flags > 1 || !n || site->default_bytes > n)
        return fail(result, ALTPICK_PATCH_EWRONG, "its record is malformed");
    if (before > p->text_bytes || n > p->text_bytes - before ||
        overlap(code, n, other, (uintptr_t) end - (uintptr_t) other) ||
        overlap(code, n, names, names_bytes) || overlap(code, n, p->table, p->table->bytes) ||
        overlap(code, n, p->mark ? p->mark : &own_mark, sizeof own_mark))
        return fail(result, ALTPICK_PATCH_EWRONG, "it lies outside of the code");
    for (; other < site; other++) {
        if (overlap(code, n, (const void *) address_of(&other->site), other->bytes))
            return fail(result, ALTPICK_PATCH_EWRONG, "it overlaps another");
    }
    return make(p, result);
}

/* The mark, then the table. */
static int check(const struct altpick_patcher *p, struct altpick_patch_result *result)
{
    const volatile struct altpick_patch_mark *mark = p->mark ? p->mark : &own_mark;

    result->item = result->why = "";
    if (!is_equal(mark->magic, "altpick-mark") || mark->version != ALTPICK_PATCH_VERSION ||
        mark->applied > 1 || mark->n_needs > ALTPICK_PATCH_NEEDS_MAX ||
        !are_needs(mark->needs, mark->n_needs))
        return fail(result, ALTPICK_PATCH_EWRONG, "the mark of the image is malformed");
    if (mark->applied && !meets(p, mark->needs, mark->n_needs, mark->xcr0))
        return fail(result, ALTPICK_PATCH_ECPU, "the image was patched for a CPU that has more");
    result->beforehand = mark->applied != 0;
    if (p->table && !is_table(p->table, p->table_bytes))
        return fail(result, ALTPICK_PATCH_EWRONG, "the table is malformed or of another version");
    return 0;
}

int altpick_patch_apply(const struct altpick_patcher *p, struct altpick_patch_result *ret)
{
    const struct altpick_patch_site *first = p->sites ? p->sites : __start_altpick_sites, *site;
    const struct altpick_patch_site *end = p->sites ? p->sites_end : __stop_altpick_sites;
    int r;

    for (size_t i = 0; i < sizeof *ret; i++)
        ((volatile uint8_t *) ret)[i] = 0;
    r = check(p, ret);
    if (r < 0 || !p->table || ret->beforehand)
        return r;
    if (end < first || (uintptr_t) first % 4 ||
        ((uintptr_t) end - (uintptr_t) first) % sizeof *site)
        return fail(ret, ALTPICK_PATCH_EWRONG, "the list of sites is malformed");
    for (site = first; site < end; site++, ret->n_sites++) {
        if ((r = examine(p, site, ret)) < 0)
            return r;
        ret->n[r]++;
        if (p->tell)
            p->tell(p->ctx, site, (enum altpick_patch_fate) r, r ? NULL : ret->bytes);
    }
    for (site = first, r = 0; p->poke && r >= 0 && site < end; site++) {
        r = examine(p, site, ret);
        if (r == ALTPICK_PATCH_APPLIED &&
            p->poke(p->ctx, (void *) address_of(&site->site), ret->bytes, site->bytes))
            r = fail(ret, ALTPICK_PATCH_EPOKE, "it could not be written");
    }
    cpuid(NULL, 0, 0, (uint32_t[4]){0}); /* serialises, also where not all could be written */
    if (r >= 0)
        r = 0, ret->site = NULL, ret->item = "";
    return r;
}
