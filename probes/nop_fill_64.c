/* SPDX-License-Identifier: MIT */
/* nop.fill.64: how to fill a gap of 1 to 64 bytes in 64-bit code. */
#include "altpick/decide.h"
#include "altpick/question.h"
#include "bytes.h"
#include "nop_forms.h"
#include "published.h"

#define QUESTION "nop.fill.64"

enum {
    K8_LONGEST = 4,    /* the K8 tables never put more than three 66 prefixes on a 90 */
    RUN_LONGEST = 8,   /* runs of 90 beyond this only lose further */
    PLAIN_LONGEST = 8, /* 0F1F without added prefixes, 6 bytes aside */
    PREFERRED_LONGEST = 11, /* recommended forms up to here have at most three prefixes */
    PREFERRED_PREFIXES = 3,
    JUMP_SHORTEST = 8,
    N_LENGTHS = ALTPICK_NOP_MAX,
    N_GAPS = 9,
    ITEM_LONGEST = N_LENGTHS,
    ITEM_PREFIXES,
    ITEM_GAPS,
    ITEM_JUMP = ITEM_GAPS + N_GAPS,
    N_ITEMS,
};

/* Gaps beyond one instruction are measured on this grid. */
static const uint32_t gaps[N_GAPS] = {16, 20, 24, 28, 32, 40, 48, 56, 64};

/* Candidates.  Everything a loop builds has a name with its length, so that names stay unique. */

struct list {
    struct altpick_candidate *candidates;
    size_t                    n;
};

static struct altpick_candidate *add(struct list *list, const char *name, uint32_t bytes)
{
    struct altpick_candidate *candidate = &list->candidates[list->n++];

    altpick_zero(candidate, sizeof *candidate);
    altpick_append(candidate->name, sizeof candidate->name, name);
    altpick_append(candidate->name, sizeof candidate->name, ".");
    altpick_append_u64(candidate->name, sizeof candidate->name, bytes);
    candidate->code_bytes = bytes;
    return candidate;
}

static void add_single(struct list *list, const char *name, uint32_t bytes,
                       void (*form)(uint8_t *, uint32_t))
{
    struct altpick_candidate *candidate = add(list, name, bytes);

    form(candidate->code, bytes);
    candidate->guarantees = 1u << ALTPICK_GUARANTEE_ONE_INSTRUCTION;
}

static void add_even(struct list *list, const char *name, uint32_t bytes, uint32_t pieces,
                     void (*form)(uint8_t *, uint32_t))
{
    altpick_nop_even(add(list, name, bytes)->code, bytes, pieces, form);
}

/* The nine-byte form that Linux uses, 2E first; gas and the manuals have 66. */
static void form_2e(uint8_t *code, uint32_t bytes)
{
    altpick_nop_recommended(code, bytes);
    code[0] = 0x2e;
}

/* Only 66 prefixes, where assemblers put a 2E last. */
static void form_66(uint8_t *code, uint32_t bytes)
{
    altpick_nop_recommended(code, bytes);
    for (uint32_t i = 0; i + PLAIN_LONGEST < bytes; i++)
        code[i] = 0x66;
}

/* A jump over single-byte NOPs. */
static void form_jump(uint8_t *code, uint32_t bytes)
{
    for (uint32_t i = 2; i < bytes; i++)
        code[i] = 0x90;
    code[0] = 0xeb;
    code[1] = (uint8_t) (bytes - 2);
}

static void add_jump(struct list *list, uint32_t bytes)
{
    struct altpick_candidate *candidate = add(list, "jmp", bytes);

    form_jump(candidate->code, bytes);
    candidate->branches = true;
}

static void add_length(struct list *list, uint32_t bytes)
{
    if (bytes > 2)
        add_single(list, "0f1f", bytes, altpick_nop_recommended);
    if (bytes == 9)
        add_single(list, "0f1f-2e", bytes, form_2e);
    if (bytes > 9)
        add_single(list, "0f1f-66", bytes, form_66);
    if (bytes > 1)
        add_single(list, "6690", bytes, altpick_nop_6690);
    if (bytes > K8_LONGEST)
        add_even(list, "k8", bytes, (bytes + K8_LONGEST - 1) / K8_LONGEST, altpick_nop_6690);
    if (bytes > PLAIN_LONGEST)
        add_even(list, "split", bytes, 2, altpick_nop_recommended);
    if (bytes == 1)
        add_single(list, "90", bytes, altpick_nop_6690);
    else if (bytes <= RUN_LONGEST)
        add_even(list, "90", bytes, bytes, altpick_nop_6690);
    if (bytes >= JUMP_SHORTEST)
        add_jump(list, bytes);
}

static uint32_t fewest_pieces(uint32_t bytes, uint32_t longest)
{
    return (bytes + longest - 1) / longest;
}

static void add_gap(struct list *list, uint32_t bytes)
{
    for (uint32_t n = fewest_pieces(bytes, ALTPICK_NOP_MAX);
         n <= fewest_pieces(bytes, PLAIN_LONGEST); n++) {
        char name[ALTPICK_NAME_MAX] = "even-";

        altpick_append_u64(name, sizeof name, n);
        add_even(list, name, bytes, n, altpick_nop_recommended);
    }
    add_even(list, "k8", bytes, fewest_pieces(bytes, K8_LONGEST), altpick_nop_6690);
    add(list, "optimum", bytes)->code_bytes = 0; /* known after the first batch: refine() */
    add_jump(list, bytes);
}

static size_t candidates(struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX])
{
    struct list list = {.candidates = ret};

    for (uint32_t bytes = 1; bytes <= ALTPICK_NOP_MAX; bytes++)
        add_length(&list, bytes);
    for (size_t i = 0; i < N_GAPS; i++)
        add_gap(&list, gaps[i]);
    return list.n;
}

static bool accepts(const uint8_t *code, size_t bytes)
{
    struct altpick_padding scan;

    return altpick_padding_scan(code, bytes, &scan);
}

/* Looking figures up: by bytes, never by name, so that decisions follow the code. */

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

static const struct altpick_measurement *find_even(const struct altpick_result *result, uint32_t bytes,
                                                   uint32_t pieces,
                                                   void (*form)(uint8_t *, uint32_t))
{
    uint8_t code[ALTPICK_CODE_MAX];

    altpick_nop_even(code, bytes, pieces, form);
    return find_code(result, code, bytes);
}

/* The full optimum from single costs: a shortest path over bytes, as a check on even splits. */

struct plan {
    uint64_t       cost_micro[ALTPICK_CODE_MAX + 1]; /* of the cheapest filling of n bytes */
    const uint8_t *last[ALTPICK_CODE_MAX + 1];       /* its last instruction */
    uint32_t       last_bytes[ALTPICK_CODE_MAX + 1];
};

/* Sum over the conditions measured so far; 0 where one that others have is missing. */
static uint64_t plain_sum(const struct altpick_result *result,
                          const struct altpick_measurement *measurement)
{
    uint64_t sum = 0;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (!result->condition[c].asked || result->condition[c].status != ALTPICK_STATUS_MEASURED)
            continue;
        if (!altpick_cost_is_known(&measurement->cost[c]))
            return 0;
        sum += measurement->cost[c].cycles_micro;
    }
    return sum;
}

static void plan_with(struct plan *plan, const struct altpick_result *so_far,
                      const struct altpick_measurement *measurement)
{
    struct altpick_padding scan;
    uint32_t                bytes = measurement->candidate.code_bytes;
    uint64_t                sum = plain_sum(so_far, measurement);

    if (sum == 0 || bytes > ALTPICK_NOP_MAX ||
        !altpick_padding_scan(measurement->candidate.code, bytes, &scan) || scan.instructions != 1 ||
        scan.jumps)
        return;
    for (uint32_t n = bytes; n <= ALTPICK_CODE_MAX; n++) {
        uint64_t cost = plan->cost_micro[n - bytes] + sum;

        if (plan->cost_micro[n - bytes] == UINT64_MAX || cost >= plan->cost_micro[n])
            continue;
        plan->cost_micro[n] = cost;
        plan->last[n] = measurement->candidate.code;
        plan->last_bytes[n] = bytes;
    }
}

static void write_plan(const struct plan *plan, uint32_t bytes, struct altpick_candidate *candidate)
{
    uint32_t left = bytes;

    if (plan->cost_micro[bytes] == UINT64_MAX)
        return;
    while (left > 0) {
        altpick_copy_bytes(candidate->code + bytes - left, plan->last[left], plan->last_bytes[left]);
        left -= plan->last_bytes[left];
    }
    candidate->code_bytes = bytes;
}

static void refine(const struct altpick_result *so_far,
                   struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX], size_t n)
{
    struct plan plan = {.cost_micro = {0}};
    size_t      gap = 0;

    for (size_t i = 1; i <= ALTPICK_CODE_MAX; i++)
        plan.cost_micro[i] = UINT64_MAX;
    /* As in the coin problem: after every coin was offered once for all sums, costs are final. */
    for (size_t i = 0; i < so_far->n_candidates; i++)
        plan_with(&plan, so_far, &so_far->candidates[i]);
    for (size_t i = 0; i < n && gap < N_GAPS; i++) {
        if (candidates[i].code_bytes == 0)
            write_plan(&plan, gaps[gap++], &candidates[i]);
    }
}

/* Contests. */

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
    uint8_t  code[ALTPICK_NOP_MAX];
    uint32_t bytes = candidate->code_bytes, at = 0;

    if (bytes <= ALTPICK_NOP_MAX) {
        altpick_nop_recommended(code, bytes);
        if (altpick_equal_bytes(code, candidate->code, bytes))
            return 0;
    }
    while (at + 1 < bytes && (candidate->code[at] == 0x66 || candidate->code[at] == 0x2e))
        at++;
    return candidate->code[at] == 0x0f ? 1 : 2;
}

/*
 * Ties keep the recommended form; then padding with at most three prefixes on a NOP, then the fewest
 * instructions, then what @previous chose, then the family, then the order of candidates.
 */
static uint32_t rank_of(const struct altpick_candidate *candidate, const struct altpick_padding *scan,
                        const uint8_t *previous, size_t order)
{
    uint8_t  code[ALTPICK_NOP_MAX];
    uint32_t bytes = candidate->code_bytes;
    bool     incumbent = previous && altpick_equal_bytes(candidate->code, previous, bytes);

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
static const uint8_t *previous_code(const struct altpick_policy *policy, size_t index)
{
    for (size_t i = 0; i < policy->n_previous; i++) {
        const struct altpick_decisions *previous = &policy->previous[i];
        const struct altpick_decision  *decision = &previous->decision[index];

        if (altpick_equal(previous->question->name, QUESTION) &&
            decision->winner != ALTPICK_NO_ENTRY &&
            decision->contest.entries[decision->winner].measurement)
            return decision->contest.entries[decision->winner].measurement->candidate.code;
    }
    return NULL;
}

/* Every candidate that fills @bytes bytes. */
static void add_entries(struct altpick_contest *contest, const struct altpick_result *result,
                        const struct altpick_policy *policy, uint32_t bytes, const uint8_t *previous)
{
    for (size_t i = 0; i < result->n_candidates; i++) {
        const struct altpick_measurement *measurement = &result->candidates[i];
        const struct altpick_candidate   *candidate = &measurement->candidate;
        struct altpick_padding            scan;
        struct altpick_entry             *entry;

        if (candidate->code_bytes != bytes || !altpick_padding_scan(candidate->code, bytes, &scan))
            continue;
        entry = altpick_contest_add(contest, candidate->name, measurement);
        entry->rank = rank_of(candidate, &scan, previous, contest->n_entries);
        entry->must_win_each = scan.jumps;
        entry->elsewhere = altpick_nop_elsewhere(candidate->code, bytes);
        entry->out = too_long(&scan, policy);
    }
}

static void item_length(struct altpick_contest *contest, const struct altpick_result *result,
                        const struct altpick_policy *policy, uint32_t bytes)
{
    add_entries(contest, result, policy, bytes, previous_code(policy, bytes - 1));
}

/*
 * Whether the single NOP of @bytes bytes loses clearly to two NOPs in the same bytes.  Decided on
 * figures alone, as a contest of its own between the two.
 */
static bool single_is_beaten(const struct altpick_contest *like, const struct altpick_result *result,
                             uint32_t bytes)
{
    struct altpick_contest            duel = *like;
    const struct altpick_measurement *single =
        find_even(result, bytes, 1, altpick_nop_recommended);
    const struct altpick_measurement *two = find_even(result, bytes, 2, altpick_nop_recommended);

    if (!single || !two)
        return false;
    duel.n_entries = 0;
    altpick_contest_add(&duel, "single", single);
    altpick_contest_add(&duel, "two", two);
    altpick_contest_sum(&duel);
    return altpick_contest_beats(&duel, &duel.entries[1], &duel.entries[0]);
}

/* The longest NOP. */

/*
 * What fills @bytes when no NOP is longer than @cap: one NOP, or several of equal length.  Up to the
 * cap it is the form that won its length, where that is one instruction.
 */
static const struct altpick_measurement *capped_fill(const struct altpick_result   *result,
                                                     const struct altpick_decision *lengths,
                                                     uint32_t bytes, uint32_t cap)
{
    void (*form)(uint8_t *, uint32_t) =
        cap <= K8_LONGEST ? altpick_nop_6690 : altpick_nop_recommended;

    if (bytes <= cap && lengths[bytes - 1].winner != ALTPICK_NO_ENTRY) {
        const struct altpick_decision    *decision = &lengths[bytes - 1];
        const struct altpick_measurement *winner =
            decision->contest.entries[decision->winner].measurement;
        struct altpick_padding scan;

        if (winner && altpick_padding_scan(winner->candidate.code, bytes, &scan) &&
            scan.instructions == 1 && !scan.jumps)
            return winner;
    }
    return find_even(result, bytes, fewest_pieces(bytes, cap), form);
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

static void cost_of_cap(struct altpick_entry *entry, const struct altpick_result *result,
                        const struct altpick_decision *lengths, uint32_t cap)
{
    static const struct altpick_cost none = {.status = ALTPICK_STATUS_UNMEASURED};

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
        entry->cost[c].status = ALTPICK_STATUS_MEASURED;
    for (uint32_t i = 0; i < N_LENGTHS + N_GAPS; i++) {
        uint32_t                          bytes = i < N_LENGTHS ? i + 1 : gaps[i - N_LENGTHS];
        const struct altpick_measurement *fill = capped_fill(result, lengths, bytes, cap);

        for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++)
            add_per_byte(&entry->cost[c], fill ? &fill->cost[c] : &none, bytes);
    }
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        entry->cost[c].cycles_micro /= N_LENGTHS + N_GAPS;
        entry->cost[c].low_micro /= N_LENGTHS + N_GAPS;
        entry->cost[c].high_micro /= N_LENGTHS + N_GAPS;
    }
}

/*
 * Caps 4 (the K8 sequences) and 5 to 15.  Cost: the mean over all measured gaps of cycles per byte.
 * Ties keep the largest cap of at most 11 bytes, the longest recommended form with three prefixes.
 * A cap whose single NOP loses to two shorter ones is not worth using, whatever the mean says.
 */
static void item_longest(struct altpick_contest *contest, const struct altpick_result *result,
                         const struct altpick_policy *policy, const struct altpick_decision *lengths)
{
    bool beaten = false;

    for (uint32_t cap = K8_LONGEST; cap <= ALTPICK_NOP_MAX; cap++) {
        char                  name[ALTPICK_NAME_MAX] = "";
        uint8_t               code[ALTPICK_NOP_MAX];
        struct altpick_entry *entry;

        beaten = beaten || (cap > PLAIN_LONGEST && single_is_beaten(contest, result, cap));
        altpick_append_u64(name, sizeof name, cap);
        entry = altpick_contest_add(contest, name, NULL);
        cost_of_cap(entry, result, lengths, cap);
        entry->rank = cap <= PREFERRED_LONGEST ? PREFERRED_LONGEST - cap : cap;
        altpick_nop_recommended(code, cap);
        entry->elsewhere = altpick_nop_elsewhere(code, cap);
        if (policy->max_nop_bytes && cap > policy->max_nop_bytes)
            entry->out = "longer than the policy allows";
        else if (beaten)
            entry->out = "loses to two shorter NOPs in the same bytes";
    }
}

/* The decided number of an item whose entries are named by numbers; @fallback without a winner. */
static uint32_t decided_number(const struct altpick_decision *decision, uint32_t fallback)
{
    uint32_t    number = 0;
    const char *digits;

    if (decision->winner == ALTPICK_NO_ENTRY)
        return fallback;
    for (digits = decision->contest.entries[decision->winner].name; *digits; digits++)
        number = number * 10 + (uint32_t) (*digits - '0');
    return number;
}

static void follow(struct altpick_contest *contest, int given, const char *text,
                   enum altpick_verdict verdict, int64_t distance_ppm)
{
    contest->given = given;
    contest->given_text = text;
    contest->given_verdict = verdict;
    contest->given_distance_ppm = distance_ppm;
}

/*
 * How many prefixes one NOP may have: counted on 0F1F84 with its eight bytes, up to the first length
 * at which two NOPs are clearly cheaper or which other CPUs veto.
 */
static void item_prefixes(struct altpick_contest *contest, const struct altpick_result *result,
                          const struct altpick_policy *policy)
{
    uint32_t             limit = 0;
    enum altpick_verdict verdict = ALTPICK_VERDICT_TIE;

    for (uint32_t n = 0; n <= ALTPICK_NOP_MAX - PLAIN_LONGEST; n++) {
        char    name[ALTPICK_NAME_MAX] = "";
        uint8_t code[ALTPICK_NOP_MAX];

        altpick_append_u64(name, sizeof name, n);
        altpick_contest_add(contest, name, NULL);
        altpick_nop_recommended(code, PLAIN_LONGEST + n);
        if (n == 0 || limit + 1 < n)
            continue;
        if (policy->target == ALTPICK_TARGET_ANY_X86_64 &&
            altpick_nop_elsewhere(code, PLAIN_LONGEST + n) != ALTPICK_ELSEWHERE_FINE)
            verdict = ALTPICK_VERDICT_VETOED;
        else if (single_is_beaten(contest, result, PLAIN_LONGEST + n))
            verdict = ALTPICK_VERDICT_CLEAR;
        else
            limit = n;
    }
    follow(contest, (int) limit, "one more prefix loses to two NOPs, or is vetoed", verdict,
           ALTPICK_DISTANCE_FAR);
}

/*
 * A gap keeps the even split with the longest NOP.  Any other sequence of NOPs is an exception that
 * a consumer must carry in a table: it must win by twice the margin.  (The full optimum beats the
 * even split by up to 6 % on some cores, by another sequence in every run.)
 */
static void item_gap(struct altpick_contest *contest, const struct altpick_result *result,
                     const struct altpick_policy *policy, const struct altpick_decision *longest,
                     uint32_t bytes, size_t index)
{
    uint8_t  code[ALTPICK_CODE_MAX];
    uint32_t cap = decided_number(longest, PLAIN_LONGEST);

    altpick_nop_even(code, bytes, fewest_pieces(bytes, cap),
                     cap <= K8_LONGEST ? altpick_nop_6690 : altpick_nop_recommended);
    add_entries(contest, result, policy, bytes, previous_code(policy, index));
    for (size_t i = 0; i < contest->n_entries; i++) {
        struct altpick_entry *entry = &contest->entries[i];

        if (altpick_equal_bytes(entry->measurement->candidate.code, code, bytes))
            entry->rank = 0;
        else if (!entry->must_win_each)
            entry->handicap_permille = contest->margin_permille;
    }
}

/* The smallest gap from which on a jump won every gap; it follows from those items. */
static void item_jump(struct altpick_contest *contest, const struct altpick_decision *gap)
{
    int     from = 0;
    int64_t distance_ppm = ALTPICK_DISTANCE_FAR;

    altpick_contest_add(contest, "never", NULL);
    for (size_t i = 0; i < N_GAPS; i++) {
        char name[ALTPICK_NAME_MAX] = "";

        altpick_append_u64(name, sizeof name, gaps[i]);
        altpick_contest_add(contest, name, NULL);
    }
    for (int i = N_GAPS - 1; i >= 0; i--) {
        const struct altpick_contest *gap_contest = &gap[i].contest;

        if (gap[i].winner == ALTPICK_NO_ENTRY || !gap_contest->entries[gap[i].winner].must_win_each)
            break;
        from = i + 1;
        if (gap[i].distance_ppm < distance_ppm)
            distance_ppm = gap[i].distance_ppm;
    }
    follow(contest, from, "follows from the gaps, where a jump must win in every condition",
           from ? ALTPICK_VERDICT_CLEAR : ALTPICK_VERDICT_TIE, distance_ppm);
}

static void item(size_t index, const struct altpick_result *result, const struct altpick_policy *policy,
                 const struct altpick_decision *earlier, struct altpick_contest *ret_contest)
{
    char     name[ALTPICK_NAME_MAX] = "";
    uint32_t bytes = 0;

    if (index < N_LENGTHS)
        bytes = (uint32_t) index + 1;
    else if (index >= ITEM_GAPS && index < ITEM_JUMP)
        bytes = gaps[index - ITEM_GAPS];

    if (bytes)
        altpick_append_u64(name, sizeof name, bytes);
    else
        altpick_append(name, sizeof name,
                       index == ITEM_LONGEST    ? "longest"
                       : index == ITEM_PREFIXES ? "prefix-limit"
                                                : "jump-from");
    altpick_contest_init(ret_contest, QUESTION, name, result, policy);
    if (index < N_LENGTHS)
        item_length(ret_contest, result, policy, bytes);
    else if (index == ITEM_LONGEST)
        item_longest(ret_contest, result, policy, earlier);
    else if (index == ITEM_PREFIXES)
        item_prefixes(ret_contest, result, policy);
    else if (index < ITEM_JUMP)
        item_gap(ret_contest, result, policy, &earlier[ITEM_LONGEST], bytes, index);
    else
        item_jump(ret_contest, &earlier[ITEM_GAPS]);
}

extern const struct altpick_question altpick_question_nop_fill_64;
const struct altpick_question        altpick_question_nop_fill_64 = {
           .name = QUESTION,
           .title = "how to fill a gap of 1 to 64 bytes in 64-bit code",
           .conditions = 1u << ALTPICK_HOT | 1u << ALTPICK_LEGACY_DECODE | 1u << ALTPICK_L1I_MISS,
           .candidates = candidates,
           .refine = refine,
           .accepts = accepts,
           .n_items = N_ITEMS,
           .item = item,
           .elsewhere = altpick_nop_elsewhere,
};
