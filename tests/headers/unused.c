/* SPDX-License-Identifier: MIT */
/* Includes an emitted header twice and uses nothing of it. */
#include ALTPICK_EMITTED
#include ALTPICK_EMITTED

int unused(void);

int unused(void)
{
    return 0;
}
