/* SPDX-License-Identifier: MIT */
/* What `view` prints: a summary, sites, code as it runs, and what differs between two CPUs. */
#ifndef ALTPICK_HOST_VIEW_REPORT_H
#define ALTPICK_HOST_VIEW_REPORT_H

#include "view_asked.h"
#include "view_features.h"

#include "elf/running_code.h"
#include "elf/view.h"

#include "altpick/json.h"
#include "altpick/out.h"

/* An image on a CPU. */
struct altpick_view_report {
    const struct altpick_view *view;
    const struct altpick_running *running;
    const struct altpick_view_list *list;   /* the CPU's features */
    const struct altpick_feature_map *map;  /* NULL: none */
    const char *map_path;                   /* NULL: none */
    const struct altpick_view_asked *asked; /* n_asked of them */
    size_t n_asked;
    bool is_intel;
    /* The CPU that this one is compared with, of the same image; NULL: none. */
    const struct altpick_view_report *other;
};

/* Code to show: addresses of the view's memory. */
struct altpick_view_range {
    uint64_t address, bytes;
    bool is_inside;  /* it begins within an instruction of the function that it is in, */
    uint64_t inside; /* which is there */
};

struct altpick_view_ranges {
    struct altpick_view_range *ranges;
    size_t n;
};

/*
 * The functions called @name, or (NULL) the range @text: "A-B" in hexadecimal, B not included, in a
 * relocatable file "SECTION+A-B".  ALTPICK_EUSAGE for what is neither, ALTPICK_ENOFIT for a name
 * that is not there or a range outside code.  The caller frees ret_ranges->ranges.
 */
int altpick_view_ranges_find(const struct altpick_view *view, const char *name, const char *text,
                             struct altpick_view_ranges *ret_ranges, struct altpick_diag *diag);

/* Find which of @ranges begin inside an instruction, by decoding from the start of their functions;
 * of code in no function that is known, and behind bytes that do not decode, nothing is said. */
void altpick_view_ranges_check(const struct altpick_running_decoder *decoder,
                               struct altpick_view_ranges *ranges);

void altpick_view_print_summary(const struct altpick_view_report *report, struct altpick_out *out);
void altpick_view_print_sites(const struct altpick_view_report *report, struct altpick_out *out);
void altpick_view_print_code(const struct altpick_view_report *report,
                             const struct altpick_running_decoder *decoder,
                             const struct altpick_view_ranges *ranges, struct altpick_out *out);

/* Head and tail that every text has: what it is of, and what is not modelled. */
void altpick_view_print_head(const struct altpick_view_report *report, struct altpick_out *out);
void altpick_view_print_not_modelled(const struct altpick_view_report *report,
                                     struct altpick_out *out);

/* The same as members of one JSON object, which is opened and closed here. */
void altpick_view_json_head(const struct altpick_view_report *report, struct altpick_json *json);
void altpick_view_json_not_modelled(const struct altpick_view_report *report,
                                    struct altpick_json *json);
void altpick_view_json_summary(const struct altpick_view_report *report, struct altpick_out *out);
void altpick_view_json_sites(const struct altpick_view_report *report, struct altpick_out *out);
void altpick_view_json_code(const struct altpick_view_report *report,
                            const struct altpick_running_decoder *decoder,
                            const struct altpick_view_ranges *ranges, struct altpick_out *out);

/* The functions whose code report->other runs otherwise than @report.  ALTPICK_ENOMEM. */
int altpick_view_print_diff(const struct altpick_view_report *report, struct altpick_out *out,
                            struct altpick_diag *diag);
int altpick_view_json_diff(const struct altpick_view_report *report, struct altpick_out *out,
                           struct altpick_diag *diag);

/* An entry of a table as an object of @json, with what became of it. */
void altpick_view_json_entry(const struct altpick_view_report *report, size_t entry,
                             struct altpick_json *json);

/* Bytes as hexadecimal behind the two words @what, on as many lines as they need. */
void altpick_view_print_hex(struct altpick_out *out, const char *what, const uint8_t *code,
                            size_t bytes);

/* "9*32+20 smap", the name where there is one, to be used within the expression that made it. */
struct altpick_view_name {
    char text[80];
};
struct altpick_view_name altpick_view_feature(const struct altpick_view_report *report,
                                              unsigned number);

/* How many of the features that the table asks for nobody told, and how many have no name in the
 * map, of which there is one. */
size_t altpick_view_unknown(const struct altpick_view_report *report);
size_t altpick_view_unnamed(const struct altpick_view_report *report);

/* What became of an entry: "applied, it is present", "not applied, unknown, taken as absent". */
const char *altpick_view_fate(const struct altpick_view_report *report, size_t entry);

#endif
