/* SPDX-License-Identifier: MIT */
/* The 8254 programmable interval timer. */
#ifndef ALTPICK_BOOT_PIT_H
#define ALTPICK_BOOT_PIT_H

#include <stdbool.h>
#include <stdint.h>

/* Interrupt line 0 every @period_us (at most 50000).  Returns false where there is no PIT. */
bool boot_pit_start(uint32_t period_us);

#endif
