/* SPDX-License-Identifier: MIT */
/* The contests about filling gaps.  Figures are found by bytes, never by name: decisions follow
 * code. */
#include "bytes.h"
#include "nop_fill.h"

enum {
    PREFERRED_LONGEST = 11, /* recommended forms up to here have at most three prefixes */
    PREFERRED_PREFIXES = 3,
};

static const struct altpick_measurement *find_code(const struct altpick_result *result,
                                                   const uint8_t *code, size_t bytes)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_candidate *candidate = &result->candidates[i].candidate;

        if (candidate->code_bytes == bytes && altpick_equal_bytes(candidate->code, code, bytes))
            return &result->candidates[i];
    }
    return NULL;
}

static const struct altpick_measurement *find_even(const struct altpick_result *result,
                                                   uint32_t bytes, uint32_t pieces,
                                                   void (*form)(uint8_t *, uint32_t))
{
    uint8_t code[ALTPICK_NOP_GAP_MAX];

    altpick_nop_even(code, bytes, pieces, form);
    return find_code(result, code, bytes);
}

static const char toxic_here[] = "costs far more than its bytes need on this machine";

static bool is_toxic_here(const struct altpick_policy *policy, const struct altpick_result *result,
                          const uint8_t *code, size_t bytes)
{
    return policy->toxic_by && policy->toxic_by(result, code, bytes);
}

/* Padding that a policy's --max-nop forbids. */
static const char *too_long(const struct altpick_padding *scan, const struct altpick_policy *policy)
{
    return policy->max_nop_bytes && scan->longest_bytes > policy->max_nop_bytes
               ? "has a NOP longer than the policy allows"
               : NULL;
}

/*
 * Last preference among equals, by bytes so that a name carries no weight: what assemblers write,
 * other 0F1F forms, 90 forms.
 */
static uint32_t family_of(const struct altpick_candidate *candidate)
{
    uint8_t code[ALTPICK_NOP_LONGEST];
    uint32_t bytes = candidate->code_bytes, at = 0;

    if (bytes <= ALTPICK_NOP_LONGEST) {
        altpick_nop_recommended(code, bytes);
        if (altpick_equal_bytes(code, candidate->code, bytes))
            return 0;
    }
    while (at + 1 < bytes && (candidate->code[at] == 0x66 || candidate->code[at] == 0x2e))
        at++;
    return candidate->code[at] == 0x0f ? 1 : 2;
}

/*
 * Ties keep the recommended form; then padding with at most three prefixes on a NOP, then the
 * fewest instructions, then what @previous chose, then the family, then the order of candidates.
 */
static uint32_t rank_of(const struct altpick_candidate *candidate,
                        const struct altpick_padding *scan, const uint8_t *previous, size_t order)
{
    uint8_t code[ALTPICK_NOP_LONGEST];
    uint32_t bytes = candidate->code_bytes;
    bool incumbent = previous && altpick_equal_bytes(candidate->code, previous, bytes);

    if (bytes <= PREFERRED_LONGEST) {
        altpick_nop_recommended(code, bytes);
        if (altpick_equal_bytes(code, candidate->code, bytes))
            return 0;
    }
    return 1 + (scan->jumps ? 1000000u : 0) + (scan->prefixes > PREFERRED_PREFIXES ? 100000u : 0) +
           scan->instructions * 1000u +
           (incumbent ? 0 : 1 + family_of(candidate) * ALTPICK_ENTRIES_MAX + (uint32_t) order);
}

/* What @previous decisions chose for the same item, or NULL. */
static const uint8_t *previous_code(const struct altpick_policy *policy, const char *question,
                                    size_t index)
{
    for (size_t i = 0; i < policy->n_previous; i++) {
        const struct altpick_decisions *previous = &policy->previous[i];
        const struct altpick_decision *decision = &previous->decision[index];

        if (altpick_equal(previous->question->name, question) &&
            decision->winner != ALTPICK_NO_ENTRY &&
            decision->contest.entries[decision->winner].measurement)
            return decision->contest.entries[decision->winner].measurement->candidate.code;
    }
    return NULL;
}

/* Every candidate that fills @bytes bytes. */
static void add_entries(struct altpick_contest *contest, const struct altpick_question *question,
                        const struct altpick_result *result, const struct altpick_policy *policy,
                        uint32_t bytes, const uint8_t *previous)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_measurement *measurement = &result->candidates[i];
        const struct altpick_candidate *candidate = &measurement->candidate;
        struct altpick_padding scan;
        struct altpick_entry *entry;

        if (candidate->code_bytes != bytes ||
            !altpick_padding_scan_in(question->bits, candidate->code, bytes, &scan))
            continue;
        entry = altpick_contest_add(contest, candidate->name, measurement);
        entry->rank = rank_of(candidate, &scan, previous, contest->n_entries);
        entry->must_win_each = scan.jumps;
        entry->elsewhere = altpick_policy_elsewhere(policy, candidate->code, bytes);
        entry->out = too_long(&scan, policy);
        if (!entry->out && is_toxic_here(policy, result, candidate->code, bytes)) {
            entry->out = toxic_here;
            entry->weak = true;
        }
    }
}

static void item_length(struct altpick_contest *contest, const struct altpick_question *question,
                        const struct altpick_result *result, const struct altpick_policy *policy,
                        uint32_t bytes)
{
    add_entries(contest, question, result, policy, bytes,
                previous_code(policy, contest->question, bytes - 1));
}

/* What two NOPs in the bytes of a single one are to it. */
enum duel { SINGLE_STAYS, SINGLE_MAY_LOSE, SINGLE_IS_BEATEN };

/* Decided on figures alone, as a contest of its own between the two. */
static enum duel duel_of(const struct altpick_contest *like, const struct altpick_result *result,
                         uint32_t bytes)
{
    struct altpick_contest duel;
    const struct altpick_measurement *single = find_even(result, bytes, 1, altpick_nop_recommended);
    const struct altpick_measurement *two = find_even(result, bytes, 2, altpick_nop_recommended);
    int64_t gain, low, high;

    if (!single || !two)
        return SINGLE_STAYS;
    altpick_contest_like(&duel, like);
    altpick_contest_add(&duel, "single", single);
    altpick_contest_add(&duel, "two", two);
    altpick_contest_sum(&duel);
    if (altpick_contest_beats(&duel, &duel.entries[1], &duel.entries[0]))
        return SINGLE_IS_BEATEN;
    if (duel.entries[0].sum.status != ALTPICK_STATUS_MEASURED ||
        duel.entries[1].sum.status != ALTPICK_STATUS_MEASURED)
        return SINGLE_STAYS;
    altpick_gain(&duel.entries[1].sum, &duel.entries[0].sum, &gain, &low, &high);
    return high > (int64_t) duel.margin_permille * 1000 ? SINGLE_MAY_LOSE : SINGLE_STAYS;
}

static bool single_is_beaten(const struct altpick_contest *like,
                             const struct altpick_result *result, uint32_t bytes)
{
    return duel_of(like, result, bytes) == SINGLE_IS_BEATEN;
}

/* The longest NOP. */

/*
 * What fills @bytes when no NOP is longer than @cap: one NOP, or several of equal length.  Up to
 * the cap it is the form that won its length, where that is one instruction.
 */
static const struct altpick_measurement *capped_fill(const struct altpick_question *question,
                                                     const struct altpick_result *result,
                                                     const struct altpick_decision *lengths,
                                                     uint32_t bytes, uint32_t cap)
{
    void (*form)(uint8_t *, uint32_t) =
        cap <= NOP_K8_LONGEST ? altpick_nop_6690 : altpick_nop_recommended;

    if (bytes <= cap && lengths[bytes - 1].winner != ALTPICK_NO_ENTRY) {
        const struct altpick_decision *decision = &lengths[bytes - 1];
        const struct altpick_measurement *winner =
            decision->contest.entries[decision->winner].measurement;
        struct altpick_padding scan;

        if (winner &&
            altpick_padding_scan_in(question->bits, winner->candidate.code, bytes, &scan) &&
            scan.instructions == 1 && !scan.jumps)
            return winner;
    }
    return find_even(result, bytes, altpick_nop_fewest_pieces(bytes, cap), form);
}

/* Add @fill's cost per byte of the gap to @sum; a missing figure makes the sum unmeasured. */
static void add_per_byte(struct altpick_cost *sum, const struct altpick_cost *fill, uint32_t bytes)
{
    if (!altpick_cost_is_known(fill)) {
        sum->status = ALTPICK_STATUS_UNMEASURED;
        return;
    }
    sum->cycles_micro += fill->cycles_micro / bytes;
    sum->low_micro += fill->low_micro / bytes;
    sum->high_micro += fill->high_micro / bytes;
    sum->count = sum->count && sum->count < fill->count ? sum->count : fill->count;
}

static void cost_of_cap(struct altpick_entry *entry, const struct altpick_question *question,
                        const struct altpick_result *result, const struct altpick_decision *lengths,
                        uint32_t cap)
{
    static const struct altpick_cost none = {.status = ALTPICK_STATUS_UNMEASURED};

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
        entry->cost[c].status = ALTPICK_STATUS_MEASURED;
    for (uint32_t i = 0; i < NOP_LENGTHS + NOP_GAPS; i++) {
        uint32_t bytes = i < NOP_LENGTHS ? i + 1 : altpick_nop_gaps[i - NOP_LENGTHS];
        const struct altpick_measurement *fill = capped_fill(question, result, lengths, bytes, cap);

        for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
            add_per_byte(&entry->cost[c], fill ? &fill->cost[c] : &none, bytes);
    }
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        entry->cost[c].cycles_micro /= NOP_LENGTHS + NOP_GAPS;
        entry->cost[c].low_micro /= NOP_LENGTHS + NOP_GAPS;
        entry->cost[c].high_micro /= NOP_LENGTHS + NOP_GAPS;
    }
}

/*
 * Caps 4 (the K8 sequences) and 5 to 15.  Cost: the mean over all measured gaps of cycles per byte.
 * Ties keep the largest cap of at most 11 bytes, the longest recommended form with three prefixes.
 * A cap whose single NOP loses to two shorter ones is not worth using, whatever the mean says.
 */
static void item_longest(struct altpick_contest *contest, const struct altpick_question *question,
                         const struct altpick_result *result, const struct altpick_policy *policy,
                         const struct altpick_decision *lengths)
{
    bool beaten = false;

    for (uint32_t cap = NOP_K8_LONGEST; cap <= ALTPICK_NOP_LONGEST; cap++) {
        char name[ALTPICK_NAME_MAX] = "";
        uint8_t code[ALTPICK_NOP_LONGEST];
        struct altpick_entry *entry;

        beaten = beaten || (cap > NOP_PLAIN_LONGEST && single_is_beaten(contest, result, cap));
        altpick_append_u64(name, sizeof name, cap);
        entry = altpick_contest_add(contest, name, NULL);
        cost_of_cap(entry, question, result, lengths, cap);
        entry->rank = cap <= PREFERRED_LONGEST ? PREFERRED_LONGEST - cap : cap;
        altpick_nop_recommended(code, cap);
        entry->elsewhere = altpick_policy_elsewhere(policy, code, cap);
        if (policy->max_nop_bytes && cap > policy->max_nop_bytes)
            entry->out = "longer than the policy allows";
        else if (is_toxic_here(policy, result, code, cap))
            entry->out = toxic_here;
        else if (beaten)
            entry->out = "loses to two shorter NOPs in the same bytes";
        entry->weak = entry->out && !(policy->max_nop_bytes && cap > policy->max_nop_bytes);
    }
}

/* The decided number of an item whose entries are named by numbers; @fallback without a winner. */
static uint32_t decided_number(const struct altpick_decision *decision, uint32_t fallback)
{
    uint32_t number = 0;
    const char *digits;

    if (decision->winner == ALTPICK_NO_ENTRY)
        return fallback;
    for (digits = decision->contest.entries[decision->winner].name; *digits; digits++)
        number = number * 10 + (uint32_t) (*digits - '0');
    return number;
}

void altpick_nop_follow(struct altpick_contest *contest, int given, const char *text,
                        enum altpick_verdict verdict, int64_t distance_ppm)
{
    contest->given = given;
    contest->given_text = text;
    contest->given_verdict = verdict;
    contest->given_distance_ppm = distance_ppm;
}

static bool has_figures(const struct altpick_measurement *measurement)
{
    bool known = false;

    for (unsigned c = 0; measurement && c < ALTPICK_N_CONDITIONS; c++)
        known = known || altpick_cost_is_known(&measurement->cost[c]);
    return known;
}

/* Whether there is more than an estimate of one NOP of @bytes bytes, and of two. */
static bool can_compare(const struct altpick_result *result, uint32_t bytes)
{
    return has_figures(find_even(result, bytes, 1, altpick_nop_recommended)) &&
           has_figures(find_even(result, bytes, 2, altpick_nop_recommended));
}

/*
 * How many prefixes one NOP may have: counted on 0F1F84 with its eight bytes, up to the first
 * length at which two NOPs are clearly cheaper or which other CPUs veto.  More than three only by
 * figures.
 */
static void item_prefixes(struct altpick_contest *contest, const struct altpick_result *result,
                          const struct altpick_policy *policy)
{
    uint32_t limit = 0;
    enum altpick_verdict verdict = ALTPICK_VERDICT_TIE;
    bool open = false;

    for (uint32_t n = 0; n <= ALTPICK_NOP_LONGEST - NOP_PLAIN_LONGEST; n++) {
        char name[ALTPICK_NAME_MAX] = "";
        uint8_t code[ALTPICK_NOP_LONGEST];

        altpick_append_u64(name, sizeof name, n);
        altpick_contest_add(contest, name, NULL);
        altpick_nop_recommended(code, NOP_PLAIN_LONGEST + n);
        if (n == 0 || limit + 1 < n)
            continue;
        if (policy->target == ALTPICK_TARGET_ANY_X86_64 &&
            altpick_policy_elsewhere(policy, code, NOP_PLAIN_LONGEST + n) != ALTPICK_ELSEWHERE_FINE)
            verdict = ALTPICK_VERDICT_VETOED;
        else if (single_is_beaten(contest, result, NOP_PLAIN_LONGEST + n) ||
                 is_toxic_here(policy, result, code, NOP_PLAIN_LONGEST + n))
            verdict = ALTPICK_VERDICT_CLEAR;
        else if (n > PREFERRED_PREFIXES && !can_compare(result, NOP_PLAIN_LONGEST + n))
            verdict = ALTPICK_VERDICT_UNMEASURED;
        else {
            open = open || duel_of(contest, result, NOP_PLAIN_LONGEST + n) == SINGLE_MAY_LOSE;
            limit = n;
        }
    }
    /* What was passed because noise hid a loss is no firm limit. */
    if (open && !altpick_result_is_published(result) &&
        (verdict == ALTPICK_VERDICT_CLEAR || verdict == ALTPICK_VERDICT_TIE))
        verdict = ALTPICK_VERDICT_UNDECIDED;
    altpick_nop_follow(contest, (int) limit, "one more prefix loses to two NOPs, or is vetoed",
                       verdict, ALTPICK_DISTANCE_FAR);
}

/*
 * A gap keeps the even split with the longest NOP.  Any other sequence of NOPs is an exception that
 * a consumer must carry in a table: it must win by twice the margin.  (The full optimum beats the
 * even split by up to 6 % on some cores, by another sequence in every run.)
 */
static void item_gap(struct altpick_contest *contest, const struct altpick_question *question,
                     const struct altpick_result *result, const struct altpick_policy *policy,
                     const struct altpick_decision *longest, uint32_t bytes, size_t index)
{
    uint8_t code[ALTPICK_NOP_GAP_MAX];
    uint32_t cap = decided_number(longest, NOP_PLAIN_LONGEST);

    altpick_nop_even(code, bytes, altpick_nop_fewest_pieces(bytes, cap),
                     cap <= NOP_K8_LONGEST ? altpick_nop_6690 : altpick_nop_recommended);
    add_entries(contest, question, result, policy, bytes,
                previous_code(policy, contest->question, index));
    contest->exempt = 1u << ALTPICK_GUARANTEE_ONE_INSTRUCTION; /* no instruction is so long */
    altpick_contest_note(
        contest, "exception",
        "another sequence of NOPs is an exception: it must win by twice the margin",
        ALTPICK_NO_ENTRY);
    for (size_t i = 0; i < contest->n_entries; i++) {
        struct altpick_entry *entry = &contest->entries[i];

        if (altpick_equal_bytes(entry->measurement->candidate.code, code, bytes))
            entry->rank = 0;
        else if (!entry->must_win_each)
            entry->handicap_permille = contest->margin_permille;
    }
}

void altpick_nop_item(const struct altpick_question *question, size_t index,
                      const struct altpick_result *result, const struct altpick_policy *policy,
                      const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    char name[ALTPICK_NAME_MAX] = "";
    uint32_t bytes = 0;

    if (index < NOP_LENGTHS)
        bytes = (uint32_t) index + 1;
    else if (index >= NOP_ITEM_GAPS && index < NOP_ITEM_JUMP)
        bytes = altpick_nop_gaps[index - NOP_ITEM_GAPS];

    if (bytes)
        altpick_append_u64(name, sizeof name, bytes);
    else
        altpick_append(name, sizeof name,
                       index == NOP_ITEM_LONGEST    ? "longest"
                       : index == NOP_ITEM_PREFIXES ? "prefix-limit"
                                                    : "jump-from");
    altpick_contest_init(ret_contest, question, name, result, policy);
    ret_contest->needs_nothing = true;
    if (index < NOP_LENGTHS)
        item_length(ret_contest, question, result, policy, bytes);
    else if (index == NOP_ITEM_LONGEST)
        item_longest(ret_contest, question, result, policy, earlier);
    else if (index == NOP_ITEM_PREFIXES)
        item_prefixes(ret_contest, result, policy);
    else if (index < NOP_ITEM_JUMP)
        item_gap(ret_contest, question, result, policy, &earlier[NOP_ITEM_LONGEST], bytes, index);
    else
        altpick_nop_item_jump(ret_contest, &earlier[NOP_ITEM_LONGEST], &earlier[NOP_ITEM_GAPS]);
}
