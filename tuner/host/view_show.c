/* SPDX-License-Identifier: MIT */
/* What was asked of `view`, done: reads, runs, warns and prints. */
#include "view_show.h"

#include "view_features.h"
#include "view_report.h"

#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNTOLD_SHOWN_MAX = 8 };

/* All that a run of the command holds. */
struct work {
    const struct altpick_view_request *request;
    struct altpick_out *out;
    struct altpick_diag *diag;
    struct altpick_view view;
    struct altpick_feature_map map;
    struct altpick_view_list list, other_list;
    struct altpick_running running, other;
};

static const struct altpick_feature_map *map_of(const struct work *work)
{
    return work->map.n_names ? &work->map : NULL;
}

__attribute__((format(printf, 2, 3))) static void warn(const struct work *work, const char *format,
                                                       ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    work->request->warn(work->request->ctx, text);
}

static int check(const struct altpick_view_request *o, struct altpick_diag *diag)
{
    if (!o->features)
        return altpick_fail(diag, ALTPICK_EUSAGE, "view: --features is needed");
    if ((o->function != NULL) + (o->range != NULL) + o->sites + (o->diff != NULL) > 1)
        return altpick_fail(diag, ALTPICK_EUSAGE,
                            "view: of --function, --range, --sites and --diff only one");
    if (o->syntax && strcmp(o->syntax, "att") != 0 && strcmp(o->syntax, "intel") != 0)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--syntax: '%s' is neither att nor intel",
                            o->syntax);
    if (o->layout && !altpick_layout_find(o->layout))
        return altpick_fail(diag, ALTPICK_EUSAGE, "--layout: no layout '%s'", o->layout);
    return ALTPICK_OK;
}

/* Features that the table asks for and that what describes the CPU could not tell. */
static void warn_untold(struct work *work, const struct altpick_features *features)
{
    const struct altpick_patch_table *table = &work->view.all.table;
    const struct altpick_view_report report = {.map = map_of(work)};
    bool said[ALTPICK_FEATURE_WORDS * 32] = {false};
    char names[1024] = "";
    size_t n = 0;

    if (!features->is_partial)
        return;
    for (size_t i = 0; i < table->n_entries; i++) {
        unsigned number = table->entries[i].feature;
        size_t used = strlen(names);

        if (altpick_features_is_told(features, number) || number >= ALTPICK_FEATURE_WORDS * 32 ||
            said[number])
            continue;
        said[number] = true;
        if (n++ < UNTOLD_SHOWN_MAX)
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                     altpick_view_feature(&report, number).text);
    }
    if (n)
        warn(work,
             "%zu features that this table asks for are not told by what describes "
             "the CPU and are taken as absent: %s%s; add them to --features",
             n, names, n > UNTOLD_SHOWN_MAX ? ", ..." : "");
}

static void warn_features(struct work *work, const struct altpick_features *features)
{
    char names[ALTPICK_FEATURE_STRANGERS_MAX * ALTPICK_FEATURE_NAME_MAX] = "";

    for (size_t i = 0; i < features->n_strangers && i < ALTPICK_FEATURE_STRANGERS_MAX; i++) {
        size_t used = strlen(names);

        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                 features->strangers[i].name);
    }
    if (features->n_strangers)
        warn(work, "%zu flags of the CPU are not in the map: %s%s", features->n_strangers, names,
             features->n_strangers > ALTPICK_FEATURE_STRANGERS_MAX ? ", ..." : "");
    warn_untold(work, features);
}

/* What the table's layout and the release say of each other. */
static void warn_layout(struct work *work)
{
    const struct altpick_layout *layout = work->view.all.table.layout;
    uint16_t release = 0;

    altpick_release_parse(work->view.release, &release);
    if ((release >= ALTPICK_RELEASE(6, 3)) != (layout->flags.kind != ALTPICK_FIELD_NONE))
        warn(work,
             "layout %s is that of %s, and the kernel is %s by %s: its engine may "
             "be another",
             layout->name, layout->era, work->view.release, work->view.release_where);
}

static int read_lists(struct work *work)
{
    const struct altpick_view_request *o = work->request;
    int r = altpick_view_map_read(o->cpufeatures, &work->map, work->diag);

    if (r == ALTPICK_OK)
        r = altpick_view_list_read("--features", o->features, map_of(work), o->machine, &work->list,
                                   work->diag);
    if (r == ALTPICK_OK && o->diff)
        r = altpick_view_list_read("--diff", o->diff, map_of(work), o->machine, &work->other_list,
                                   work->diag);
    if (r == ALTPICK_OK && o->machine && !work->list.has_profile && !work->other_list.has_profile)
        r = altpick_fail(work->diag, ALTPICK_EUSAGE,
                         "--machine: '%s' is of a profile, and there is none in %s", o->machine,
                         o->diff ? "--features and --diff" : "--features");
    return r;
}

static int prepare(struct work *work)
{
    const struct altpick_view_request *o = work->request;
    const struct altpick_view_options view_options = {
        .path = o->path,
        .layout = o->layout ? altpick_layout_find(o->layout) : NULL,
        .release = o->kernel,
        .symbols_path = o->symbols,
    };
    int r = read_lists(work);

    if (r == ALTPICK_OK)
        r = altpick_view_open(&work->view, &view_options, work->diag);
    if (r == ALTPICK_OK)
        r = altpick_view_run(&work->view, &work->list.features, map_of(work), o->up, &work->running,
                             work->diag);
    if (r == ALTPICK_OK && o->diff)
        r = altpick_view_run(&work->view, &work->other_list.features, map_of(work), o->up,
                             &work->other, work->diag);
    return r;
}

static int show_code(struct work *work, const struct altpick_view_report *report)
{
    const struct altpick_view_request *o = work->request;
    struct altpick_view_ranges ranges = {.n = 0};
    int r = altpick_view_ranges_find(&work->view, o->function, o->range, &ranges, work->diag);

    if (r == ALTPICK_OK)
        r = o->json ? altpick_view_json_code(report, &ranges, work->out, work->diag)
                    : altpick_view_print_code(report, &ranges, work->out, work->diag);
    free(ranges.ranges);
    return r;
}

static int show(struct work *work)
{
    const struct altpick_view_request *o = work->request;
    struct altpick_out *out = work->out;
    const struct altpick_view_report report = {
        .view = &work->view,
        .running = &work->running,
        .features = &work->list.features,
        .map = map_of(work),
        .is_intel = o->syntax && strcmp(o->syntax, "intel") == 0,
    };

    warn_layout(work);
    warn_features(work, &work->list.features);
    if (o->function || o->range)
        return show_code(work, &report);
    if (o->diff) {
        warn_features(work, &work->other_list.features);
        return o->json ? altpick_view_json_diff(&report, &work->other, out, work->diag)
                       : altpick_view_print_diff(&report, &work->other, out, work->diag);
    }
    if (o->sites && o->json)
        altpick_view_json_sites(&report, out);
    else if (o->sites)
        altpick_view_print_sites(&report, out);
    else if (o->json)
        altpick_view_json_summary(&report, out);
    else
        altpick_view_print_summary(&report, out);
    return ALTPICK_OK;
}

int altpick_view_show(const struct altpick_view_request *request, struct altpick_out *out,
                      struct altpick_diag *diag)
{
    struct work *work;
    int r = check(request, diag);

    if (r < 0)
        return r;
    work = calloc(1, sizeof *work);
    if (!work)
        return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
    work->request = request;
    work->out = out;
    work->diag = diag;
    r = prepare(work);
    if (r == ALTPICK_OK)
        r = show(work);
    altpick_running_fini(&work->other);
    altpick_running_fini(&work->running);
    altpick_view_close(&work->view);
    altpick_feature_map_fini(&work->map);
    free(work);
    return r;
}
