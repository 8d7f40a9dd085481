/* SPDX-License-Identifier: MIT */
/* How fast the time-stamp counter runs, by firmware's own clock. */
#include "rate.h"

#include "altpick/clock.h"

enum { READINGS = 5, READING_US = 10000 };

#define HZ_MIN UINT64_C(100000000)
#define HZ_MAX UINT64_C(20000000000)

uint64_t efi_rate_of_tsc(struct efi_boot_services *boot)
{
    uint64_t least = UINT64_MAX, hz;

    /* Stall() takes that long or longer (7.5.2), so the shortest is the one to believe. */
    for (unsigned i = 0; i < READINGS; i++) {
        uint64_t start = altpick_clock_start(), ticks;

        if (boot->stall(READING_US) != EFI_SUCCESS)
            return 0;
        ticks = altpick_clock_start() - start;
        least = ticks < least ? ticks : least;
    }
    if (least > HZ_MAX)
        return 0;
    hz = least * (1000000 / READING_US);
    return hz < HZ_MIN || hz > HZ_MAX ? 0 : hz;
}
