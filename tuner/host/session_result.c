/* SPDX-License-Identifier: MIT */
/* Turns what a session measured and found into a result in memory of its own. */
#include "session.h"

#include "altpick/stop.h"
#include "diag.h"
#include "findings.h"

#include <stdlib.h>

int altpick_hosted_session_result(struct altpick_hosted_session *hosted,
                                  struct altpick_result *ret_result, struct altpick_diag *diag)
{
    const struct altpick_result_source source = {
        .question = hosted->question,
        .cpu = hosted->cpu,
        .session = hosted->session,
        .conditions = hosted->conditions,
        .unreached = altpick_stop_unreached(hosted->session, hosted->reached_percent),
        .reached_percent = hosted->reached_percent,
        .unsupported = hosted->unsupported,
        .stuck_ms = hosted->stuck_ms,
        .left_out = altpick_findings_left_out,
    };
    size_t n = hosted->session->n_candidates;
    struct altpick_measurement *candidates = calloc(n, sizeof *candidates);
    int r;

    if (!candidates)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", hosted->question->name);
    r = altpick_result_make(&source, candidates, n, ret_result);
    if (r < 0) {
        free(candidates);
        return altpick_fail(diag, r, "%s: %s", hosted->question->name, altpick_err_text(r));
    }
    for (size_t i = 0; i < n; i++)
        altpick_findings_count(hosted->question->bits, &candidates[i]);
    return ALTPICK_OK;
}
