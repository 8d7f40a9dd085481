/* SPDX-License-Identifier: MIT */
/* How a boot program ends. */
#ifndef ALTPICK_BOOT_LEAVE_H
#define ALTPICK_BOOT_LEAVE_H

/*
 * What goes to QEMU's isa-debug-exit at port 0xf4; QEMU then exits with 2 n + 1, which is none of
 * its own values.  start.S knows BOOT_LEAVE_UNFIT.
 */
enum boot_leave {
    BOOT_LEAVE_DONE = 0x10,      /* QEMU: 33 */
    BOOT_LEAVE_FAILED = 0x11,    /* 35: the last lines say why */
    BOOT_LEAVE_UNFIT = 0x12,     /* 37: the CPU lacks what is needed */
    BOOT_LEAVE_UNTRUSTED = 0x13, /* 39: done, but no timing of this machine can be believed */
    BOOT_LEAVE_LEAK = 0x14,      /* 41: done, and altpick-leak found something */
};

/* Leave the virtual machine if it has that device, else stop the CPU for good. */
_Noreturn void boot_leave(enum boot_leave how);

#endif
