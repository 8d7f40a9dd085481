/* SPDX-License-Identifier: MIT */
/*
 * altpick-judge.elf: says whether timing in ring 0 of the machine that it was booted on means
 * anything.  `probe --ring0=kvm` boots it first: an interpreter of ring 0 takes a second for this,
 * and minutes for all that comes after it in altpick-boot.elf, where it may lack instructions, too.
 */
#include "judge.h"

#include "info.h"
#include "leave.h"
#include "serial.h"

#include "altpick/clock.h"
#include "altpick/trust.h"

enum { SECONDS = 5 }; /* whatever the machine is */

static void say(const char *head, const char *text)
{
    struct altpick_out serial = boot_serial_out();

    altpick_out_text(&serial, head);
    altpick_out_text(&serial, text);
    altpick_out_text(&serial, "\n");
}

void boot_main(const struct boot_info *info)
{
    struct altpick_trust_effort effort = {.deadline_ticks = UINT64_MAX};
    struct altpick_trust_figures figures;
    struct altpick_trust_verdict verdict;
    struct altpick_cpu cpu;

    if (info->tsc_hz)
        effort.deadline_ticks = altpick_clock_start() + SECONDS * info->tsc_hz;
    altpick_cpu_read(&altpick_cpuid_native, &cpu); /* no XGETBV: CR4.OSXSAVE is not set */
    altpick_trust_measure(&cpu, &effort, &figures);
    altpick_trust_judge(&figures, &cpu, &verdict);
    say(ALTPICK_JUDGE_TRUST, altpick_trust_name(verdict.trust));
    for (size_t i = 0; i < verdict.n_reasons; i++)
        say(ALTPICK_JUDGE_REASON, verdict.reason[i]);
    boot_leave(altpick_trust_is_usable(verdict.trust) ? BOOT_LEAVE_DONE : BOOT_LEAVE_UNTRUSTED);
}
