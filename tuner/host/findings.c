/* SPDX-License-Identifier: MIT */
/* Turns what decoding a candidate showed into the state of a cell and of a guarantee. */
#include "findings.h"

#include "decode_check.h"

#include <signal.h>

/* What tuner/core/fault.c knows signals by. */
_Static_assert(SIGILL == 4 && SIGTRAP == 5 && SIGBUS == 7 && SIGFPE == 8 && SIGSEGV == 11,
               "numbers of signals");

void altpick_findings_decode(struct altpick_session *session, unsigned bits)
{
    for (uint32_t i = 0; i < session->n_candidates; i++) {
        const struct altpick_candidate *candidate = &session->candidates[i];

        if (session->state[i] == ALTPICK_CELL_ACTIVE && !session->checked[i] &&
            altpick_decode_count(bits, candidate->code, candidate->code_bytes) == 0)
            session->state[i] = ALTPICK_CELL_BREACHED;
    }
}

void altpick_findings_count(unsigned bits, struct altpick_measurement *measurement)
{
    const struct altpick_candidate *candidate = &measurement->candidate;

    if (candidate->code_bytes)
        altpick_findings_find(measurement, ALTPICK_GUARANTEE_ONE_INSTRUCTION,
                              altpick_decode_count(bits, candidate->code, candidate->code_bytes) ==
                                  1);
}

const char *altpick_findings_left_out(unsigned condition)
{
    return condition == ALTPICK_STREAMED    ? "only measured with --thorough"
           : condition == ALTPICK_CONTENDED ? "needs a second CPU that this process may use"
                                            : "not measured";
}
