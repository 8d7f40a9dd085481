/* SPDX-License-Identifier: MIT */
/* Prints what this environment's timings are worth, why, and the figures behind it. */
#include "altpick/clock.h"
#include "altpick/trust.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kernel_names[] = {
#define X(id, name) name,
    ALTPICK_TRUST_KERNELS(X)
#undef X
};

static void print_figures(const struct altpick_trust_figures *figures)
{
    for (unsigned k = 0; k < ALTPICK_N_TRUST_KERNELS; k++) {
        uint64_t x100 = figures->ticks_x100[k];

        if (x100 == UINT64_MAX)
            printf("  %-20s          -\n", kernel_names[k]);
        else
            printf("  %-20s %7" PRIu64 ".%02u\n", kernel_names[k], x100 / 100,
                   (unsigned) (x100 % 100));
    }
    printf("  %-20s %7" PRIu32 "\n", "clock step", figures->quantum_ticks);
}

/* Exit status: 0 usable, 3 not, as `altpick probe` has it. */
int main(void)
{
    struct altpick_cpu cpu;
    struct altpick_trust_figures figures;
    struct altpick_trust_verdict verdict;
    uint64_t start, stop;

    altpick_cpu_read(&altpick_cpuid_native, &cpu);
    start = altpick_clock_start();
    altpick_trust_measure(&cpu, NULL, &figures);
    stop = altpick_clock_stop();
    altpick_trust_judge(&figures, &cpu, &verdict);

    printf("%s: %s %s, %" PRIu64 " ticks to find out\n", altpick_trust_name(verdict.trust),
           cpu.vendor, cpu.brand, stop - start);
    print_figures(&figures);
    for (size_t i = 0; i < verdict.n_reasons; i++)
        printf("  - %s\n", verdict.reason[i]);
    return altpick_trust_is_usable(verdict.trust) ? 0 : 3;
}
