/* SPDX-License-Identifier: MIT */
/* Sites in code that C++ puts into each object, for the linker to keep one. */
#ifndef TESTS_TWO_FILES_H
#define TESTS_TWO_FILES_H

#include "altpick/site.h"

struct counter {
    unsigned n;

    unsigned get()
    {
        unsigned result, report;

        ALTPICK_SITE_COUNT("refcount.inc", "lock; incl (%%rdi)", 40, &n, 1u, result, report);
        return report;
    }
};

template <typename T> inline void gap(T)
{
    ALTPICK_SITE_GAP(20);
}

unsigned in_the_other_file(counter *);

#endif
