/* SPDX-License-Identifier: MIT */
/* Every site: its bytes in the file and as they run, and what its entries did. */
#include "view_report.h"

#include "table.h"
#include "text.h"

#include <string.h>

static void print_site(const struct altpick_view_report *report, const struct altpick_site *site,
                       struct altpick_out *out)
{
    const struct altpick_overlay *overlay = &report->running->overlay;
    char address[ALTPICK_WHERE_BYTES], where[ALTPICK_WHERE_BYTES];
    size_t there = 0;

    altpick_memory_where(&report->view->memory, site->address, address);
    altpick_view_where(report->view, site->address, where);
    altpick_line(out, 2, "%s %s%s%s%zu bytes%s", address, strcmp(where, address) ? "<" : "",
                 strcmp(where, address) ? where : "", strcmp(where, address) ? ">, " : "",
                 site->bytes, site->has_neighbour ? ", overlaps another site" : "");
    altpick_view_print_hex(out, "  file   ",
                           altpick_memory_at(overlay->memory, site->address, &there), site->bytes);
    altpick_view_print_hex(out, "  runs   ", altpick_overlay_code(overlay, site), site->bytes);
    for (size_t i = 0; i < site->n_entries; i++) {
        size_t number = overlay->order[site->first + i];
        const struct altpick_record *entry = &overlay->table->entries[number];

        altpick_line(out, 9, "  %-6zu %s%s%s: %s", number, entry->inverted ? "not " : "",
                     altpick_view_feature(report, entry->feature).text,
                     entry->direct_call ? ", direct call" : "", altpick_view_fate(report, number));
    }
}

void altpick_view_print_sites(const struct altpick_view_report *report, struct altpick_out *out)
{
    const struct altpick_overlay *overlay = &report->running->overlay;

    altpick_view_print_head(report, out);
    altpick_printf(out, "\n");
    for (size_t i = 0; i < overlay->n_sites; i++)
        print_site(report, &overlay->sites[i], out);
    altpick_view_print_not_modelled(report, out);
}
