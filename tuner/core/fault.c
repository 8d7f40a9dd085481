/* SPDX-License-Identifier: MIT */
/* Turns what ended a candidate, a signal or an exception, into words. */
#include "altpick/result.h"

#include "bytes.h"

/* Numbers of Linux on x86, where the host has seen them (tuner/host/findings.c compares them). */
static const struct {
    uint8_t number;
    char name[8];
} signals[] = {
    {4,  "SIGILL" },
    {5,  "SIGTRAP"},
    {7,  "SIGBUS" },
    {8,  "SIGFPE" },
    {11, "SIGSEGV"},
};

/* SDM vol. 3, 6.3; APM vol. 2, 8.2.  Vectors 9, 15 and 22 to 27 have no name in use. */
static const char exceptions[][4] = {
    [0] = "#DE",  [1] = "#DB",  [2] = "NMI",  [3] = "#BP",  [4] = "#OF",  [5] = "#BR",
    [6] = "#UD",  [7] = "#NM",  [8] = "#DF",  [10] = "#TS", [11] = "#NP", [12] = "#SS",
    [13] = "#GP", [14] = "#PF", [16] = "#MF", [17] = "#AC", [18] = "#MC", [19] = "#XM",
    [20] = "#VE", [21] = "#CP", [28] = "#HV", [29] = "#VC", [30] = "#SX",
};

static const char *name_of(uint8_t fault)
{
    unsigned vector = fault & ~(unsigned) ALTPICK_FAULT_VECTOR;

    if (fault & ALTPICK_FAULT_VECTOR)
        return vector < sizeof exceptions / sizeof *exceptions && exceptions[vector][0]
                   ? exceptions[vector]
                   : NULL;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (signals[i].number == fault)
            return signals[i].name;
    }
    return NULL;
}

void altpick_fault_text(uint8_t fault, char *text, size_t capacity)
{
    const char *name = name_of(fault);

    if (name) {
        altpick_append(text, capacity, name);
        return;
    }
    altpick_append(text, capacity, fault & ALTPICK_FAULT_VECTOR ? "vector " : "signal ");
    altpick_append_u64(text, capacity, fault & ~(unsigned) ALTPICK_FAULT_VECTOR);
}
