/* SPDX-License-Identifier: MIT */
/* Compiles when HEADER needs nothing before it. */
#include HEADER

int main(void)
{
    return 0;
}
