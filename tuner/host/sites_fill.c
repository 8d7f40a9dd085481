/* SPDX-License-Identifier: MIT */
/* Finds what was decided for each site, and refuses what would not fit or not run there. */
#include "sites.h"

#include "diag.h"
#include "suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALL_REL32 = 0xe8, CALL_REL32_BYTES = 5, INDIRECT_CALL_BYTES = 6 };

static int no_item(const struct altpick_site_list *list, const struct altpick_site_line *line,
                   struct altpick_diag *diag)
{
    struct altpick_suggestion suggestion = {.typed = line->site.item};

    for (size_t i = 0; altpick_item_code_name(i); i++) {
        if (strcmp(altpick_item_code_name(i), line->site.item) != 0)
            altpick_suggest(&suggestion, altpick_item_code_name(i));
    }
    return altpick_site_fail(list, line->line, diag, "no code is decided for an item '%s'%s%s%s",
                             line->site.item, suggestion.best ? "; did you mean '" : "",
                             suggestion.best ? suggestion.best : "", suggestion.best ? "'?" : "");
}

/* What @output has for the item, of whatever length. */
static int find_item(const struct altpick_site_list *list, const struct altpick_site_line *line,
                     const struct altpick_output *output, uint32_t bits,
                     struct altpick_item_code *ret_code, struct altpick_diag *diag)
{
    const struct altpick_consumer_site *site = &line->site;

    switch (altpick_item_code(output, site->item, bits, site->bytes, ret_code)) {
    case ALTPICK_ITEM_FOUND:
        return ALTPICK_OK;
    case ALTPICK_ITEM_OTHER_BITS:
        return altpick_site_fail(list, line->line, diag,
                                 "%s: is %u-bit code, and this object holds %u-bit code",
                                 site->item, bits == 64 ? 32u : 64u, bits);
    case ALTPICK_ITEM_LENGTH:
        return altpick_site_fail(list, line->line, diag,
                                 "%s: is one instruction, not padding of %u bytes", site->item,
                                 site->bytes);
    default:
        return no_item(list, line, diag);
    }
}

static int find_code(const struct altpick_site_list *list, const struct altpick_site_line *line,
                     const struct altpick_output *output, uint32_t bits,
                     struct altpick_item_code *ret_code, struct altpick_diag *diag)
{
    const struct altpick_consumer_site *site = &line->site;
    int r = find_item(list, line, output, bits, ret_code, diag);

    if (r == ALTPICK_OK && ret_code->bytes > site->bytes)
        r = altpick_site_fail(list, line->line, diag, "%s: '%s' has %u bytes, and the site only %u",
                              site->item, ret_code->body->candidate, ret_code->bytes, site->bytes);
    return r;
}

int altpick_site_list_check(const struct altpick_site_list *list, uint32_t bits,
                            struct altpick_diag *diag)
{
    struct altpick_output output;
    int r = ALTPICK_OK;

    altpick_output_default(0, &output);
    for (size_t i = 0; i < list->n_lines && r == ALTPICK_OK; i++) {
        const struct altpick_consumer_site *site = &list->lines[i].site;
        uint32_t shortest = altpick_item_code_shortest(site->item);
        struct altpick_item_code code;

        r = find_item(list, &list->lines[i], &output, bits, &code, diag);
        if (r == ALTPICK_OK && shortest > site->bytes)
            r = altpick_site_fail(list, list->lines[i].line, diag,
                                  "%s: all code that may be decided has %u bytes or more, and the "
                                  "site only %u",
                                  site->item, shortest, site->bytes);
    }
    return r;
}

/* What the consumer's engine would make of @code. */
static int check_engine(const struct altpick_site_list *list, const struct altpick_site_line *line,
                        const struct altpick_item_code *code, struct altpick_diag *diag)
{
    if (line->site.direct_call && (line->site.bytes != INDIRECT_CALL_BYTES ||
                                   code->bytes != CALL_REL32_BYTES || code->code[0] != CALL_REL32))
        return altpick_site_fail(
            list, line->line, diag,
            "direct-call: makes of an indirect call of 6 bytes a call of 5, and %s "
            "in %u bytes is none: the engine would stop",
            line->site.item, line->site.bytes);
    if (list->layout->relocates && list->layout->relocates(code->code, code->bytes))
        return altpick_site_fail(list, line->line, diag,
                                 "%s: begins with a jump inside itself, which the engine of "
                                 "layout %s would take for one to elsewhere",
                                 line->site.item, list->layout->name);
    return ALTPICK_OK;
}

/* Names of the features in @features, between commas, as many as fit. */
static void name_features(uint64_t features, char *ret, size_t capacity)
{
    size_t n = 0;

    *ret = '\0';
    for (unsigned f = 0; f < ALTPICK_N_CPU_FEATURES && n < capacity; f++) {
        if (features >> f & 1)
            n += (size_t) snprintf(ret + n, capacity - n, "%s%s", n ? "," : "",
                                   altpick_cpu_feature_name(f));
    }
}

/*
 * A feature's number is the consumer's own: what a CPU with it has is not known.  What a body needs
 * may change with the next profile, so that the consumer's promise stands in the list, and a body
 * that needs more is refused instead of run where it faults or leaves registers behind.
 */
static int check_needs(const struct altpick_site_list *list, const struct altpick_site_line *line,
                       const struct altpick_item_code *code, struct altpick_diag *diag)
{
    const char *unbound = line->always ? ", and this line is for every CPU"
                                       : ", and this line is for CPUs without a feature";
    bool is_bound = list->layout->has_feature && !line->always && !line->site.inverted;
    uint64_t missing = code->needs & ~line->implied;
    char names[256];

    if (!list->layout->has_feature) /* whoever applies the table looks */
        return ALTPICK_OK;
    if (missing) {
        name_features(missing, names, sizeof names);
        return altpick_site_fail(list, line->line, diag, "%s: '%s' needs %s%s%s", line->site.item,
                                 code->body->candidate, names,
                                 is_bound ? ": if the feature implies that, say implies=" : unbound,
                                 is_bound ? names : "");
    }
    if (code->xcr0 != UINT64_MAX && (!line->limits_xcr0 || (line->xcr0 & ~code->xcr0)))
        return altpick_site_fail(
            list, line->line, diag, "%s: '%s' is right only where XCR0 has no bit but 0x%llx%s",
            line->site.item, code->body->candidate, (unsigned long long) code->xcr0,
            is_bound ? ": if the feature implies that, say which bits it may "
                       "have: xcr0=MASK"
                     : unbound);
    return ALTPICK_OK;
}

/* The item without which @item is of no use, or NULL. */
static const char *partner_of(const char *item)
{
    static const char save[] = "xstate.save", restore[] = "xstate.restore";

    return strcmp(item, save) == 0 ? restore : strcmp(item, restore) == 0 ? save : NULL;
}

/* What a save writes only its restore reads: where the one is put in, so must be the other. */
static int check_partner(const struct altpick_site_list *list, const struct altpick_site_line *line,
                         struct altpick_diag *diag)
{
    const char *partner = partner_of(line->site.item);

    if (!partner || !list->layout->has_feature)
        return ALTPICK_OK;
    for (size_t i = 0; i < list->n_lines; i++) {
        const struct altpick_consumer_site *other = &list->lines[i].site;

        if (strcmp(other->item, partner) == 0 && other->feature == line->site.feature &&
            other->inverted == line->site.inverted)
            return ALTPICK_OK;
    }
    return altpick_site_fail(list, line->line, diag,
                             "%s: and no line puts %s in under the same feature: neither is of use "
                             "without the other",
                             line->site.item, partner);
}

int altpick_site_list_fill(const struct altpick_site_list *list,
                           const struct altpick_output *output, uint32_t bits,
                           struct altpick_consumer_site **ret_sites, struct altpick_diag *diag)
{
    struct altpick_consumer_site *sites = calloc(list->n_lines, sizeof *sites);
    int r =
        sites ? ALTPICK_OK : altpick_fail(diag, ALTPICK_ENOMEM, "%s: out of memory", list->path);

    for (size_t i = 0; i < list->n_lines && r == ALTPICK_OK; i++) {
        const struct altpick_site_line *line = &list->lines[i];

        sites[i] = line->site;
        r = find_code(list, line, output, bits, &sites[i].code, diag);
        if (r == ALTPICK_OK)
            r = check_engine(list, line, &sites[i].code, diag);
        if (r == ALTPICK_OK)
            r = check_needs(list, line, &sites[i].code, diag);
        if (r == ALTPICK_OK)
            r = check_partner(list, line, diag);
    }
    if (r < 0)
        free(sites);
    else
        *ret_sites = sites;
    return r;
}
