/* SPDX-License-Identifier: MIT */
/* A boot program in a smallest virtual machine of this process: one CPU, memory, a serial line. */
#ifndef ALTPICK_HOST_KVM_H
#define ALTPICK_HOST_KVM_H

#include "text.h"

#include "altpick/err.h"

#include <stddef.h>
#include <stdint.h>

/* What to run.  Nothing of it is kept. */
struct altpick_kvm_options {
    const char *device;   /* "/dev/kvm" */
    const uint8_t *image; /* an ELF64 file with a symbol boot_entry64: see boot/common/info.h */
    size_t image_bytes;
    const char *command_line; /* what the program is told; NULL: nothing */
    size_t memory_bytes;      /* of the machine, a multiple of 4096; 0: 128 MiB behind the image */
    uint32_t time_ms;         /* after which it is stopped, whatever it does; not 0 */
};

/* How it ended, where it ended by itself. */
struct altpick_kvm_end {
    struct altpick_text serial; /* all that it sent to COM1; freed by the caller */
    uint32_t code;              /* what it wrote to port 0xf4: enum boot_leave */
};

/*
 * Run it on the CPU that this thread is pinned to, if it is.  The machine has the CPUID that KVM
 * supports, 4 GiB mapped to themselves, a UART at COM1, and port 0xf4 to leave by.  The ports of
 * interrupt controllers, timer and speaker are those of a machine without them; no interrupt ever
 * comes.  Only the calling thread is used.
 *
 * Returns 0 with *ret_end; else a message in words and
 *   ALTPICK_EUNSUPPORTED  there is no KVM here that could do it; nothing was run
 *   ALTPICK_EFORMAT       @image is no such program, or does not fit into the memory
 *   ALTPICK_EIO, ENOMEM   a call of the system failed
 *   ALTPICK_EFAULT        the program cannot go on: it says at which instruction and why
 *   ALTPICK_ETIMEOUT      it was stopped
 * Whatever is returned, files, mappings, timer and signal mask are what they were before.
 */
int altpick_kvm_run(const struct altpick_kvm_options *options, struct altpick_kvm_end *ret_end,
                    struct altpick_diag *diag);

#endif
