/* SPDX-License-Identifier: MIT */
/* What `view` says of an image as a whole. */
#include "view_report.h"

#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What became of the sites. */
struct counts {
    size_t applied;                     /* entries */
    size_t patched, nops, same, nested; /* sites */
    size_t overlapping;
};

struct altpick_view_name altpick_view_feature(const struct altpick_view_report *report,
                                              unsigned number)
{
    const struct altpick_feature_name *name = altpick_feature_map_name(report->map, number);
    struct altpick_view_name ret;

    snprintf(ret.text, sizeof ret.text, "%u*32+%u%s%s%s", number / 32, number % 32,
             name ? (name->is_bug ? " bug " : " ") : "", name ? name->name : "",
             number == ALTPICK_FEATURE_ALWAYS && !name ? " always" : "");
    return ret;
}

const char *altpick_view_fate(const struct altpick_view_report *report, size_t number)
{
    const struct altpick_record *entry = &report->view->all.table.entries[number];
    bool present = altpick_features_has(&report->list->features, entry->feature);
    bool applied = present != entry->inverted;

    if (altpick_features_is_unknown(&report->list->features, entry->feature))
        return applied ? "applied, unknown, taken as absent"
                       : "not applied, unknown, taken as absent";
    if (applied)
        return present ? "applied, it is present" : "applied, it is absent";
    return present ? "not applied, it is present" : "not applied, it is absent";
}

size_t altpick_view_unknown(const struct altpick_view_report *report)
{
    size_t n = 0;

    for (size_t i = 0; i < report->n_asked; i++)
        n += altpick_features_is_unknown(&report->list->features, report->asked[i].number);
    return n;
}

size_t altpick_view_unnamed(const struct altpick_view_report *report)
{
    size_t n = 0;

    for (size_t i = 0; i < report->n_asked; i++)
        n += !altpick_feature_map_name(report->map, report->asked[i].number);
    return n;
}

void altpick_view_print_hex(struct altpick_out *out, const char *what, const uint8_t *code,
                            size_t bytes)
{
    enum { LINE_BYTES = 40 };

    for (size_t i = 0; i < bytes; i++) {
        if (i % LINE_BYTES == 0)
            altpick_printf(out, "%s%*s", i ? "\n" : what, i ? (int) strlen(what) : 0, "");
        altpick_printf(out, "%02x", code[i]);
    }
    altpick_printf(out, "\n");
}

static struct counts count(const struct altpick_view_report *report)
{
    const struct altpick_overlay *overlay = &report->running->overlay;
    struct counts counts = {.applied = 0};

    for (size_t i = 0; i < overlay->table->n_entries; i++)
        counts.applied += overlay->applied[i];
    for (size_t i = 0; i < overlay->n_sites; i++) {
        const struct altpick_site *site = &overlay->sites[i];
        bool patched = false;
        size_t there = 0;
        const uint8_t *old = altpick_memory_at(overlay->memory, site->address, &there);

        for (size_t k = 0; k < site->n_entries; k++)
            patched |= overlay->applied[overlay->order[site->first + k]];
        counts.nested += site->n_entries > 1;
        counts.overlapping += site->has_neighbour;
        counts.patched += patched;
        if (!patched && memcmp(old, altpick_overlay_code(overlay, site), site->bytes) == 0)
            counts.same++;
        else
            counts.nops += !patched;
    }
    return counts;
}

/* A list of features as it was asked for, and how much it leaves open. */
static void head_list(const struct altpick_view_report *report, const char *what,
                      struct altpick_table *t)
{
    size_t unknown = altpick_view_unknown(report);

    altpick_table_cell(t, "%s", what);
    if (unknown)
        altpick_table_cell(t, "%s; %zu of %zu that the table asks for are unknown, taken as absent",
                           report->list->text, unknown, report->n_asked);
    else
        altpick_table_cell(t, "%s", *report->list->text ? report->list->text : "none");
}

static void head_features(const struct altpick_view_report *report, struct altpick_table *t)
{
    size_t unnamed = report->map ? altpick_view_unnamed(report) : 0;

    head_list(report, report->other ? "- features" : "features", t);
    if (report->other)
        head_list(report->other, "+ features", t);
    if (!report->map)
        return;
    altpick_table_cell(t, "names");
    if (unnamed)
        altpick_table_cell(t, "%s, which has none for %zu features that the table asks for",
                           report->map_path, unnamed);
    else
        altpick_table_cell(t, "%s", report->map_path);
}

void altpick_view_print_head(const struct altpick_view_report *report, struct altpick_out *out)
{
    const struct altpick_view *view = report->view;
    const struct altpick_patch_table *table = &view->all.table;
    struct altpick_table t;

    altpick_table_init(&t, "ll", 0);
    altpick_table_cell(&t, "file");
    altpick_table_cell(&t, "%s", view->image.path);
    altpick_table_cell(&t, "kernel");
    altpick_table_cell(&t, "%s, by %s; engine %s (%s)", view->release, view->release_where,
                       view->kernel.engine->name, view->kernel.engine->era);
    altpick_table_cell(&t, "table");
    altpick_table_cell(&t, "%s, layout %s (%s)", table->section->name, table->layout->name,
                       table->layout->era);
    head_features(report, &t);
    if (view->functions.source) {
        altpick_table_cell(&t, "functions");
        altpick_table_cell(&t, "%zu, from %s", view->functions.n, view->functions.source);
    }
    for (size_t i = 0; i < view->all.n_embedded; i++) {
        const struct altpick_embedded *e = &view->all.embedded[i];

        altpick_table_cell(&t, "vDSO");
        altpick_table_cell(&t, "%s-bit, at 0x%" PRIx64 ": entries %zu to %zu",
                           e->is_64 ? "64" : "32", e->address, e->first,
                           e->first + e->n_entries - 1);
    }
    if (report->running->is_up) {
        altpick_table_cell(&t, "one CPU");
        altpick_table_cell(&t,
                           "%zu lock prefixes are 3E: Linux does so where one CPU is present at "
                           "boot, and undoes it when another comes",
                           report->running->overlay.n_locks);
    }
    altpick_table_print(&t, out);
}

void altpick_view_print_not_modelled(const struct altpick_view_report *report,
                                     struct altpick_out *out)
{
    const struct altpick_rewriters *rewriters = &report->view->rewriters;
    struct altpick_table t;
    bool any = false;

    altpick_table_init(&t, "lrl", 2);
    for (size_t i = 0; i < rewriters->n_tables; i++) {
        const struct altpick_rewriter_table *table = &rewriters->tables[i];

        if (altpick_running_models(report->running, table))
            continue;
        any = true;
        altpick_table_cell(&t, "%s", table->rewriter->name);
        altpick_table_cell(&t, "%zu", table->n_records);
        altpick_table_cell(&t, "%s %s%s", table->by_shape ? "in" : "of", table->section,
                           table->by_shape ? ", found by its shape" : "");
    }
    if (!report->running->is_up && altpick_memory_named(&report->view->memory, ".smp_locks")) {
        any = true;
        altpick_table_cell(&t, "lock prefixes");
        altpick_table_cell(&t, "%" PRIu64,
                           altpick_memory_named(&report->view->memory, ".smp_locks")->bytes / 4);
        altpick_table_cell(&t, "of .smp_locks, padding included, on a machine with one CPU: --up");
    }
    altpick_printf(out, "\nnot modelled%s\n",
                   any ? ", so that code may be rewritten further by" : ": no other table is here");
    altpick_table_print(&t, out);
    if (report->view->image.is_relocatable)
        altpick_line(
            out, 2,
            "also not modelled: what a loader decides; displacements to other sections and "
            "to symbols are those of a layout that is made up");
}

static void print_features(const struct altpick_view_report *report, struct altpick_out *out)
{
    const struct altpick_features *features = &report->list->features;
    struct altpick_table t;

    altpick_printf(out, "\n");
    altpick_table_init(&t, "llrr", 0);
    altpick_table_cell(&t, "feature");
    altpick_table_cell(&t, "of this CPU");
    altpick_table_cell(&t, "entries");
    altpick_table_cell(&t, "applied");
    for (size_t i = 0; i < report->n_asked; i++) {
        const struct altpick_view_asked *asked = &report->asked[i];

        altpick_table_cell(&t, "%s", altpick_view_feature(report, asked->number).text);
        altpick_table_cell(&t, "%s",
                           altpick_features_is_unknown(features, asked->number)
                               ? "unknown, taken as absent"
                           : altpick_features_has(features, asked->number) ? "present"
                                                                           : "absent");
        altpick_table_cell(&t, "%zu", asked->entries);
        altpick_table_cell(&t, "%zu", asked->applied);
    }
    altpick_table_print(&t, out);
}

/* What follows from the features besides alternatives. */
static void print_thunks(const struct altpick_view_report *report, struct altpick_out *out)
{
    const struct altpick_running *running = report->running;
    const struct altpick_view *view = report->view;
    struct altpick_table t;

    altpick_table_init(&t, "l", 0);
    if (altpick_rewriters_table(&view->rewriters, ALTPICK_REWRITER_RETURNS) &&
        running->returns_are_known)
        altpick_table_cell(&t, "returns are plain ones: no return thunk");
    if (altpick_rewriters_table(&view->rewriters, ALTPICK_REWRITER_RETPOLINES) &&
        running->retpolines_are_known)
        altpick_table_cell(&t, "indirect branches %s",
                           !running->plan.retpolines ? "go through retpolines, as in the file"
                           : running->plan.lfence ? "are plain ones behind LFENCE where that fits"
                                                  : "are plain ones: no retpoline");
    if (view->kernel.engine->has_direct_calls && !view->image.is_relocatable)
        altpick_table_cell(&t,
                           "direct calls lead where their pointers lead in the file, which a "
                           "hypervisor may change; nop_func is %s%s",
                           view->nop_func_how ? "known by "
                                              : "not found, so that no call becomes NOPs",
                           view->nop_func_how ? view->nop_func_how : "");
    altpick_table_print(&t, out);
}

void altpick_view_print_summary(const struct altpick_view_report *report, struct altpick_out *out)
{
    const struct altpick_overlay *overlay = &report->running->overlay;
    struct counts counts = count(report);

    altpick_view_print_head(report, out);
    altpick_printf(out, "\n%zu entries, %zu applied; %zu sites:\n", overlay->table->n_entries,
                   counts.applied, overlay->n_sites);
    altpick_printf(out, "  %zu are patched\n  %zu are not, but their NOPs are optimised\n",
                   counts.patched, counts.nops);
    altpick_printf(out, "  %zu are as in the file\n", counts.same);
    altpick_printf(out, "  %zu have several entries\n", counts.nested);
    if (counts.overlapping)
        altpick_printf(out, "  %zu overlap another site without being equal\n", counts.overlapping);
    print_thunks(report, out);
    print_features(report, out);
    altpick_view_print_not_modelled(report, out);
    altpick_printf(out, "\nmore: --sites, --function NAME, --range A-B, --diff OTHER, each also "
                        "with --json\n");
}
