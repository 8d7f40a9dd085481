/* SPDX-License-Identifier: MIT */
/* Turns decisions about NOPs into the one struct that every generator prints. */
#include "altpick/output.h"
#include "altpick/err.h"
#include "bytes.h"

enum { NUMBER_MAX = 1000000, JUMP_REL8 = 0xeb };

/* The decision of item "nop.fill.64.@suffix", or NULL; only one that has a winner. */
static const struct altpick_decision *find(const struct altpick_decisions *decisions,
                                           const char *suffix)
{
    char item[ALTPICK_NAME_MAX + 16] = "nop.fill.64.";

    altpick_append(item, sizeof item, suffix);
    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_decision *d = &decisions->decision[i];

        if (altpick_equal(d->contest.item, item))
            return d->winner >= 0 && (size_t) d->winner < d->contest.n_entries ? d : NULL;
    }
    return NULL;
}

static const struct altpick_decision *find_length(const struct altpick_decisions *decisions,
                                                  uint32_t bytes)
{
    char suffix[12] = "";

    altpick_append_u64(suffix, sizeof suffix, bytes);
    return find(decisions, suffix);
}

static const struct altpick_entry *winner(const struct altpick_decision *d)
{
    return &d->contest.entries[d->winner];
}

/* Everything that keeps the preferred form reads the same: equal decisions, equal bytes. */
static const char *remark(const struct altpick_decision *d)
{
    if (d->displaced)
        return "clear";
    if (d->verdict == ALTPICK_VERDICT_PINNED)
        return "pinned";
    if (d->verdict == ALTPICK_VERDICT_ONLY_ELIGIBLE)
        return "only-eligible";
    return "kept";
}

/* A profile is a file: what it calls a NOP is decoded before it is shipped as one. */
static bool is_padding(const uint8_t *code, size_t bytes)
{
    struct altpick_padding padding;

    return altpick_padding_scan(code, bytes, &padding);
}

/* The winning code of @d, which must fill @bytes exactly. */
static int take_code(const struct altpick_decision *d, uint32_t bytes, struct altpick_string *ret)
{
    const struct altpick_measurement *m = winner(d)->measurement;

    if (!m || m->candidate.code_bytes != bytes || !is_padding(m->candidate.code, bytes))
        return ALTPICK_ENOFIT;
    altpick_copy_bytes(ret->code, m->candidate.code, bytes);
    ret->bytes = bytes;
    ret->remark = remark(d);
    return ALTPICK_OK;
}

/* The winner's name as a number from @min to @max; @never (if any) is the name that means 0. */
static int take_number(const struct altpick_decisions *decisions, const char *suffix, uint32_t min,
                       uint32_t max, const char *never, uint32_t *ret, const char **ret_remark)
{
    const struct altpick_decision *d = find(decisions, suffix);
    uint32_t value = 0;

    if (!d)
        return ALTPICK_ENOFIT;
    if (!never || !altpick_equal(winner(d)->name, never)) {
        for (const char *p = winner(d)->name; *p; p++) {
            if (*p < '0' || *p > '9' || value > NUMBER_MAX)
                return ALTPICK_ENOFIT;
            value = value * 10 + (uint32_t) (*p - '0');
        }
        if (value < min || value > max || !winner(d)->name[0])
            return ALTPICK_ENOFIT;
    }
    *ret = value;
    *ret_remark = remark(d);
    return ALTPICK_OK;
}

static int take_numbers(const struct altpick_decisions *decisions, struct altpick_output *output)
{
    int r;

    r = take_number(decisions, "longest", 1, ALTPICK_NOP_BYTES_MAX, NULL,
                    &output->longest_nop_bytes, &output->longest_remark);
    if (r < 0)
        return r;
    r = take_number(decisions, "prefix-limit", 0, ALTPICK_NOP_BYTES_MAX - 1, NULL,
                    &output->prefix_limit, &output->prefix_remark);
    if (r < 0)
        return r;
    return take_number(decisions, "jump-from", 2, NUMBER_MAX, "never", &output->jump_from_bytes,
                       &output->jump_remark);
}

/* Whether @d replaces the even split.  Where a jump wins by figures, the jump threshold says so. */
static bool overrides(const struct altpick_decision *d)
{
    const struct altpick_measurement *m = winner(d)->measurement;

    if (d->verdict == ALTPICK_VERDICT_PINNED)
        return d->winner != d->preferred;
    return d->displaced && !(m && m->candidate.code[0] == JUMP_REL8);
}

/* The gap that item "nop.fill.64.N" decides, 0 when it is another item or a length of the table. */
static uint32_t gap_of(const struct altpick_decision *d)
{
    static const char prefix[] = "nop.fill.64.";
    const char *suffix = d->contest.item + sizeof prefix - 1;
    uint32_t gap = 0;

    if (!altpick_equal_bytes((const uint8_t *) d->contest.item, (const uint8_t *) prefix,
                             sizeof prefix - 1))
        return 0;
    for (; *suffix >= '0' && *suffix <= '9' && gap < NUMBER_MAX; suffix++)
        gap = gap * 10 + (uint32_t) (*suffix - '0');
    return *suffix || gap <= ALTPICK_NOP_BYTES_MAX ? 0 : gap;
}

static int take_gaps(const struct altpick_decisions *decisions, struct altpick_output *output)
{
    for (size_t i = 0; i < decisions->n_decisions; i++) {
        const struct altpick_decision *d = &decisions->decision[i];
        uint32_t gap = gap_of(d);
        int r;

        if (gap == 0)
            continue;
        if (d->winner == ALTPICK_NO_ENTRY)
            return ALTPICK_ENOFIT;
        if (!overrides(d))
            continue;
        if (output->n_gaps == ALTPICK_GAP_OVERRIDES_MAX)
            return ALTPICK_ENOSPACE;
        r = take_code(d, gap, &output->gap[output->n_gaps]);
        if (r < 0)
            return r;
        output->n_gaps++;
    }
    return ALTPICK_OK;
}

int altpick_output_build(const struct altpick_machine *machine, const struct altpick_policy *policy,
                         const struct altpick_decisions *nop_fill_64,
                         struct altpick_output *ret_output)
{
    struct altpick_output output = {.machine = machine, .target = policy->target};
    int r;

    output.nop[0].remark = "kept";
    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_BYTES_MAX; bytes++) {
        const struct altpick_decision *d = find_length(nop_fill_64, bytes);

        if (!d)
            return ALTPICK_ENOFIT;
        r = take_code(d, bytes, &output.nop[bytes]);
        if (r < 0)
            return r;
    }
    r = take_numbers(nop_fill_64, &output);
    if (r < 0)
        return r;
    r = take_gaps(nop_fill_64, &output);
    if (r < 0)
        return r;
    *ret_output = output;
    return ALTPICK_OK;
}

/* Longest NOP of the default: from the third prefix on, some published CPUs take many cycles. */
enum { DEFAULT_LONGEST = 10, DEFAULT_PREFIXES = 2 };

void altpick_output_default(struct altpick_output *ret_output)
{
    static const char why[] = "default";

    *ret_output = (struct altpick_output){
        .target = ALTPICK_TARGET_ANY_X86_64,
        .longest_nop_bytes = DEFAULT_LONGEST,
        .longest_remark = why,
        .prefix_limit = DEFAULT_PREFIXES,
        .prefix_remark = why,
        .jump_remark = why,
    };
    ret_output->nop[0].remark = why;
    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_BYTES_MAX; bytes++) {
        struct altpick_string *nop = &ret_output->nop[bytes];

        altpick_nop_even(nop->code, bytes, bytes > DEFAULT_LONGEST ? 2 : 1,
                         altpick_nop_recommended);
        nop->bytes = bytes;
        nop->remark = why;
    }
}
