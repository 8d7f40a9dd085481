/* SPDX-License-Identifier: MIT */
/* What was asked of `view`, done: reads, runs, warns and prints. */
#include "view_show.h"

#include "view_report.h"
#include "view_warn.h"

#include "diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that a run of the command holds. */
struct work {
    const struct altpick_view_request *request;
    struct altpick_out *out;
    struct altpick_diag *diag;
    struct altpick_view view;
    struct altpick_feature_map map;
    struct altpick_view_list list, other_list;
    struct altpick_running running, other;
    struct altpick_view_asked *asked;
    size_t n_asked;
};

static const struct altpick_feature_map *map_of(const struct work *work)
{
    return work->map.n_names ? &work->map : NULL;
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
    if (r == ALTPICK_OK)
        r = altpick_view_asked_make(&work->running.overlay, &work->asked, &work->n_asked,
                                    work->diag);
    return r;
}

static void warn_inside(const struct work *work, const struct altpick_view_ranges *ranges)
{
    char text[2 * ALTPICK_WHERE_BYTES + 160], from[ALTPICK_WHERE_BYTES], at[ALTPICK_WHERE_BYTES];

    for (size_t i = 0; i < ranges->n; i++) {
        const struct altpick_view_range *range = &ranges->ranges[i];

        if (!range->is_inside)
            continue;
        altpick_memory_where(&work->view.memory, range->address, from);
        altpick_memory_where(&work->view.memory, range->inside, at);
        snprintf(
            text, sizeof text,
            "--range: %s is inside the instruction at %s, so that what is shown first does not "
            "run like this",
            from, at);
        work->request->warn(work->request->ctx, text);
    }
}

static int show_code(struct work *work, const struct altpick_view_report *report)
{
    const struct altpick_view_request *o = work->request;
    struct altpick_view_ranges ranges = {.n = 0};
    struct altpick_running_decoder decoder = {.view = NULL};
    int r = altpick_view_ranges_find(&work->view, o->function, o->range, &ranges, work->diag);

    if (r == ALTPICK_OK)
        r = altpick_running_decoder_init(&decoder, report->view, report->running, report->is_intel,
                                         work->diag);
    if (r < 0)
        goto out;
    altpick_view_ranges_check(&decoder, &ranges);
    warn_inside(work, &ranges);
    if (o->json)
        altpick_view_json_code(report, &decoder, &ranges, work->out);
    else
        altpick_view_print_code(report, &decoder, &ranges, work->out);
    altpick_running_decoder_fini(&decoder);
out:
    free(ranges.ranges);
    return r;
}

static int show_report(struct work *work, const struct altpick_view_report *report)
{
    const struct altpick_view_request *o = work->request;
    struct altpick_out *out = work->out;

    if (o->function || o->range)
        return show_code(work, report);
    if (o->diff)
        return o->json ? altpick_view_json_diff(report, out, work->diag)
                       : altpick_view_print_diff(report, out, work->diag);
    if (o->sites && o->json)
        altpick_view_json_sites(report, out);
    else if (o->sites)
        altpick_view_print_sites(report, out);
    else if (o->json)
        altpick_view_json_summary(report, out);
    else
        altpick_view_print_summary(report, out);
    return ALTPICK_OK;
}

static int show(struct work *work)
{
    const struct altpick_view_request *o = work->request;
    struct altpick_view_report report = {
        .view = &work->view,
        .running = &work->running,
        .list = &work->list,
        .map = map_of(work),
        .map_path = o->cpufeatures,
        .asked = work->asked,
        .n_asked = work->n_asked,
        .is_intel = o->syntax && strcmp(o->syntax, "intel") == 0,
    };
    struct altpick_view_report other = report;
    int r;

    other.running = &work->other;
    other.list = &work->other_list;
    report.other = o->diff ? &other : NULL;
    r = altpick_view_warn_all(&report, o->warn, o->ctx, work->diag);
    return r < 0 ? r : show_report(work, &report);
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
    free(work->asked);
    altpick_running_fini(&work->other);
    altpick_running_fini(&work->running);
    altpick_view_close(&work->view);
    altpick_feature_map_fini(&work->map);
    free(work);
    return r;
}
