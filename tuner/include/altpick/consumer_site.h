/* SPDX-License-Identifier: MIT */
/* A place in a consumer's code that its own engine patches, and the layouts of such engines. */
#ifndef ALTPICK_CONSUMER_SITE_H
#define ALTPICK_CONSUMER_SITE_H

#include "altpick/item_code.h"

#include <stdbool.h>
#include <stdint.h>

/* What can be said about a site in the records of one engine. */
struct altpick_site_layout {
    const char *name;        /* "linux14"; --layout NAME */
    const char *title;       /* one line for people: whose engine it is */
    uint32_t site_bytes_max; /* longer sites stop the engine */
    bool has_feature;        /* a record names a feature on which it depends */
    uint32_t feature_max;
    uint32_t feature_always; /* the number of a feature that every CPU has */
    bool has_not;            /* a record can depend on a feature's absence */
    bool has_padding;        /* a record tells how much of the default code is padding */
    bool has_direct_call;    /* an indirect call can be made direct */
    bool many_at_one_site;   /* later records replace what earlier ones put there */

    /*
     * Whether the engine would take the first instruction of @code for a branch to somewhere else
     * and change its displacement.  NULL: it never does.
     */
    bool (*relocates)(const uint8_t *code, uint32_t bytes);
};

/* One record: a site, and what replaces its default code.  Texts are the caller's. */
struct altpick_consumer_site {
    const char *symbol; /* of the site, defined by the consumer */
    const char *item;
    uint32_t bytes;         /* of the site, 1 to site_bytes_max */
    uint32_t padding_bytes; /* at the end of its default code */
    uint32_t feature;
    bool inverted; /* replaced where the feature is absent */
    bool direct_call;
    struct altpick_item_code code; /* of at most @bytes bytes */
};

#endif
