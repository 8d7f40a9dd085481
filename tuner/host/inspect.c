/* SPDX-License-Identifier: MIT */
/* One file inspected and printed. */
#include "inspect.h"

#include "diag.h"
#include "inspect_print.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

static int find_layout(const char *name, const struct altpick_layout **ret_layout,
                       struct altpick_diag *diag)
{
    char names[256] = "";

    *ret_layout = name ? altpick_layout_find(name) : NULL;
    if (*ret_layout || !name)
        return ALTPICK_OK;
    for (size_t i = 0; i < altpick_layout_count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 altpick_layouts[i]->name);
    return altpick_fail(diag, ALTPICK_EUSAGE, "--layout: '%s' is none of %s", name, names);
}

/* Whatever can fail comes before anything is printed. */
static int print(const struct altpick_inspection *inspection,
                 const struct altpick_inspect_wish *wish, struct altpick_json *json,
                 struct altpick_out *out, struct altpick_diag *diag)
{
    struct altpick_disassembler disassembler = {.image = NULL};
    int r = ALTPICK_OK;

    if (wish->with_records)
        r = altpick_disassembler_init(&inspection->image, &disassembler, diag);
    if (r < 0)
        return r;
    if (json) {
        altpick_inspect_json(inspection, wish->with_records ? &disassembler : NULL, json);
    } else {
        altpick_inspect_text(inspection, out);
        if (wish->with_records)
            altpick_inspect_records_text(inspection, &disassembler, out);
    }
    altpick_disassembler_fini(&disassembler);
    return ALTPICK_OK;
}

int altpick_inspect_file(const char *path, const struct altpick_inspect_wish *wish,
                         struct altpick_json *json, struct altpick_out *out,
                         struct altpick_diag *diag)
{
    struct altpick_inspection inspection;
    const struct altpick_layout *layout;
    int r = find_layout(wish->layout, &layout, diag);

    if (r < 0)
        return r;
    r = altpick_inspection_read(path, layout, wish->with_census, &inspection, diag);
    if (r < 0)
        return r;
    r = print(&inspection, wish, json, out, diag);
    altpick_inspection_fini(&inspection);
    return r;
}

void altpick_inspect_failed_json(const char *path, const char *why, struct altpick_json *json)
{
    altpick_json_object(json, NULL);
    altpick_json_text(json, "file", path);
    altpick_json_text(json, "error", why);
    altpick_json_end(json);
}
