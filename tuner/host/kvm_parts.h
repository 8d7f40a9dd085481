/* SPDX-License-Identifier: MIT */
/* The parts of a virtual machine: kvm.c puts them together. */
#ifndef ALTPICK_HOST_KVM_PARTS_H
#define ALTPICK_HOST_KVM_PARTS_H

#include "kvm.h"

#include <linux/kvm.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Physical memory: guest addresses 0 to bytes. */
struct altpick_kvm_memory {
    uint8_t *base;
    size_t bytes;
};

/* Where a program lies and begins. */
struct altpick_kvm_program {
    uint64_t entry;
    uint64_t end; /* of its highest segment */
};

enum { ALTPICK_KVM_LOW_BYTES = 1 << 20 }; /* below it there are tables and the stack */

/* Where @image begins and ends.  ALTPICK_EFORMAT and a message when it is no program for this. */
int altpick_kvm_image_check(const uint8_t *image, size_t bytes,
                            struct altpick_kvm_program *ret_program, struct altpick_diag *diag);

/* Put the segments of @image, which was checked, into @memory, which has room for them. */
void altpick_kvm_image_load(const uint8_t *image, const struct altpick_kvm_memory *memory);

/* Put page tables, GDT, TSS and the struct boot_info of boot_entry64() into @memory. */
void altpick_kvm_start_fill(const struct altpick_kvm_memory *memory, int vcpu,
                            const char *command_line);

/* What the CPU begins with: CPUID, and long mode at @entry. */
int altpick_kvm_start_cpu(int kvm, int vcpu, uint64_t entry, struct altpick_diag *diag);

/* The ports of the machine. */
struct altpick_kvm_ports {
    struct altpick_text serial;
    struct altpick_out serial_out;
    uint8_t interrupts, line, modem, scratch, divisor[2]; /* of the UART */
    uint8_t looped;                                       /* what it sent to itself */
    bool has_looped;
    bool ended; /* port 0xf4 was written */
    uint32_t code;
};

void altpick_kvm_ports_init(struct altpick_kvm_ports *ports);
void altpick_kvm_ports_fini(struct altpick_kvm_ports *ports);

/* Do what @run, which stopped for port I/O, asks.  ALTPICK_EFAULT and a message: no such port. */
int altpick_kvm_ports_serve(struct altpick_kvm_ports *ports, struct kvm_run *run,
                            struct altpick_diag *diag);

/* Why the CPU stopped, other than for a port, in words.  Returns ALTPICK_EFAULT. */
int altpick_kvm_stop_explain(int vcpu, const struct kvm_run *run,
                             const struct altpick_kvm_memory *memory, struct altpick_diag *diag);

/*
 * A moment from which on KVM_RUN of this thread returns EINTR at once.  The signal for that is
 * blocked but in the guest: it stays pending if it comes earlier, and no handler is needed.
 */
struct altpick_kvm_deadline {
    timer_t timer;
    sigset_t before; /* signals blocked at the start */
    bool armed;
};

int altpick_kvm_deadline_start(int vcpu, uint32_t time_ms,
                               struct altpick_kvm_deadline *ret_deadline,
                               struct altpick_diag *diag);
bool altpick_kvm_deadline_passed(const struct altpick_kvm_deadline *deadline);
void altpick_kvm_deadline_fini(struct altpick_kvm_deadline *deadline);

#endif
