/* SPDX-License-Identifier: MIT */
/* What a user must know of the features and the map that were given before trusting a view. */
#include "view_warn.h"

#include "diag.h"
#include "text.h"

#include <string.h>

/* A warning that is being written. */
struct warning {
    struct altpick_text text;
    struct altpick_out out;
    size_t n_items; /* of a list within it */
};

struct warnings {
    altpick_view_warn warn;
    void *ctx;
    int err;
};

static void start(struct warning *warning)
{
    warning->n_items = 0;
    altpick_text_init(&warning->text, &warning->out);
}

static void add_item(struct warning *warning, const char *item)
{
    altpick_printf(&warning->out, "%s%s", warning->n_items++ ? ", " : "", item);
}

static void finish(struct warnings *warnings, struct warning *warning)
{
    if (warning->out.err)
        warnings->err = warning->out.err;
    else
        warnings->warn(warnings->ctx, warning->text.data);
    altpick_text_fini(&warning->text);
}

/* What the table's layout and the release say of each other. */
static void warn_layout(struct warnings *warnings, const struct altpick_view_report *report)
{
    const struct altpick_view *view = report->view;
    const struct altpick_layout *layout = view->all.table.layout;
    struct warning warning;
    uint16_t release = 0;

    altpick_release_parse(view->release, &release);
    if ((release >= ALTPICK_RELEASE(6, 3)) == (layout->flags.kind != ALTPICK_FIELD_NONE))
        return;
    start(&warning);
    altpick_printf(&warning.out,
                   "layout %s is that of %s, and the kernel is %s by %s: its engine may be another",
                   layout->name, layout->era, view->release, view->release_where);
    finish(warnings, &warning);
}

/* --- the map ------------------------------------------------------------------------------------
 */

/* A header of the kernel itself has a name for each number that its table asks for. */
static void warn_unnamed(struct warnings *warnings, const struct altpick_view_report *report)
{
    size_t n = altpick_view_unnamed(report);
    struct warning warning;

    start(&warning);
    altpick_printf(&warning.out,
                   "%zu feature%s that the table asks for %s no name in %s, so that it is not of "
                   "this kernel, or not whole, and its names may mean other features: ",
                   n, n == 1 ? "" : "s", n == 1 ? "has" : "have", report->map_path);
    for (size_t i = 0; i < report->n_asked; i++) {
        if (!altpick_feature_map_name(report->map, report->asked[i].number))
            add_item(&warning, altpick_view_feature(report, report->asked[i].number).text);
    }
    finish(warnings, &warning);
}

/* The way in which a header hides names from /proc/cpuinfo changed with Linux 6.11. */
static void warn_convention(struct warnings *warnings, const struct altpick_view_report *report)
{
    bool is_new = report->map->convention == ALTPICK_SHOWN_IF_QUOTED;
    struct warning warning;
    uint16_t release = 0;

    altpick_release_parse(report->view->release, &release);
    if (report->map->convention == ALTPICK_SHOWN_UNCLEAR ||
        is_new == (release >= ALTPICK_RELEASE(6, 11)))
        return;
    start(&warning);
    altpick_printf(&warning.out,
                   "%s is not of this kernel, and names may mean other features here: it is "
                   "written as those of Linux %s, and the kernel is %s by %s",
                   report->map_path, is_new ? "since 6.11" : "until 6.10", report->view->release,
                   report->view->release_where);
    finish(warnings, &warning);
}

/* --- lists of features --------------------------------------------------------------------------
 */

/* Names of a CPU's description that the map does not have. */
static void warn_strangers(struct warnings *warnings, const struct altpick_view_report *report,
                           const char *options, bool are_bugs)
{
    const struct altpick_features *features = &report->list->features;
    bool is_cut = features->n_strangers > ALTPICK_FEATURE_STRANGERS_MAX;
    struct warning warning;
    size_t n = 0, shown = is_cut ? ALTPICK_FEATURE_STRANGERS_MAX : features->n_strangers;

    for (size_t i = 0; i < shown; i++)
        n += features->strangers[i].is_bug == are_bugs;
    if (!n)
        return;
    start(&warning);
    altpick_printf(&warning.out, "%s: %zu%s %s%s of the CPU %s no name in %s: ", options, n,
                   is_cut ? " or more" : "", are_bugs ? "bug" : "flag", n == 1 ? "" : "s",
                   n == 1 ? "has" : "have", report->map_path);
    for (size_t i = 0; i < shown; i++) {
        if (features->strangers[i].is_bug == are_bugs)
            add_item(&warning, features->strangers[i].name);
    }
    finish(warnings, &warning);
}

/* Features that the table asks for and that what describes the CPU could not tell. */
static void warn_unknown(struct warnings *warnings, const struct altpick_view_report *report,
                         const char *options)
{
    size_t n = altpick_view_unknown(report);
    struct warning warning;

    if (!n)
        return;
    start(&warning);
    altpick_printf(
        &warning.out,
        "%s: what describes the CPU does not tell %zu of the %zu features that the table "
        "asks for; add them, as they are taken as absent: ",
        options, n, report->n_asked);
    for (size_t i = 0; i < report->n_asked; i++) {
        if (altpick_features_is_unknown(&report->list->features, report->asked[i].number))
            add_item(&warning, altpick_view_feature(report, report->asked[i].number).text);
    }
    finish(warnings, &warning);
}

static bool same_strangers(const struct altpick_features *a, const struct altpick_features *b)
{
    bool same = a->n_strangers == b->n_strangers;

    for (size_t i = 0; same && i < a->n_strangers && i < ALTPICK_FEATURE_STRANGERS_MAX; i++)
        same = a->strangers[i].is_bug == b->strangers[i].is_bug &&
               strcmp(a->strangers[i].name, b->strangers[i].name) == 0;
    return same;
}

static bool same_unknown(const struct altpick_view_report *a, const struct altpick_view_report *b)
{
    bool same = true;

    for (size_t i = 0; same && i < a->n_asked; i++)
        same = altpick_features_is_unknown(&a->list->features, a->asked[i].number) ==
               altpick_features_is_unknown(&b->list->features, a->asked[i].number);
    return same;
}

/* Both lists are often of one CPU: then what is doubtful is said once. */
static void warn_lists(struct warnings *warnings, const struct altpick_view_report *report)
{
    const struct altpick_view_report *other = report->other;
    const char *option = report->list->option, *both = "--features and --diff";
    bool strangers = other && same_strangers(&report->list->features, &other->list->features);
    bool unknown = other && same_unknown(report, other);

    warn_strangers(warnings, report, strangers ? both : option, false);
    warn_strangers(warnings, report, strangers ? both : option, true);
    warn_unknown(warnings, report, unknown ? both : option);
    if (other && !strangers) {
        warn_strangers(warnings, other, other->list->option, false);
        warn_strangers(warnings, other, other->list->option, true);
    }
    if (other && !unknown)
        warn_unknown(warnings, other, other->list->option);
}

int altpick_view_warn_all(const struct altpick_view_report *report, altpick_view_warn warn,
                          void *ctx, struct altpick_diag *diag)
{
    struct warnings warnings = {.warn = warn, .ctx = ctx};

    warn_layout(&warnings, report);
    if (report->map && altpick_view_unnamed(report))
        warn_unnamed(&warnings, report);
    else if (report->map)
        warn_convention(&warnings, report);
    warn_lists(&warnings, report);
    return warnings.err ? altpick_fail(diag, warnings.err, "out of memory") : ALTPICK_OK;
}
