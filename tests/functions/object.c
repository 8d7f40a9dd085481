/* SPDX-License-Identifier: MIT */
/* Functions of all kinds, for a relocatable file and a program to be read. */
#include <stddef.h>

int global_one(int x);
int global_alias(int x);
int weak_one(int x);
int in_section(int x);
extern int undefined_one(int x) __attribute__((weak));

static __attribute__((noinline, used)) int local_one(int x)
{
    return 3 * x + 1;
}

int global_one(int x)
{
    return undefined_one ? undefined_one(x) : local_one(x);
}

int global_alias(int x) __attribute__((alias("global_one")));

__attribute__((weak)) int weak_one(int x)
{
    return local_one(x) ^ 5;
}

__attribute__((section(".text.hot_one"))) int in_section(int x)
{
    return weak_one(x) - 2;
}

const size_t data_one = 1;
