/* SPDX-License-Identifier: MIT */
/* What altpick-judge.elf says to COM1: a line with a verdict, and a line for each reason. */
#ifndef ALTPICK_BOOT_JUDGE_H
#define ALTPICK_BOOT_JUDGE_H

/* Each is followed by a name of ALTPICK_TRUSTS or a text, and a line feed. */
#define ALTPICK_JUDGE_TRUST  "trust: "
#define ALTPICK_JUDGE_REASON "reason: "

#endif
