/* SPDX-License-Identifier: MIT */
/*
 * The smallest program that measures and decides at boot, for tests/boot/size.sh: it is linked and
 * never run.  ASK_ALL asks all questions, not two of them; NO_PROFILE writes no profile.
 */
#include "altpick/boot.h"

enum { MEMORY_BYTES = 4 << 20, CODE_BYTES = 1 << 20 };

extern const struct altpick_question altpick_question_nop_fill_64, altpick_question_refcount;

/* Where a system would have its memory; their addresses do not matter here. */
extern uint8_t embedder_memory[], embedder_code[];

const char *embedder_main(struct altpick_out *out);
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);

const char *embedder_main(struct altpick_out *out)
{
    const struct altpick_question *const questions[] = {&altpick_question_nop_fill_64,
                                                        &altpick_question_refcount};
    struct altpick_boot_options options = {.memory = embedder_memory,
                                           .memory_bytes = MEMORY_BYTES,
                                           .code = embedder_code,
                                           .code_bytes = CODE_BYTES,
                                           .budget_us = 5000,
                                           .questions = questions,
                                           .n_questions = 2};
    const struct altpick_boot_choice *choice;
    struct altpick_boot boot;

#ifdef ASK_ALL
    options.questions = NULL;
    altpick_boot_ask_all(&options);
#endif
    if (altpick_boot_probe(&options, &boot) < 0)
        return NULL;
#ifndef NO_PROFILE
    altpick_profile_write(&(struct altpick_profile){boot.machine, 1}, out);
#else
    (void) out;
#endif
    choice = altpick_boot_find(&boot, "refcount.implementation");
    return choice ? choice->candidate : NULL;
}

void *memcpy(void *to, const void *from, size_t n)
{
    uint8_t *t = to;
    const uint8_t *f = from;

    while (n--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    uint8_t *t = to;
    const uint8_t *f = from;

    if ((uintptr_t) to < (uintptr_t) from)
        return memcpy(to, from, n);
    while (n--)
        t[n] = f[n];
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    uint8_t *t = to;

    while (n--)
        *t++ = (uint8_t) byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *x = a, *y = b;

    for (; n; n--, x++, y++) {
        if (*x != *y)
            return *x < *y ? -1 : 1;
    }
    return 0;
}
