/* SPDX-License-Identifier: MIT */
/* What a session is to measure, what it may not run on this CPU, and how far it has come. */
#include "altpick/measure.h"

void altpick_plan_narrow(struct altpick_plan *plan, const struct altpick_question *question,
                         uint32_t conditions)
{
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        struct altpick_effort *effort = &plan->effort[c];

        if (!(conditions >> c & 1))
            effort->block_bytes = 0;
        /* A brief plan has as few layouts as an interval takes. */
        if (question->layouts_percent && !plan->brief)
            effort->layouts = effort->layouts * question->layouts_percent / 100;
    }
}

void altpick_session_mark_lacking(struct altpick_session *session, const struct altpick_cpu *cpu,
                                  uint32_t ring)
{
    for (uint32_t i = 0; i < session->n_candidates; i++) {
        if ((ring && session->candidates[i].ring0) ||
            !altpick_cpu_has_all(cpu, session->candidates[i].needs))
            session->state[i] = ALTPICK_CELL_LACKING;
    }
    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (!altpick_cpu_has_all(cpu, altpick_condition_needs(c)))
            session->lacking |= 1u << c;
    }
}

unsigned altpick_session_percent(const struct altpick_session *session)
{
    uint32_t done = 0, all = 1;

    for (unsigned c = 0; c < ALTPICK_N_CONDITIONS; c++) {
        if (session->plan.effort[c].block_bytes == 0)
            continue;
        done += session->layouts_done[c];
        all += session->plan.effort[c].layouts;
    }
    return done < all ? done * 100 / all : 100;
}

bool altpick_session_is_late(struct altpick_session *session, const struct altpick_timer *timer)
{
    if (timer->now(timer->ctx) > session->looks_until_ticks)
        session->out_of_time = 1;
    return session->out_of_time;
}
