/* SPDX-License-Identifier: MIT */
/* What the questions about filling gaps with NOPs share: lengths, gaps, candidates, contests. */
#ifndef ALTPICK_PROBES_NOP_FILL_H
#define ALTPICK_PROBES_NOP_FILL_H

#include "altpick/decide.h"
#include "altpick/nop.h"
#include "altpick/profile.h"
#include "altpick/question.h"

enum {
    NOP_K8_LONGEST = 4,    /* the K8 tables never put more than three 66 prefixes on a 90 */
    NOP_PLAIN_LONGEST = 8, /* 0F1F without added prefixes, 6 bytes aside */
    NOP_LENGTHS = ALTPICK_NOP_LONGEST,
    NOP_GAPS = 9,
};

/* Items, in this order: a length each, then what they lead to, then the gaps. */
enum {
    NOP_ITEM_LONGEST = NOP_LENGTHS,
    NOP_ITEM_PREFIXES,
    NOP_ITEM_GAPS,
    NOP_ITEM_JUMP = NOP_ITEM_GAPS + NOP_GAPS,
    NOP_N_ITEMS,
};

/* Gaps beyond one instruction are measured on this grid; the last is ALTPICK_NOP_GAP_MAX at most.
 */
extern const uint32_t altpick_nop_gaps[NOP_GAPS];

/* ceil(@bytes / @longest). */
uint32_t altpick_nop_fewest_pieces(uint32_t bytes, uint32_t longest);

/*
 * Members of struct altpick_question for gaps in 64-bit or 32-bit code.  In 32-bit code there are
 * LEA and MOV forms as well; refine() writes the optimum of single costs; whole NOPs are accepted.
 */
size_t altpick_nop_candidates(const struct altpick_question *question,
                              struct altpick_candidate ret[ALTPICK_CANDIDATES_MAX]);
void altpick_nop_refine(const struct altpick_question *question,
                        const struct altpick_result *so_far,
                        struct altpick_candidate candidates[ALTPICK_CANDIDATES_MAX], size_t n);
bool altpick_nop_accepts(const struct altpick_question *question, const uint8_t *code,
                         size_t bytes);
void altpick_nop_item(const struct altpick_question *question, size_t index,
                      const struct altpick_result *result, const struct altpick_policy *policy,
                      const struct altpick_decision *earlier, struct altpick_contest *ret_contest);

/*
 * Whether @result is of published figures and by them some NOP of @code costs more than twice and
 * more than one cycle above the best filling of its bytes on that machine.
 */
altpick_toxic_by altpick_nop_toxic_here;

/*
 * The smallest gap from which on a jump won every gap.  @longest: the decision about the longest
 * NOP, @gap: those about gaps.
 */
void altpick_nop_item_jump(struct altpick_contest *contest, const struct altpick_decision *longest,
                           const struct altpick_decision *gap);

/* Let other items decide @contest. */
void altpick_nop_follow(struct altpick_contest *contest, int given, const char *text,
                        enum altpick_verdict verdict, int64_t distance_ppm);

#endif
