/* SPDX-License-Identifier: MIT */
/* Turns -f, --flavour, --layout and --sites into a form, and an output into its text. */
#include "emit.h"

#include "diag.h"

#include <stdlib.h>
#include <string.h>

/* Names between commas, as many as fit. */
struct names {
    char text[256];
};

static void add_name(struct names *names, const char *name)
{
    strncat(names->text, names->text[0] ? ", " : "", sizeof names->text - 1 - strlen(names->text));
    strncat(names->text, name, sizeof names->text - 1 - strlen(names->text));
}

static int find_generator(const char *name, const struct altpick_generator **ret_generator,
                          struct altpick_diag *diag)
{
    struct names known = {""};

    for (size_t i = 0; i < altpick_generator_count; i++)
        add_name(&known, altpick_generators[i]->name);
    if (!name)
        return altpick_fail(diag, ALTPICK_EUSAGE, "-f FORMAT is needed; formats: %s", known.text);
    *ret_generator = altpick_generator_find(name);
    return *ret_generator ? ALTPICK_OK
                          : altpick_fail(diag, ALTPICK_EUSAGE,
                                         "there is no format '%s'; formats: %s", name, known.text);
}

/* The first flavour unless it is named; NULL where the format has none. */
static int find_flavour(const struct altpick_generator *generator, const char *name,
                        const char **ret_flavour, struct altpick_diag *diag)
{
    struct names known = {""};

    *ret_flavour = NULL;
    for (size_t i = 0; generator->flavours && generator->flavours[i]; i++) {
        add_name(&known, generator->flavours[i]);
        if (!*ret_flavour && (!name || strcmp(generator->flavours[i], name) == 0))
            *ret_flavour = generator->flavours[i];
    }
    if (name && !*ret_flavour)
        return altpick_fail(diag, ALTPICK_EUSAGE, "format %s has no flavour '%s'; flavours: %s",
                            generator->name, name, known.text[0] ? known.text : "none");
    return ALTPICK_OK;
}

static int find_layout(const struct altpick_generator *generator, const char *name,
                       const struct altpick_site_layout **ret_layout, struct altpick_diag *diag)
{
    struct names known = {""};

    for (size_t i = 0; generator->layouts && generator->layouts[i].name; i++) {
        add_name(&known, generator->layouts[i].name);
        if (strcmp(generator->layouts[i].name, name) == 0) {
            *ret_layout = &generator->layouts[i];
            return ALTPICK_OK;
        }
    }
    return altpick_fail(diag, ALTPICK_EUSAGE, "format %s has no layout '%s'; layouts: %s",
                        generator->name, name, known.text[0] ? known.text : "none");
}

/* --layout and --sites say nothing without each other. */
static int check_options(const struct altpick_options *options, struct altpick_diag *diag)
{
    if (options->layout && !options->sites)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--layout needs --sites FILE");
    if (options->sites && !options->layout)
        return altpick_fail(diag, ALTPICK_EUSAGE, "--sites needs --layout NAME");
    for (size_t i = 0; options->sites && i < options->n_operands; i++) {
        if (strcmp(options->sites, "-") == 0 && strcmp(options->operands[i], "-") == 0)
            return altpick_fail(diag, ALTPICK_EUSAGE,
                                "standard input cannot be both profile and sites");
    }
    return ALTPICK_OK;
}

/* A flavour with a layout is a kind of code; only elf32 is 32-bit code. */
static uint32_t bits_of(const struct altpick_emit_form *form)
{
    return form->flavour && strcmp(form->flavour, "elf32") == 0 ? 32 : 64;
}

int altpick_emit_form(const struct altpick_options *options, struct altpick_emit_form *ret_form,
                      struct altpick_diag *diag)
{
    struct altpick_emit_form form = {0};
    int r;

    r = find_generator(options->format, &form.generator, diag);
    if (r == ALTPICK_OK)
        r = find_flavour(form.generator, options->flavour, &form.flavour, diag);
    if (r == ALTPICK_OK)
        r = check_options(options, diag);
    if (r == ALTPICK_OK && options->layout)
        r = find_layout(form.generator, options->layout, &form.layout, diag);
    if (r == ALTPICK_OK && options->layout)
        r = altpick_site_list_read(options->sites, form.layout, &form.sites, diag);
    if (r == ALTPICK_OK && options->layout)
        r = altpick_site_list_check(&form.sites, bits_of(&form), diag);
    if (r == ALTPICK_OK)
        *ret_form = form;
    else
        altpick_emit_form_fini(&form);
    return r;
}

void altpick_emit_form_fini(struct altpick_emit_form *form)
{
    altpick_site_list_fini(&form->sites);
}

static int emit_sites(const struct altpick_emit_form *form, const struct altpick_output *output,
                      struct altpick_out *out, struct altpick_diag *diag)
{
    struct altpick_consumer_site *sites;
    int r;

    r = altpick_site_list_fill(&form->sites, output, bits_of(form), &sites, diag);
    if (r < 0)
        return r;
    r = form->generator->emit_sites(form->layout, form->flavour, sites, form->sites.n_lines, out);
    free(sites);
    return r < 0 ? altpick_fail(diag, r, "layout %s: %s", form->layout->name, altpick_err_text(r))
                 : ALTPICK_OK;
}

int altpick_emit_output(const struct altpick_emit_form *form, const struct altpick_output *output,
                        struct altpick_text *ret_text, struct altpick_diag *diag)
{
    struct altpick_text text;
    struct altpick_out out;
    int r;

    altpick_text_init(&text, &out);
    if (form->layout) {
        r = emit_sites(form, output, &out, diag);
    } else {
        r = form->generator->emit(output, form->flavour, &out);
        if (r == ALTPICK_OK)
            r = out.err;
        if (r < 0)
            altpick_fail(diag, r, "format %s: %s", form->generator->name, altpick_err_text(r));
    }
    if (r < 0)
        altpick_text_fini(&text);
    else
        *ret_text = text;
    return r;
}
