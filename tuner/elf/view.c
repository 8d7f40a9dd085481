/* SPDX-License-Identifier: MIT */
/* An image and all that is needed to say how its code runs after boot on a given CPU. */
#include "elf/view.h"

#include "diag.h"
#include "elf/nop_func.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- opening ------------------------------------------------------------------------------------
 */

/* The one table of Linux. */
static int choose_table(const struct altpick_view *view,
                        const struct altpick_patch_table **ret_table, struct altpick_diag *diag)
{
    const char *path = view->image.path;
    const struct altpick_patch_table *linux_table = NULL;

    for (size_t i = 0; i < view->tables.n_tables; i++) {
        const struct altpick_patch_table *table = &view->tables.tables[i];

        if (table->layout->family == ALTPICK_FAMILY_LINUX) {
            if (linux_table)
                return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "%s: two patch tables of Linux",
                                    path);
            linux_table = table;
        }
    }
    if (!linux_table && view->tables.n_tables)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: a table of layout %s; only what Linux does with its tables is "
                            "modelled; altpick inspect shows this one",
                            path, view->tables.tables[0].layout->name);
    if (!linux_table)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: no patch table; altpick inspect shows what there is", path);
    *ret_table = linux_table;
    return ALTPICK_OK;
}

static int choose_engine(struct altpick_view *view, const struct altpick_view_options *options,
                         const struct altpick_patch_table *table, struct altpick_diag *diag)
{
    struct altpick_banner banner = {.number = 0};

    if (options->release) {
        if (!altpick_release_parse(options->release, &banner.number))
            return altpick_fail(diag, ALTPICK_EUSAGE,
                                "--kernel: '%s' is no release of Linux as 6.1", options->release);
        snprintf(banner.release, sizeof banner.release, "%s", options->release);
        banner.where = "--kernel";
    } else if (!altpick_banner_find(&view->image, &banner)) {
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: it does not say which Linux it is of; say it with --kernel X.Y",
                            options->path);
    }
    view->kernel.engine = altpick_engine_of(banner.number);
    if (!view->kernel.engine && banner.number < altpick_engines[0]->first)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: of Linux %s by %s, and before 5.13 the NOPs depend on the CPU's "
                            "vendor, which is not modelled; altpick inspect shows its table",
                            options->path, banner.release, banner.where);
    if (!view->kernel.engine)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: of Linux %s by %s, which is newer than what is modelled (%s); "
                            "--kernel X.Y takes another engine, altpick inspect shows its table",
                            options->path, banner.release, banner.where,
                            altpick_engines[altpick_engine_count - 1]->era);
    if (table->layout->pad_bytes.kind != ALTPICK_FIELD_NONE)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "%s: its table is %s, of %s, whose engine is not modelled; altpick "
                            "inspect shows it",
                            options->path, table->layout->name, table->layout->era);
    memcpy(view->release, banner.release, sizeof view->release);
    view->release_where = banner.where;
    return ALTPICK_OK;
}

/*
 * The pointer at an address of data.  In a module those of the kernel are not known: the address of
 * the pointer itself stands for what it points to.
 */
static bool pointer(void *ctx, uint64_t address, uint64_t *ret_pointer)
{
    const struct altpick_memory *memory = ctx;
    unsigned bytes = memory->image->code_is_64 ? 8 : 4;
    const struct altpick_memory_part *part = altpick_memory_part(memory, address);

    if (altpick_memory_number(memory, address, bytes, ret_pointer))
        return true;
    *ret_pointer = part ? 0 : address; /* .bss starts with zeroes */
    return part || memory->image->is_relocatable;
}

static void find_nop_func(struct altpick_view *view)
{
    const struct altpick_function *function;
    size_t count = 0;

    if (!view->kernel.engine->has_direct_calls)
        return;
    function = altpick_functions_find(&view->functions, "nop_func", &count);
    if (function && count == 1) {
        view->kernel.nop_func = altpick_view_function_address(view, function);
        view->kernel.knows_nop_func = true;
        view->nop_func_how = "its name";
    } else if (altpick_nop_func_find(&view->memory, &view->all.table, &view->rewriters,
                                     &view->kernel.nop_func)) {
        view->kernel.knows_nop_func = true;
        view->nop_func_how = "its code, a lone return";
    }
}

int altpick_view_open(struct altpick_view *view, const struct altpick_view_options *options,
                      struct altpick_diag *diag)
{
    const struct altpick_patch_table *table = NULL;
    int r;

    r = altpick_image_open(options->path, &view->image, diag);
    if (r == ALTPICK_OK)
        r = altpick_patch_tables_read(&view->image, options->layout, &view->tables, diag);
    if (r == ALTPICK_OK)
        r = choose_table(view, &table, diag);
    if (r == ALTPICK_OK)
        r = choose_engine(view, options, table, diag);
    if (r == ALTPICK_OK)
        r = altpick_memory_load(&view->image, &view->memory, diag);
    if (r == ALTPICK_OK)
        r = altpick_all_entries_make(&view->memory, table, &view->all, diag);
    if (r == ALTPICK_OK)
        r = altpick_rewriters_find(&view->memory, &view->rewriters, diag);
    if (r == ALTPICK_OK)
        r = altpick_functions_read(&view->image, options->symbols_path, &view->functions, diag);
    if (r < 0)
        return r;
    view->kernel.is_64 = view->image.code_is_64;
    view->kernel.pointer = pointer;
    view->kernel.ctx = &view->memory;
    find_nop_func(view);
    return ALTPICK_OK;
}

void altpick_view_close(struct altpick_view *view)
{
    altpick_functions_fini(&view->functions);
    altpick_rewriters_fini(&view->rewriters);
    altpick_all_entries_fini(&view->all);
    altpick_memory_fini(&view->memory);
    altpick_patch_tables_fini(&view->tables);
    altpick_image_close(&view->image);
    *view = (struct altpick_view){0};
}

/* --- running ------------------------------------------------------------------------------------
 */

static bool has(void *ctx, unsigned number)
{
    return altpick_features_has(ctx, number);
}

/* Features that decide of thunks, by the numbers that Linux has since 5.19. */
enum {
    RETPOLINE = 11 * 32 + 12,
    RETPOLINE_LFENCE = 11 * 32 + 13,
    RETHUNK = 11 * 32 + 14,
    CALL_DEPTH = 11 * 32 + 19,
};

/* The number of X86_FEATURE_INDIRECT_THUNK_ITS, which came to all releases in their stable series
 * and got the bit that was free there. */
static unsigned its_number(uint16_t release)
{
    return 21 * 32 + (release < ALTPICK_RELEASE(6, 12)   ? 5
                      : release < ALTPICK_RELEASE(6, 13) ? 6
                                                         : 10);
}

struct decider {
    const struct altpick_features *features;
    const struct altpick_feature_map *map;
    bool is_known; /* all that were asked for are */
};

static bool decides(struct decider *decider, const char *name, unsigned number)
{
    if (decider->map) {
        const struct altpick_feature_name *found = altpick_feature_map_find(decider->map, name);

        if (!found)
            return false; /* this kernel has no such thing */
        number = found->number;
    }
    if (decider->features->is_partial && !altpick_features_is_told(decider->features, number))
        decider->is_known = false;
    return altpick_features_has(decider->features, number);
}

/* Which passes there are, and of which nothing is known because nobody told the features. */
static void plan_thunks(const struct altpick_view *view, const struct altpick_features *features,
                        const struct altpick_feature_map *map, struct altpick_running *running)
{
    struct decider returns = {features, map, true}, branches = {features, map, true};
    bool rethunk = decides(&returns, "X86_FEATURE_RETHUNK", RETHUNK);
    bool retpoline = decides(&branches, "X86_FEATURE_RETPOLINE", RETPOLINE);
    bool lfence = decides(&branches, "X86_FEATURE_RETPOLINE_LFENCE", RETPOLINE_LFENCE);
    bool depth = decides(&branches, "X86_FEATURE_CALL_DEPTH", CALL_DEPTH);
    uint16_t release = 0;
    bool its;

    altpick_release_parse(view->release, &release);
    its = decides(&branches, "X86_FEATURE_INDIRECT_THUNK_ITS", its_number(release));
    if (!map && release < ALTPICK_RELEASE(5, 19))
        returns.is_known = branches.is_known = false;
    if (release < ALTPICK_RELEASE(6, 2))
        depth = false;                 /* not a feature yet */
    if (its && (!retpoline || lfence)) /* some branches then go through thunks made at boot */
        branches.is_known = false;
    running->plan.returns = returns.is_known && !rethunk;
    running->plan.retpolines = branches.is_known && (!retpoline || lfence);
    running->plan.lfence = lfence;
    running->returns_are_known = running->plan.returns;
    running->retpolines_are_known = branches.is_known && (running->plan.retpolines || !depth);
    running->calls_are_counted = depth;
}

int altpick_view_run(const struct altpick_view *view, const struct altpick_features *features,
                     const struct altpick_feature_map *map, bool up,
                     struct altpick_running *ret_running, struct altpick_diag *diag)
{
    struct altpick_running running = {.is_up = up};
    struct altpick_features copy = *features;
    struct altpick_rewrite *rewrites = NULL;
    struct altpick_overlay_plan plan = {.kernel = &view->kernel, .has = has, .ctx = &copy};
    int r;

    plan_thunks(view, features, map, &running);
    r = altpick_thunks_make(&view->memory, &view->rewriters, &view->kernel, &running.plan,
                            &rewrites, &plan.n_rewrites, diag);
    plan.rewrites = rewrites;
    if (r == ALTPICK_OK)
        r = altpick_overlay_make(&view->memory, &view->all.table, &plan, &running.overlay, diag);
    if (r == ALTPICK_OK && up)
        r = altpick_overlay_unlock(&running.overlay, diag);
    free(rewrites);
    if (r < 0) {
        altpick_running_fini(&running);
        return r;
    }
    *ret_running = running;
    return ALTPICK_OK;
}

void altpick_running_fini(struct altpick_running *running)
{
    altpick_overlay_fini(&running->overlay);
    *running = (struct altpick_running){.is_up = false};
}

bool altpick_running_models(const struct altpick_running *running,
                            const struct altpick_rewriter_table *table)
{
    if (table->rewriter->kind == ALTPICK_REWRITER_RETURNS)
        return running->returns_are_known;
    if (table->rewriter->kind == ALTPICK_REWRITER_RETPOLINES)
        return running->retpolines_are_known;
    return false;
}

/* --- functions ----------------------------------------------------------------------------------
 */

const struct altpick_function *altpick_view_function(const struct altpick_view *view,
                                                     uint64_t address)
{
    const struct altpick_memory_part *part = altpick_memory_part(&view->memory, address);

    if (!view->image.is_relocatable) {
        const struct altpick_embedded *embedded = altpick_embedded_at(&view->all, address);

        return altpick_functions_at(embedded ? &embedded->functions : &view->functions, address);
    }
    if (!part)
        return NULL;
    return altpick_functions_in(&view->functions, part->number, address - part->address);
}

uint64_t altpick_view_function_address(const struct altpick_view *view,
                                       const struct altpick_function *function)
{
    if (!view->image.is_relocatable)
        return function->address;
    return altpick_memory_address(
        &view->memory,
        &(struct altpick_place){.section = function->section, .offset = function->address});
}

void altpick_view_where(const struct altpick_view *view, uint64_t address, char *ret_where)
{
    const struct altpick_function *function = altpick_view_function(view, address);
    uint64_t into;

    if (!function || !function->name) {
        altpick_memory_where(&view->memory, address, ret_where);
        return;
    }
    into = address - altpick_view_function_address(view, function);
    if (into)
        snprintf(ret_where, ALTPICK_WHERE_BYTES, "%.120s+0x%" PRIx64, function->name, into);
    else
        snprintf(ret_where, ALTPICK_WHERE_BYTES, "%.140s", function->name);
}
