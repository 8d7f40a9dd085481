/* SPDX-License-Identifier: MIT */
/* What a module made of an emitted header gives to the check that loads it. */
#ifndef ALTPICK_TEST_EMITTED_H
#define ALTPICK_TEST_EMITTED_H

struct emitted_body {
    const char *name;          /* "fpu.init"; NULL ends a list */
    const char *candidate;     /* as the header calls it; NULL: the header does not say */
    const unsigned char *code; /* its bytes */
    unsigned long bytes;       /* 0: they end in a return */
    void (*run)(void);         /* the function; NULL: only bytes, of 32-bit code */
    void (*run_without)(void); /* the same, told that the CPU lacks what it asks for; NULL */
};

struct emitted_count {
    const char *name;    /* "inc"; NULL ends a list */
    const char *variant; /* as the header calls it; NULL: the header does not say */
    const unsigned char *code;
    unsigned long bytes;
    /* Returns what the function returns, 0 where nothing; *report: what the hook was told. */
    unsigned int (*run)(unsigned int *counter, unsigned int amount, unsigned int *report);
};

#endif
