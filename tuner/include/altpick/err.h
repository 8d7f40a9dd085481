/* SPDX-License-Identifier: MIT */
/* Every failure altpick can report, in one list that gives value and text. */
#ifndef ALTPICK_ERR_H
#define ALTPICK_ERR_H

/* Name, value, text.  Values are ABI: append only. */
#define ALTPICK_ERRORS(X)                                                                          \
    X(NOCLOCK, -1, "no usable cycle counter")                                                      \
    X(UNSUPPORTED, -2, "CPU or kernel lacks something that is required")                           \
    X(NOSPACE, -3, "buffer too small")                                                             \
    X(FORMAT, -4, "malformed input")                                                               \
    X(IO, -5, "input or output failed")                                                            \
    X(NOMEM, -6, "out of memory")                                                                  \
    X(UNTRUSTED, -7, "timing environment is not trustworthy")                                      \
    X(USAGE, -8, "wrong usage")                                                                    \
    X(NOFIT, -9, "profile does not fit")                                                           \
    X(UNDECIDED, -10, "undecided")                                                                 \
    X(TIMEOUT, -11, "time limit reached")                                                          \
    X(VERSION, -12, "written by a newer version")                                                  \
    X(FAULT, -13, "candidate faulted")

enum altpick_err {
    ALTPICK_OK = 0,
#define X(name, value, text) ALTPICK_E##name = (value),
    ALTPICK_ERRORS(X)
#undef X
};

/* The text of an error value, static; "unknown error" for a value not in the list. */
const char *altpick_err_text(int err);

/* Where a failing function leaves one line for the user: what, where and why.  Caller's memory. */
struct altpick_diag {
    char text[1024];
};

#endif
