/* SPDX-License-Identifier: MIT */
/* Writes what was found: lines for people, or one JSON document. */
#include "print.h"

#include "altpick/json.h"

#include <string.h>

enum { NAME_WIDTH = 14 };

static uint64_t looks_of(const struct altpick_scene_result *result)
{
    uint64_t looks = 0;

    for (unsigned i = 0; i < ALTPICK_HELD_MEMBERS; i++)
        looks += result->share[i].looks;
    return looks;
}

static bool leaks(const struct altpick_scene_result *result)
{
    for (unsigned i = 0; i < ALTPICK_HELD_MEMBERS; i++) {
        if (result->share[i].findings.n)
            return true;
    }
    return false;
}

/* Why a scene says nothing; NULL where it was played. */
static const char *why_not(const struct altpick_scene_result *result)
{
    if (*result->cannot)
        return result->cannot;
    return altpick_scene_times(result) == 0 ? "nothing happened while a state was held" : NULL;
}

static const char *verdict_of(const struct altpick_scene_result *result)
{
    if (leaks(result))
        return "leak";
    return why_not(result) ? "not-tested" : "clean";
}

int altpick_leak_report_status(const struct altpick_leak_report *report)
{
    int status = 0;

    for (unsigned i = 0; i < ALTPICK_SCENES; i++) {
        if (!report->played[i].scene)
            continue;
        if (leaks(report->played[i].result))
            return 1;
        if (why_not(report->played[i].result) &&
            !(report->played[i].scene->moves && report->cpus[1] < 0))
            status = 3;
    }
    return status;
}

void altpick_leak_print_start(struct altpick_out *out, const struct altpick_leak_report *report)
{
    altpick_out_text(out, "altpick-leak on CPU ");
    altpick_out_u64(out, (uint64_t) report->cpus[0]);
    altpick_out_text(out, ", components 0x");
    altpick_out_hex(out, report->leak->xstate->xcr0, 1);
    altpick_out_text(out, "\n");
    altpick_leak_say_parts(out, report->leak);
}

/* Components that were in use where everything should have been initial: no bits, but a trace. */
static void say_used(struct altpick_out *out, const struct altpick_scene_result *result)
{
    uint64_t used = 0, looks = 0;

    for (unsigned i = 0; i < ALTPICK_HELD_MEMBERS; i++) {
        used |= result->share[i].used;
        looks += result->share[i].n_used;
    }
    if (!used)
        return;
    altpick_out_text(out, "  note: initial, but in use (XINUSE 0x");
    altpick_out_hex(out, used, 1);
    altpick_out_text(out, ") in ");
    altpick_out_u64(out, looks);
    altpick_out_text(out, looks == 1 ? " look\n" : " looks\n");
}

void altpick_leak_print_scene(struct altpick_out *out, const struct altpick_leak_report *report,
                              unsigned i)
{
    const struct altpick_scene_result *result = report->played[i].result;
    const char *name = report->played[i].scene->name, *why = why_not(result);

    altpick_out_text(out, name);
    for (size_t k = strlen(name); k < NAME_WIDTH; k++)
        altpick_out_text(out, " ");
    altpick_out_text(out, verdict_of(result));
    altpick_out_text(out, ", ");
    altpick_out_u64(out, altpick_scene_times(result));
    altpick_out_text(out, " times, ");
    altpick_out_u64(out, looks_of(result));
    altpick_out_text(out, " looks\n");
    if (why) {
        altpick_out_text(out, "  cannot be tested: ");
        altpick_out_text(out, why);
        altpick_out_text(out, "\n");
    }
    for (unsigned k = 0; k < ALTPICK_HELD_MEMBERS; k++) {
        const struct altpick_leak_findings *findings = &result->share[k].findings;

        for (uint32_t f = 0; f < findings->n; f++) {
            altpick_out_text(out, "LEAK ");
            altpick_leak_say(out, &findings->finding[f], altpick_scene_owner_names);
        }
        if (findings->lost) {
            altpick_out_text(out, "  and ");
            altpick_out_u64(out, findings->lost);
            altpick_out_text(out, " more that there was no room for\n");
        }
    }
    say_used(out, result);
}

void altpick_leak_print_end(struct altpick_out *out, const struct altpick_leak_report *report)
{
    int status = altpick_leak_report_status(report);

    if (status == 0)
        altpick_out_text(out, "result: clean\n");
    else if (status == 1)
        altpick_out_text(out, "result: LEAK\n");
    else
        altpick_out_text(out, "result: clean as far as tested; not all could be\n");
}

/* --- JSON ------------------------------------------------------------------------------------- */

static const char *whose_text(const struct altpick_leak_finding *finding)
{
    if (finding->whose == ALTPICK_LEAK_IS_INITIAL)
        return "initial";
    if (finding->whose == ALTPICK_LEAK_IS_UNKNOWN)
        return "unknown";
    return finding->owner == finding->expected ? "own" : "other";
}

static void print_finding(struct altpick_json *json, const struct altpick_leak_finding *finding)
{
    const struct altpick_leak_part *part = &altpick_leak_parts[finding->part];

    altpick_json_object(json, NULL);
    altpick_json_text(json, "where", finding->scene);
    altpick_json_text(json, "holder", altpick_scene_owner_names[finding->holder]);
    altpick_json_text(json, "expected", altpick_scene_owner_names[finding->expected]);
    altpick_json_text(json, "whose", whose_text(finding));
    if (finding->whose == ALTPICK_LEAK_IS_OWNER)
        altpick_json_text(json, "owner", altpick_scene_owner_names[finding->owner]);
    altpick_json_text(json, "part", part->name);
    altpick_json_text(json, "register", part->register_name);
    altpick_json_u64(json, "first_register", part->first_register);
    altpick_json_hex(json, "registers", finding->registers);
    altpick_json_u64(json, "first_byte", part->from + (uint64_t) finding->first);
    altpick_json_u64(json, "last_byte", part->from + (uint64_t) finding->last);
    altpick_json_u64(json, "looks", finding->count);
    altpick_json_code(json, "seen", finding->seen, finding->n_sample);
    altpick_json_code(json, "wanted", finding->wanted, finding->n_sample);
    altpick_json_end(json);
}

static void print_played(struct altpick_json *json, const struct altpick_scene *scene,
                         const struct altpick_scene_result *result)
{
    uint64_t used = 0;

    altpick_json_object(json, NULL);
    altpick_json_text(json, "scene", scene->name);
    altpick_json_text(json, "verdict", verdict_of(result));
    if (why_not(result))
        altpick_json_text(json, "reason", why_not(result));
    altpick_json_u64(json, "times", altpick_scene_times(result));
    altpick_json_u64(json, "looks", looks_of(result));
    altpick_json_array(json, "findings");
    for (unsigned i = 0; i < ALTPICK_HELD_MEMBERS; i++) {
        for (uint32_t k = 0; k < result->share[i].findings.n; k++)
            print_finding(json, &result->share[i].findings.finding[k]);
        used |= result->share[i].used;
    }
    altpick_json_end(json);
    altpick_json_hex(json, "initial_but_in_use", used);
    altpick_json_end(json);
}

static void print_parts(struct altpick_json *json, const struct altpick_leak *leak)
{
    altpick_json_array(json, "parts");
    for (unsigned i = 0; i < ALTPICK_LEAK_PARTS; i++) {
        const char *why = altpick_leak_why_not(leak, i);

        altpick_json_object(json, NULL);
        altpick_json_text(json, "part", altpick_leak_parts[i].name);
        altpick_json_text(json, "register", altpick_leak_parts[i].register_name);
        altpick_json_bool(json, "looked_at", !why);
        if (why)
            altpick_json_text(json, "reason", why);
        altpick_json_end(json);
    }
    altpick_json_end(json);
}

void altpick_leak_print_json(struct altpick_out *out, const struct altpick_leak_report *report)
{
    static const char *const results[] = {"clean", "leak", "", "not-tested"};
    struct altpick_json json;

    altpick_json_init(&json, out);
    altpick_json_object(&json, NULL);
    altpick_json_text(&json, "tool", "altpick-leak " ALTPICK_VERSION);
    altpick_json_u64(&json, "cpu", (uint64_t) report->cpus[0]);
    altpick_json_hex(&json, "components", report->leak->xstate->xcr0);
    altpick_json_text(&json, "result", results[altpick_leak_report_status(report)]);
    print_parts(&json, report->leak);
    altpick_json_array(&json, "scenes");
    for (unsigned i = 0; i < ALTPICK_SCENES; i++) {
        if (report->played[i].scene)
            print_played(&json, report->played[i].scene, report->played[i].result);
    }
    altpick_json_end(&json);
    altpick_json_end(&json);
    altpick_json_finish(&json);
}
