/* SPDX-License-Identifier: MIT */
/* Compares a saved state with the one that should be there, and notes what is not as it should. */
#include "leak.h"

#include "bytes.h"
#include "look_run.h"

/* The bytes of a register that differ where they can be seen: from first to last, or none. */
struct range {
    bool any;
    uint32_t first, last; /* in the area */
};

static struct range differ(const uint8_t *a, const uint8_t *b, const uint8_t *mask, uint32_t at,
                           uint32_t bytes)
{
    struct range range = {false, 0, 0};

    for (uint32_t i = at; i < at + bytes; i++) {
        if (!((a[i] ^ b[i]) & mask[i]))
            continue;
        if (!range.any)
            range.first = i;
        range.any = true;
        range.last = i;
    }
    return range;
}

/* Whether both tell of one thing, which happens again or in another register. */
static bool is_same(const struct altpick_leak_finding *a, const struct altpick_leak_finding *b)
{
    return a->scene == b->scene && a->part == b->part && a->holder == b->holder &&
           a->expected == b->expected && a->whose == b->whose && a->owner == b->owner;
}

static void note(struct altpick_leak_findings *findings, const struct altpick_leak_finding *one,
                 bool first_of_look)
{
    struct altpick_leak_finding *at = findings->finding;

    while (at < findings->finding + findings->n && !is_same(at, one))
        at++;
    if (at == findings->finding + ALTPICK_LEAK_FINDINGS) {
        findings->lost++;
        return;
    }
    if (at == findings->finding + findings->n) {
        findings->n++;
        altpick_copy_bytes((uint8_t *) at, (const uint8_t *) one, sizeof *one);
        at->count = 1;
        return;
    }
    at->registers |= one->registers;
    at->first = one->first < at->first ? one->first : at->first;
    at->last = one->last > at->last ? one->last : at->last;
    if (first_of_look)
        at->count++;
}

/* What one look works with. */
struct look {
    struct altpick_leak *leak;
    const struct altpick_leak_trial *trial;
    const uint8_t *area;
};

static struct altpick_leak_finding describe(const struct look *look, unsigned part_number,
                                            unsigned index, struct range range)
{
    const struct altpick_leak_part *part = &altpick_leak_parts[part_number];
    const struct altpick_xstate *xstate = look->leak->xstate;
    uint32_t at = altpick_leak_at(xstate, part, index);
    struct altpick_leak_finding finding = {
        .scene = look->trial->scene,
        .part = (uint8_t) part_number,
        .holder = look->trial->holds.owner,
        .expected = look->trial->wants.owner,
        .registers = UINT32_C(1) << index,
        .first = (uint16_t) (range.first - at),
        .last = (uint16_t) (range.last - at),
        .sample_register = (uint8_t) (part->first_register + index),
        .sample_at = (uint16_t) (range.first - at),
    };

    finding.whose = (uint8_t) altpick_leak_tell(xstate, part, index, look->area, look->leak->wanted,
                                                look->leak->mask, &finding.owner);
    for (uint32_t i = range.first; i <= range.last && finding.n_sample < ALTPICK_LEAK_SAMPLE; i++) {
        finding.seen[finding.n_sample] = look->area[i];
        finding.wanted[finding.n_sample++] = look->leak->wanted[i];
    }
    return finding;
}

/* Look at all registers of a part; returns how many are not as they should be. */
static unsigned compare_part(const struct look *look, unsigned part_number)
{
    const struct altpick_leak_part *part = &altpick_leak_parts[part_number];
    const struct altpick_leak *leak = look->leak;
    /* A switch may lose what its save leaves out. */
    bool may_be_initial = look->trial->may_be_initial >> part->bit & 1 || part->shows;
    unsigned bad = 0;

    for (unsigned i = 0; i < part->registers; i++) {
        uint32_t at = altpick_leak_at(leak->xstate, part, i);
        struct range range = differ(look->area, leak->wanted, leak->mask, at, part->bytes);
        struct altpick_leak_finding finding;

        if (!range.any ||
            (may_be_initial && !differ(look->area, leak->initial, leak->mask, at, part->bytes).any))
            continue;
        finding = describe(look, part_number, i, range);
        note(leak->findings, &finding, bad++ == 0);
    }
    return bad;
}

unsigned altpick_leak_compare(struct altpick_leak *leak, const struct altpick_leak_trial *trial,
                              uint8_t *area)
{
    struct look look = {leak, trial, area};
    unsigned bad = 0;

    altpick_look_normalise(leak->xstate, area);
    altpick_leak_make(leak->xstate, trial->wants, leak->wanted);
    leak->looks++;
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
        if (altpick_leak_has(leak->xstate, &altpick_leak_parts[i]) &&
            (leak->has_environment || !altpick_leak_parts[i].shows))
            bad += compare_part(&look, i);
    }
    return bad;
}
