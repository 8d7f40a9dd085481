/* SPDX-License-Identifier: MIT */
/* Turns decisions about NOPs into the one struct that every generator prints. */
#include "altpick/output.h"
#include "altpick/err.h"
#include "bodies.h"
#include "bytes.h"

enum { NUMBER_MAX = 1000000, JUMP_REL8 = 0xeb };

/* The decisions of one question, with the name that its items begin with. */
struct source {
    const struct altpick_decisions *decisions;
    const char *question;
};

/* The decision of item "@question.@suffix", or NULL; only one that has a winner. */
static const struct altpick_decision *find(const struct source *source, const char *suffix)
{
    char item[ALTPICK_NAME_MAX + 16] = "";

    altpick_append(item, sizeof item, source->question);
    altpick_append(item, sizeof item, ".");
    altpick_append(item, sizeof item, suffix);
    for (size_t i = 0; i < source->decisions->n_decisions; i++) {
        const struct altpick_decision *d = &source->decisions->decision[i];

        if (altpick_equal(d->contest.item, item))
            return d->winner >= 0 && (size_t) d->winner < d->contest.n_entries ? d : NULL;
    }
    return NULL;
}

static const struct altpick_decision *find_length(const struct source *source, uint32_t bytes)
{
    char suffix[12] = "";

    altpick_append_u64(suffix, sizeof suffix, bytes);
    return find(source, suffix);
}

static const struct altpick_entry *winner(const struct altpick_decision *d)
{
    return &d->contest.entries[d->winner];
}

/* Everything that keeps the preferred form reads the same: equal decisions, equal bytes. */
const char *altpick_decision_remark(const struct altpick_decision *d)
{
    if (d->displaced)
        return "clear";
    if (d->verdict == ALTPICK_VERDICT_PINNED)
        return "pinned";
    if (d->verdict == ALTPICK_VERDICT_ONLY_ELIGIBLE)
        return "only-eligible";
    return "kept";
}

/*
 * A profile is a file: what it calls a NOP is decoded before it is shipped as one.  A question that
 * knows more forms than those of 64-bit code says so itself; where it accepts none, all its code is
 * built in.
 */
static bool is_padding(const struct source *source, const uint8_t *code, size_t bytes)
{
    const struct altpick_question *question = source->decisions->question;
    struct altpick_padding padding;

    return altpick_padding_scan(code, bytes, &padding) ||
           (question && (!question->accepts || question->accepts(question, code, bytes)));
}

/* The winning code of @d, which must fill @bytes exactly. */
static int take_code(const struct source *source, const struct altpick_decision *d, uint32_t bytes,
                     struct altpick_string *ret)
{
    const struct altpick_measurement *m = winner(d)->measurement;

    if (!m || m->candidate.code_bytes != bytes || !is_padding(source, m->candidate.code, bytes))
        return ALTPICK_ENOFIT;
    altpick_copy_bytes(ret->code, m->candidate.code, bytes);
    ret->bytes = bytes;
    ret->remark = altpick_decision_remark(d);
    return ALTPICK_OK;
}

/* The winner's name as a number from @min to @max; @never (if any) is the name that means 0. */
static int take_number(const struct source *source, const char *suffix, uint32_t min, uint32_t max,
                       const char *never, uint32_t *ret, const char **ret_remark)
{
    const struct altpick_decision *d = find(source, suffix);
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
    *ret_remark = altpick_decision_remark(d);
    return ALTPICK_OK;
}

static int take_numbers(const struct source *source, struct altpick_nop_tables *tables)
{
    int r;

    r = take_number(source, "longest", 1, ALTPICK_NOP_BYTES_MAX, NULL, &tables->longest_nop_bytes,
                    &tables->longest_remark);
    if (r < 0)
        return r;
    r = take_number(source, "prefix-limit", 0, ALTPICK_NOP_BYTES_MAX - 1, NULL,
                    &tables->prefix_limit, &tables->prefix_remark);
    if (r < 0)
        return r;
    return take_number(source, "jump-from", 2, NUMBER_MAX, "never", &tables->jump_from_bytes,
                       &tables->jump_remark);
}

/* Whether @d replaces the even split.  Where a jump wins by figures, the jump threshold says so. */
static bool overrides(const struct altpick_decision *d)
{
    const struct altpick_measurement *m = winner(d)->measurement;

    if (d->verdict == ALTPICK_VERDICT_PINNED)
        return d->winner != d->preferred;
    return d->displaced && !(m && m->candidate.code[0] == JUMP_REL8);
}

/* The gap that item "@question.N" decides, 0 when it is another item or a length of the table. */
static uint32_t gap_of(const struct source *source, const struct altpick_decision *d)
{
    size_t prefix = altpick_length(source->question);
    const char *suffix = d->contest.item + prefix + 1;
    uint32_t gap = 0;

    if (!altpick_equal_bytes((const uint8_t *) d->contest.item, (const uint8_t *) source->question,
                             prefix) ||
        d->contest.item[prefix] != '.')
        return 0;
    for (; *suffix >= '0' && *suffix <= '9' && gap < NUMBER_MAX; suffix++)
        gap = gap * 10 + (uint32_t) (*suffix - '0');
    return *suffix || gap <= ALTPICK_NOP_BYTES_MAX ? 0 : gap;
}

static int take_gaps(const struct source *source, struct altpick_nop_tables *tables)
{
    for (size_t i = 0; i < source->decisions->n_decisions; i++) {
        const struct altpick_decision *d = &source->decisions->decision[i];
        uint32_t gap = gap_of(source, d);
        int r;

        if (gap == 0)
            continue;
        if (d->winner == ALTPICK_NO_ENTRY || gap > ALTPICK_NOP_GAP_MAX)
            return ALTPICK_ENOFIT;
        if (!overrides(d))
            continue;
        if (tables->n_gaps == ALTPICK_GAP_OVERRIDES_MAX)
            return ALTPICK_ENOSPACE;
        r = take_code(source, d, gap, &tables->gap[tables->n_gaps]);
        if (r < 0)
            return r;
        tables->n_gaps++;
    }
    return ALTPICK_OK;
}

/* Replace the forms of *tables by decided ones. */
static int take_fill(const struct source *source, struct altpick_nop_tables *tables)
{
    struct altpick_nop_tables taken = *tables;
    int r;

    taken.n_gaps = 0;
    taken.nop[0].remark = "kept";
    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_BYTES_MAX; bytes++) {
        const struct altpick_decision *d = find_length(source, bytes);

        if (!d)
            return ALTPICK_ENOFIT;
        r = take_code(source, d, bytes, &taken.nop[bytes]);
        if (r < 0)
            return r;
    }
    r = take_numbers(source, &taken);
    if (r == ALTPICK_OK)
        r = take_gaps(source, &taken);
    if (r == ALTPICK_OK)
        *tables = taken;
    return r;
}

/* The form of @bytes for both kinds of code; what 32-bit code would not take for a NOP is for one.
 */
static int take_text_poke(const struct source *source, uint32_t bytes,
                          struct altpick_string *ret_string64, struct altpick_string *ret_string32)
{
    const struct altpick_decision *d = find_length(source, bytes);
    struct altpick_string taken = *ret_string64;
    struct altpick_padding padding;
    bool is_padding32;
    int r;

    if (!d)
        return ALTPICK_ENOFIT;
    r = take_code(source, d, bytes, &taken);
    if (r < 0)
        return r;
    /* If not, such as LEA: its question knows it for one instruction. */
    is_padding32 = altpick_padding_scan(taken.code, bytes, &padding);
    if (is_padding32 && padding.instructions != 1)
        return ALTPICK_ENOFIT;
    *ret_string64 = taken;
    if (is_padding32)
        *ret_string32 = taken;
    return ALTPICK_OK;
}

static int take_text_pokes(const struct source *source, struct altpick_output *output)
{
    struct altpick_string two64 = output->nop64.text_poke2, two32 = output->nop32.text_poke2;
    int r = take_text_poke(source, 2, &two64, &two32);

    if (r == ALTPICK_OK)
        r = take_text_poke(source, 5, &output->nop64.text_poke5, &output->nop32.text_poke5);
    if (r < 0)
        return r;
    output->nop64.text_poke2 = two64;
    output->nop32.text_poke2 = two32;
    return ALTPICK_OK;
}

/* Longest NOP of the default: from the third prefix on, some published CPUs take many cycles. */
enum { DEFAULT_LONGEST = 10, DEFAULT_PREFIXES = 2 };

static const char by_default[] = "default";

static void recommend(uint32_t bytes, uint32_t longest, struct altpick_string *ret)
{
    altpick_nop_even(ret->code, bytes, (bytes + longest - 1) / longest, altpick_nop_recommended);
    ret->bytes = bytes;
    ret->remark = by_default;
}

static void recommend_all(uint32_t longest, struct altpick_nop_tables *ret)
{
    *ret = (struct altpick_nop_tables){
        .longest_nop_bytes = longest,
        .longest_remark = by_default,
        .prefix_limit = DEFAULT_PREFIXES,
        .prefix_remark = by_default,
        .jump_remark = by_default,
    };
    ret->nop[0].remark = by_default;
    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_BYTES_MAX; bytes++)
        recommend(bytes, longest, &ret->nop[bytes]);
    recommend(2, DEFAULT_LONGEST, &ret->text_poke2);
    recommend(5, DEFAULT_LONGEST, &ret->text_poke5);
}

/* The longest recommended NOP under a limit, 0 for none. */
static uint32_t longest_of(uint32_t max_nop_bytes)
{
    return max_nop_bytes && max_nop_bytes < DEFAULT_LONGEST ? max_nop_bytes : DEFAULT_LONGEST;
}

void altpick_output_begin(const struct altpick_question *const *questions, size_t n,
                          uint32_t max_nop_bytes, struct altpick_output *ret_output)
{
    uint32_t longest = longest_of(max_nop_bytes);

    *ret_output = (struct altpick_output){.target = ALTPICK_TARGET_ANY_X86_64};
    recommend_all(longest, &ret_output->nop64);
    recommend_all(longest, &ret_output->nop32);
    ret_output->bodies.fpu_init_xcr0 = ret_output->bodies.xstate_xcr0 = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        if (questions[i]->emits && questions[i]->emits->begin)
            questions[i]->emits->begin(questions[i], &ret_output->bodies);
    }
}

static int emit_fill_64(const struct altpick_machine *machine, const struct altpick_policy *policy,
                        const struct altpick_question *question,
                        const struct altpick_decisions *decisions, struct altpick_output *output)
{
    const struct source source = {decisions, question->name};

    (void) machine;
    (void) policy;
    return take_fill(&source, &output->nop64);
}

static int emit_fill_32(const struct altpick_machine *machine, const struct altpick_policy *policy,
                        const struct altpick_question *question,
                        const struct altpick_decisions *decisions, struct altpick_output *output)
{
    const struct source source = {decisions, question->name};

    (void) machine;
    (void) policy;
    return take_fill(&source, &output->nop32);
}

static int emit_text_poke(const struct altpick_machine *machine,
                          const struct altpick_policy *policy,
                          const struct altpick_question *question,
                          const struct altpick_decisions *decisions, struct altpick_output *output)
{
    const struct source source = {decisions, question->name};

    (void) machine;
    (void) policy;
    return take_text_pokes(&source, output);
}

const struct altpick_emitting altpick_emits_nop_fill_64 = {.take = emit_fill_64};
const struct altpick_emitting altpick_emits_nop_fill_32 = {.take = emit_fill_32};
const struct altpick_emitting altpick_emits_nop_text_poke = {.take = emit_text_poke};

int altpick_output_take(const struct altpick_machine *machine, const struct altpick_policy *policy,
                        const struct altpick_decisions *decisions, struct altpick_output *output)
{
    const struct altpick_question *question = decisions->question;
    int r = ALTPICK_OK;

    if (question->emits)
        r = question->emits->take(machine, policy, question, decisions, output);
    if (r < 0)
        return r;
    output->machine = machine;
    output->target = policy->target;
    return ALTPICK_OK;
}
