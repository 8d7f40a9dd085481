/* SPDX-License-Identifier: MIT */
/* Functions that hold sites, in several files and languages. */
#ifndef ALTPICK_TEST_SITES_H
#define ALTPICK_TEST_SITES_H

#ifdef __cplusplus
extern "C" {
#endif

int count_in_c(int n);
int unused_in_c(int n);
int count_elsewhere(int n);
int unused_elsewhere(int n);
int count_in_assembly(int n);

#ifdef __cplusplus
}
#endif
#endif
