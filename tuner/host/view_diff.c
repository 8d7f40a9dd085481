/* SPDX-License-Identifier: MIT */
/* What runs otherwise on another CPU, by function. */
#include "view_report.h"

#include "diag.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_MAX = 2 * ALTPICK_SITE_BYTES_MAX };

/* Code that differs. */
struct piece {
    uint64_t address;
    size_t bytes;
};

struct pieces {
    struct piece *pieces;
    size_t n;
};

static int by_address(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

/* All regions of both, those that one covers left out. */
static int collect(const struct altpick_overlay *a, const struct altpick_overlay *b,
                   struct pieces *ret_pieces, struct altpick_diag *diag)
{
    struct pieces all = {calloc(a->n_regions + b->n_regions + 1, sizeof *all.pieces), 0};
    size_t n = 0;

    if (!all.pieces)
        return altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", a->memory->image->path);
    for (size_t i = 0; i < a->n_regions; i++)
        all.pieces[all.n++] = (struct piece){a->regions[i].address, a->regions[i].bytes};
    for (size_t i = 0; i < b->n_regions; i++)
        all.pieces[all.n++] = (struct piece){b->regions[i].address, b->regions[i].bytes};
    qsort(all.pieces, all.n, sizeof *all.pieces, by_address);
    for (size_t i = 0; i < all.n; i++) {
        const struct piece *last = n ? &all.pieces[n - 1] : NULL;

        if (!last || all.pieces[i].address + all.pieces[i].bytes > last->address + last->bytes)
            all.pieces[n++] = all.pieces[i];
    }
    all.n = n;
    *ret_pieces = all;
    return ALTPICK_OK;
}

/* The bytes of @piece in both; false where they are equal. */
static bool differs(const struct altpick_overlay *a, const struct altpick_overlay *b,
                    const struct piece *piece, uint8_t *ret_a, uint8_t *ret_b)
{
    size_t bytes = piece->bytes < PIECE_MAX ? piece->bytes : PIECE_MAX;

    return altpick_overlay_read(a, piece->address, bytes, ret_a, NULL, NULL) == bytes &&
           altpick_overlay_read(b, piece->address, bytes, ret_b, NULL, NULL) == bytes &&
           memcmp(ret_a, ret_b, bytes) != 0;
}

/* Keep of @pieces what differs. */
static void keep_differing(const struct altpick_overlay *a, const struct altpick_overlay *b,
                           struct pieces *pieces)
{
    uint8_t code_a[PIECE_MAX], code_b[PIECE_MAX];
    size_t n = 0;

    for (size_t i = 0; i < pieces->n; i++) {
        if (differs(a, b, &pieces->pieces[i], code_a, code_b))
            pieces->pieces[n++] = pieces->pieces[i];
    }
    pieces->n = n;
}

/* How many from @first on are of one function; ret_function NULL: of none that is known. */
static size_t same_function(const struct altpick_view *view, const struct pieces *pieces,
                            size_t first, const struct altpick_function **ret_function)
{
    const struct altpick_function *function =
        altpick_view_function(view, pieces->pieces[first].address);
    size_t n = 1;

    while (function && first + n < pieces->n &&
           altpick_view_function(view, pieces->pieces[first + n].address) == function)
        n++;
    *ret_function = function;
    return n;
}

static int find(const struct altpick_view_report *report, struct pieces *ret_pieces,
                struct altpick_diag *diag)
{
    const struct altpick_overlay *a = &report->running->overlay;
    const struct altpick_overlay *b = &report->other->running->overlay;
    int r = collect(a, b, ret_pieces, diag);

    if (r == ALTPICK_OK)
        keep_differing(a, b, ret_pieces);
    return r;
}

static void function_name(const struct altpick_view *view, const struct altpick_function *function,
                          uint64_t address, char *ret_name)
{
    if (function)
        altpick_view_where(view, altpick_view_function_address(view, function), ret_name);
    else
        altpick_memory_where(&view->memory, address, ret_name);
}

/* Whether entry @number is why code differs, or may be: one list does not tell its feature. */
static bool is_reason(const struct altpick_view_report *report, size_t number)
{
    unsigned feature = report->view->all.table.entries[number].feature;

    return report->running->overlay.applied[number] !=
               report->other->running->overlay.applied[number] ||
           altpick_features_is_unknown(&report->list->features, feature) ||
           altpick_features_is_unknown(&report->other->list->features, feature);
}

/* Call @use with @ctx for each entry of the sites in @piece that is a reason. */
static void for_reasons(const struct altpick_view_report *report, const struct piece *piece,
                        void (*use)(const struct altpick_view_report *report, size_t number,
                                    void *ctx),
                        void *ctx)
{
    const struct altpick_overlay *overlay = &report->running->overlay;

    for (uint64_t at = piece->address; at - piece->address < piece->bytes; at++) {
        const struct altpick_site *site = altpick_overlay_site(overlay, at);

        if (!site || site->address != at)
            continue;
        for (size_t i = 0; i < site->n_entries; i++) {
            size_t number = overlay->order[site->first + i];

            if (is_reason(report, number))
                use(report, number, ctx);
        }
    }
}

/* --- text ---------------------------------------------------------------------------------------
 */

static void print_reason(const struct altpick_view_report *report, size_t number, void *ctx)
{
    const struct altpick_record *entry = &report->view->all.table.entries[number];

    altpick_line(ctx, 6, "    # %zu, %s%s: - %s; + %s", number, entry->inverted ? "not " : "",
                 altpick_view_feature(report, entry->feature).text,
                 altpick_view_fate(report, number), altpick_view_fate(report->other, number));
}

/* A piece as both lists have it, and where it is. */
struct shown {
    uint8_t runs[PIECE_MAX], other[PIECE_MAX];
    size_t bytes;
    char address[ALTPICK_WHERE_BYTES];
};

static void look(const struct altpick_view_report *report, const struct piece *piece,
                 struct shown *ret)
{
    ret->bytes = piece->bytes < PIECE_MAX ? piece->bytes : PIECE_MAX;
    differs(&report->running->overlay, &report->other->running->overlay, piece, ret->runs,
            ret->other);
    altpick_memory_where(&report->view->memory, piece->address, ret->address);
}

static void print_piece(const struct altpick_view_report *report, const struct piece *piece,
                        struct altpick_out *out)
{
    struct shown shown;

    look(report, piece, &shown);
    altpick_printf(out, "  %s\n", shown.address);
    for_reasons(report, piece, print_reason, out);
    altpick_view_print_hex(out, "    - ", shown.runs, shown.bytes);
    altpick_view_print_hex(out, "    + ", shown.other, shown.bytes);
}

int altpick_view_print_diff(const struct altpick_view_report *report, struct altpick_out *out,
                            struct altpick_diag *diag)
{
    struct pieces pieces = {.n = 0};
    size_t functions = 0, n;
    int r = find(report, &pieces, diag);

    if (r < 0)
        return r;
    altpick_view_print_head(report, out);
    for (size_t i = 0; i < pieces.n; i += n) {
        const struct altpick_function *function;
        char name[ALTPICK_WHERE_BYTES];

        n = same_function(report->view, &pieces, i, &function);
        function_name(report->view, function, pieces.pieces[i].address, name);
        altpick_printf(out, "\n%s%s\n", name, function ? "" : ", in no function that is known");
        for (size_t k = i; k < i + n; k++)
            print_piece(report, &pieces.pieces[k], out);
        functions++;
    }
    altpick_printf(out, "\n%zu functions run otherwise, at %zu places\n", functions, pieces.n);
    altpick_view_print_not_modelled(report, out);
    free(pieces.pieces);
    return ALTPICK_OK;
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

static void put_reason(const struct altpick_view_report *report, size_t number, void *ctx)
{
    struct altpick_json *json = ctx;
    unsigned feature = report->view->all.table.entries[number].feature;

    altpick_json_object(json, NULL);
    altpick_view_json_entry(report, number, json);
    altpick_json_bool(json, "other_applied", report->other->running->overlay.applied[number]);
    altpick_json_bool(json, "other_known",
                      !altpick_features_is_unknown(&report->other->list->features, feature));
    altpick_json_end(json);
}

static void put_piece(const struct altpick_view_report *report, const struct piece *piece,
                      struct altpick_json *json)
{
    struct shown shown;

    look(report, piece, &shown);
    altpick_json_object(json, NULL);
    altpick_json_text(json, "address", shown.address);
    altpick_json_code(json, "runs", shown.runs, shown.bytes);
    altpick_json_code(json, "other", shown.other, shown.bytes);
    altpick_json_array(json, "entries");
    for_reasons(report, piece, put_reason, json);
    altpick_json_end(json);
    altpick_json_end(json);
}

int altpick_view_json_diff(const struct altpick_view_report *report, struct altpick_out *out,
                           struct altpick_diag *diag)
{
    struct pieces pieces = {.n = 0};
    struct altpick_json json;
    size_t n;
    int r = find(report, &pieces, diag);

    if (r < 0)
        return r;
    altpick_json_init(&json, out);
    altpick_view_json_head(report, &json);
    altpick_json_array(&json, "functions");
    for (size_t i = 0; i < pieces.n; i += n) {
        const struct altpick_function *function;
        char name[ALTPICK_WHERE_BYTES];

        n = same_function(report->view, &pieces, i, &function);
        function_name(report->view, function, pieces.pieces[i].address, name);
        altpick_json_object(&json, NULL);
        altpick_json_text(&json, "function", name);
        altpick_json_bool(&json, "is_known", function != NULL);
        altpick_json_array(&json, "sites");
        for (size_t k = i; k < i + n; k++)
            put_piece(report, &pieces.pieces[k], &json);
        altpick_json_end(&json);
        altpick_json_end(&json);
    }
    altpick_json_end(&json);
    altpick_view_json_not_modelled(report, &json);
    free(pieces.pieces);
    return ALTPICK_OK;
}
