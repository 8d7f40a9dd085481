/* SPDX-License-Identifier: MIT */
/* Findings about this machine, for a mail or for a program. */
#include "altpick/json.h"
#include "doctor.h"
#include "table.h"

static size_t count(const struct altpick_doctor_finding *findings, size_t n,
                    enum altpick_doctor_level level)
{
    size_t of_level = 0;

    for (size_t i = 0; i < n; i++)
        of_level += findings[i].level == level;
    return of_level;
}

/* The answer in one line: whether there is any trust, then how many findings stand against it. */
static void verdict_line(const struct altpick_doctor_facts *facts,
                         const struct altpick_doctor_finding *findings, size_t n,
                         struct altpick_out *out)
{
    size_t bad = count(findings, n, ALTPICK_DOCTOR_BAD);
    size_t notes = count(findings, n, ALTPICK_DOCTOR_NOTE);

    altpick_line(out, 2, "this machine is %s: %zu bad, %zu note%s, %zu ok",
                 !altpick_trust_is_usable(facts->verdict.trust) ? "not fit to measure on"
                 : bad                                          ? "fit to measure on, but badly"
                                                                : "fit to measure on",
                 bad, notes, notes == 1 ? "" : "s", n - bad - notes);
}

void altpick_doctor_text(const struct altpick_doctor_facts *facts,
                         const struct altpick_doctor_finding *findings, size_t n,
                         struct altpick_out *out)
{
    struct altpick_table table;

    verdict_line(facts, findings, n, out);
    altpick_printf(out, "\n");
    altpick_table_init(&table, "llll", 0);
    for (size_t i = 0; i < n; i++) {
        const char *row[][3] = {
            {findings[i].name, altpick_doctor_level_name(findings[i].level), "found"},
            {"",               "",                                           "means"},
            {"",               "",                                           "do"   },
        };
        const char *text[] = {findings[i].found, findings[i].means, findings[i].remedy};

        for (size_t k = 0; k < 3 && text[k]; k++) {
            for (size_t column = 0; column < 3; column++)
                altpick_table_cell(&table, "%s", row[k][column]);
            altpick_table_cell(&table, "%s", text[k]);
        }
    }
    altpick_table_print(&table, out);
}

void altpick_doctor_json(const struct altpick_doctor_finding *findings, size_t n,
                         struct altpick_out *out)
{
    struct altpick_json json;

    altpick_json_init(&json, out);
    altpick_json_object(&json, NULL);
    altpick_json_text(&json, "format", "altpick-doctor");
    altpick_json_u64(&json, "version", 1);
    altpick_json_array(&json, "findings");
    for (size_t i = 0; i < n; i++) {
        altpick_json_object(&json, NULL);
        altpick_json_text(&json, "name", findings[i].name);
        altpick_json_text(&json, "level", altpick_doctor_level_name(findings[i].level));
        altpick_json_text(&json, "found", findings[i].found);
        altpick_json_text(&json, "means", findings[i].means);
        altpick_json_text(&json, "do", findings[i].remedy ? findings[i].remedy : "nothing");
        altpick_json_end(&json);
    }
    altpick_json_end(&json);
    altpick_json_end(&json);
    altpick_json_finish(&json);
}
