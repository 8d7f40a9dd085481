/* SPDX-License-Identifier: MIT */
/* What a session may not run on this CPU, and how far it has come. */
#include "altpick/measure.h"

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
    if (session->looks_until_ticks && timer->now(timer->ctx) > session->looks_until_ticks)
        session->out_of_time = 1;
    return session->out_of_time;
}
