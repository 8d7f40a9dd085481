/* SPDX-License-Identifier: MIT */
/* The list of a consumer's sites: a text file, read, checked, and filled with code. */
#ifndef ALTPICK_HOST_SITES_H
#define ALTPICK_HOST_SITES_H

#include "altpick/consumer_site.h"
#include "altpick/err.h"
#include "altpick/output.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line: a site without its code, and what the consumer says of its feature. */
struct altpick_site_line {
    struct altpick_consumer_site site; /* texts point into the list's */
    size_t line;
    bool always;      /* the feature is one that every CPU has */
    bool implies;     /* what a CPU with the feature has was said */
    uint64_t implied; /* bit n: enum altpick_cpu_feature n */
    bool limits_xcr0; /* which bits of XCR0 may be set there was said */
    uint64_t xcr0;
};

/* Zeroed memory is an empty list. */
struct altpick_site_list {
    const char *path; /* as in messages; belongs to the caller */
    const struct altpick_site_layout *layout;
    char *text;
    struct altpick_site_line *lines; /* lines of one symbol together, else as in the file */
    size_t n_lines;
};

/*
 * Read the list in @path ("-": standard input) for records of @layout.  Everything that can be
 * known without decisions is checked: ALTPICK_EFORMAT and "file:line: reason" where it is wrong.
 */
int altpick_site_list_read(const char *path, const struct altpick_site_layout *layout,
                           struct altpick_site_list *ret_list, struct altpick_diag *diag);
void altpick_site_list_fini(struct altpick_site_list *list);

/*
 * Refuse, before anything is measured, what no decision makes right: items that there are not or
 * not in code of @bits, and sites in which none of their code fits.  Errors as below.
 */
int altpick_site_list_check(const struct altpick_site_list *list, uint32_t bits,
                            struct altpick_diag *diag);

/*
 * Find in @output the code of every site of @list, in code of @bits (64 or 32); writes sites in the
 * list's order to *ret_sites, which the caller frees and whose texts belong to the list.
 * ALTPICK_EFORMAT and "file:line: reason" where there is none, it does not fit, or what it needs
 * of a CPU is not implied.
 */
int altpick_site_list_fill(const struct altpick_site_list *list,
                           const struct altpick_output *output, uint32_t bits,
                           struct altpick_consumer_site **ret_sites, struct altpick_diag *diag);

enum { ALTPICK_SITE_FIELDS_MAX = 12 };

/* The fields of one line, NUL-terminated where they stand; those that are not there are "". */
struct altpick_site_fields {
    char *text[ALTPICK_SITE_FIELDS_MAX];
    size_t n;
};

/* sites_fields.c: fill @line, whose number is known, from its fields, and check each of them. */
int altpick_site_take_fields(const struct altpick_site_list *list,
                             const struct altpick_site_fields *fields,
                             struct altpick_site_line *line, struct altpick_diag *diag);

/* sites_order.c: bring lines of one symbol together, and refuse those that contradict. */
int altpick_site_list_order(struct altpick_site_list *list, struct altpick_diag *diag);

/* "file:line: " and a reason into @diag; returns ALTPICK_EFORMAT. */
__attribute__((format(printf, 4, 5))) int altpick_site_fail(const struct altpick_site_list *list,
                                                            size_t line, struct altpick_diag *diag,
                                                            const char *format, ...);

#endif
