/* SPDX-License-Identifier: MIT */
/* What `view` says, for programs. */
#include "view_report.h"

#include <stdio.h>
#include <string.h>

static void put_number(unsigned number, const char *key, struct altpick_json *json)
{
    char text[24];

    snprintf(text, sizeof text, "%u*32+%u", number / 32, number % 32);
    altpick_json_text(json, key, text);
}

/* A list of features as it was asked for, and what it does not tell of those that the table asks
 * for. */
static void put_list(const struct altpick_view_report *report, const char *key, const char *unknown,
                     struct altpick_json *json)
{
    altpick_json_text(json, key, report->list->text);
    altpick_json_array(json, unknown);
    for (size_t i = 0; i < report->n_asked; i++) {
        if (altpick_features_is_unknown(&report->list->features, report->asked[i].number))
            put_number(report->asked[i].number, NULL, json);
    }
    altpick_json_end(json);
}

void altpick_view_json_head(const struct altpick_view_report *report, struct altpick_json *json)
{
    const struct altpick_view *view = report->view;

    altpick_json_object(json, NULL);
    altpick_json_text(json, "format", "altpick-view");
    altpick_json_u64(json, "version", 1);
    altpick_json_text(json, "file", view->image.path);
    altpick_json_text(json, "kernel", view->release);
    altpick_json_text(json, "kernel_by", view->release_where);
    altpick_json_text(json, "engine", view->kernel.engine->name);
    altpick_json_text(json, "layout", view->all.table.layout->name);
    altpick_json_bool(json, "one_cpu", report->running->is_up);
    put_list(report, "features", "unknown", json);
    if (report->other)
        put_list(report->other, "other_features", "other_unknown", json);
    if (!report->map)
        return;
    altpick_json_text(json, "cpufeatures", report->map_path);
    altpick_json_array(json, "unnamed");
    for (size_t i = 0; i < report->n_asked; i++) {
        if (!altpick_feature_map_name(report->map, report->asked[i].number))
            put_number(report->asked[i].number, NULL, json);
    }
    altpick_json_end(json);
}

void altpick_view_json_not_modelled(const struct altpick_view_report *report,
                                    struct altpick_json *json)
{
    const struct altpick_rewriters *rewriters = &report->view->rewriters;

    altpick_json_array(json, "not_modelled");
    for (size_t i = 0; i < rewriters->n_tables; i++) {
        const struct altpick_rewriter_table *table = &rewriters->tables[i];

        if (altpick_running_models(report->running, table))
            continue;
        altpick_json_object(json, NULL);
        altpick_json_text(json, "table", table->rewriter->name);
        altpick_json_text(json, "section", table->rewriter->section);
        altpick_json_text(json, "found_in", table->section);
        altpick_json_bool(json, "by_shape", table->by_shape);
        altpick_json_u64(json, "records", table->n_records);
        altpick_json_end(json);
    }
    altpick_json_end(json);
    altpick_json_end(json); /* what the head opened */
    altpick_json_finish(json);
}

static void put_feature(const struct altpick_view_report *report, unsigned number,
                        struct altpick_json *json)
{
    const struct altpick_feature_name *name = altpick_feature_map_name(report->map, number);

    put_number(number, "feature", json);
    if (name)
        altpick_json_text(json, "name", name->name);
}

void altpick_view_json_entry(const struct altpick_view_report *report, size_t number,
                             struct altpick_json *json)
{
    const struct altpick_record *entry = &report->view->all.table.entries[number];

    altpick_json_u64(json, "index", number);
    put_feature(report, entry->feature, json);
    altpick_json_bool(json, "inverted", entry->inverted);
    altpick_json_bool(json, "direct_call", entry->direct_call);
    altpick_json_bool(json, "applied", report->running->overlay.applied[number]);
    altpick_json_bool(json, "known",
                      !altpick_features_is_unknown(&report->list->features, entry->feature));
}

/* An array of the entries of @site. */
static void put_entries(const struct altpick_view_report *report, const struct altpick_site *site,
                        struct altpick_json *json)
{
    for (size_t i = 0; i < site->n_entries; i++) {
        altpick_json_object(json, NULL);
        altpick_view_json_entry(report, report->running->overlay.order[site->first + i], json);
        altpick_json_end(json);
    }
}

static void put_site(const struct altpick_view_report *report, const struct altpick_site *site,
                     struct altpick_json *json)
{
    const struct altpick_overlay *overlay = &report->running->overlay;
    const struct altpick_embedded *vdso = altpick_embedded_at(&report->view->all, site->address);
    char address[ALTPICK_WHERE_BYTES];
    size_t there = 0;

    altpick_memory_where(&report->view->memory, site->address, address);
    altpick_json_object(json, NULL);
    altpick_json_text(json, "address", address);
    altpick_json_u64(json, "bytes", site->bytes);
    altpick_json_code(json, "old", altpick_memory_at(overlay->memory, site->address, &there),
                      site->bytes);
    altpick_json_code(json, "final", altpick_overlay_code(overlay, site), site->bytes);
    altpick_json_bool(json, "overlaps", site->has_neighbour);
    if (vdso)
        altpick_json_hex(json, "vdso", vdso->address);
    altpick_json_array(json, "entries");
    put_entries(report, site, json);
    altpick_json_end(json);
    altpick_json_end(json);
}

void altpick_view_json_sites(const struct altpick_view_report *report, struct altpick_out *out)
{
    const struct altpick_overlay *overlay = &report->running->overlay;
    struct altpick_json json;

    altpick_json_init(&json, out);
    altpick_view_json_head(report, &json);
    altpick_json_array(&json, "sites");
    for (size_t i = 0; i < overlay->n_sites; i++)
        put_site(report, &overlay->sites[i], &json);
    altpick_json_end(&json);
    altpick_view_json_not_modelled(report, &json);
}

void altpick_view_json_summary(const struct altpick_view_report *report, struct altpick_out *out)
{
    const struct altpick_overlay *overlay = &report->running->overlay;
    size_t applied = 0, overlapping = 0;
    struct altpick_json json;

    for (size_t i = 0; i < overlay->table->n_entries; i++)
        applied += overlay->applied[i];
    for (size_t i = 0; i < overlay->n_sites; i++)
        overlapping += overlay->sites[i].has_neighbour;
    altpick_json_init(&json, out);
    altpick_view_json_head(report, &json);
    altpick_json_u64(&json, "entries", overlay->table->n_entries);
    altpick_json_u64(&json, "applied", applied);
    altpick_json_u64(&json, "sites", overlay->n_sites);
    altpick_json_u64(&json, "overlapping_sites", overlapping);
    altpick_json_bool(&json, "returns_modelled", report->running->returns_are_known);
    altpick_json_bool(&json, "retpolines_modelled", report->running->retpolines_are_known);
    altpick_view_json_not_modelled(report, &json);
}

/* --- code ---------------------------------------------------------------------------------------
 */

static void put_instruction(const struct altpick_view_report *report,
                            const struct altpick_running_instruction *in, struct altpick_json *json)
{
    char address[ALTPICK_WHERE_BYTES];

    altpick_memory_where(&report->view->memory, in->address, address);
    altpick_json_object(json, NULL);
    altpick_json_text(json, "address", address);
    altpick_json_code(json, "code", in->code, in->bytes);
    altpick_json_text(json, "text", in->text);
    altpick_json_bool(json, "cut_off", in->is_cut);
    altpick_json_array(json, "bytes_from");
    for (size_t i = 0; i < in->bytes; i++) {
        altpick_json_object(json, NULL);
        altpick_json_text(json, "origin", altpick_origin_name(in->origin[i]));
        if (in->by[i])
            altpick_json_u64(json, "entry", in->by[i] - 1);
        altpick_json_end(json);
    }
    altpick_json_end(json);
    altpick_json_array(json, "entries");
    for (size_t i = 0; i < in->bytes; i++) {
        const struct altpick_site *site =
            altpick_overlay_site(&report->running->overlay, in->address + i);

        if (site && site->address == in->address + i)
            put_entries(report, site, json);
    }
    altpick_json_end(json);
    altpick_json_array(json, "may_be_rewritten");
    for (size_t i = 0; i < in->n_marks; i++)
        altpick_json_text(json, NULL, in->marks[i]);
    altpick_json_end(json);
    altpick_json_end(json);
}

static void put_range(const struct altpick_view_report *report,
                      const struct altpick_running_decoder *decoder,
                      const struct altpick_view_range *range, struct altpick_json *json)
{
    struct altpick_running_instruction in;
    char where[ALTPICK_WHERE_BYTES];

    altpick_view_where(report->view, range->address, where);
    altpick_json_object(json, NULL);
    altpick_json_text(json, "start", where);
    altpick_json_u64(json, "bytes", range->bytes);
    if (range->is_inside) {
        altpick_memory_where(&report->view->memory, range->inside, where);
        altpick_json_text(json, "begins_inside", where);
    }
    altpick_json_array(json, "instructions");
    for (uint64_t at = range->address; at - range->address < range->bytes; at += in.bytes) {
        if (!altpick_running_decode(decoder, at, (size_t) (range->bytes - (at - range->address)),
                                    &in))
            break;
        put_instruction(report, &in, json);
    }
    altpick_json_end(json);
    altpick_json_end(json);
}

void altpick_view_json_code(const struct altpick_view_report *report,
                            const struct altpick_running_decoder *decoder,
                            const struct altpick_view_ranges *ranges, struct altpick_out *out)
{
    struct altpick_json json;

    altpick_json_init(&json, out);
    altpick_view_json_head(report, &json);
    altpick_json_array(&json, "code");
    for (size_t i = 0; i < ranges->n; i++)
        put_range(report, decoder, &ranges->ranges[i], &json);
    altpick_json_end(&json);
    altpick_view_json_not_modelled(report, &json);
}
