/* SPDX-License-Identifier: MIT */
/* The IDT of a boot program: handlers in C, and words for exceptions that nobody expected. */
#include "trap.h"

#include "leave.h"
#include "screen.h"
#include "serial.h"

enum { VECTORS = 256, ENTRY_BYTES = 16, CODE_SEGMENT = 8, INTERRUPT_GATE = 0x8e, IST1 = 1 };
enum { NMI = 2, DOUBLE_FAULT = 8, PAGE_FAULT = 14, MACHINE_CHECK = 18 };

struct gate {
    uint16_t offset_0, segment;
    uint8_t ist, type;
    uint16_t offset_16;
    uint32_t offset_32, zero;
};
_Static_assert(sizeof(struct gate) == 16, "an IDT entry of long mode");

struct __attribute__((packed)) table_pointer {
    uint16_t limit;
    const void *base;
};

static struct gate idt[VECTORS];
static boot_trap_handler *handlers[VECTORS];

/* SDM vol. 3A, table 6-1. */
static const char *const names[32] = {
    "divide error (#DE)",
    "debug (#DB)",
    "NMI",
    "breakpoint (#BP)",
    "overflow (#OF)",
    "bound range (#BR)",
    "invalid opcode (#UD)",
    "device not available (#NM)",
    "double fault (#DF)",
    "coprocessor segment overrun",
    "invalid TSS (#TS)",
    "segment not present (#NP)",
    "stack fault (#SS)",
    "general protection (#GP)",
    "page fault (#PF)",
    NULL,
    "x87 floating point (#MF)",
    "alignment check (#AC)",
    "machine check (#MC)",
    "SIMD floating point (#XM)",
    "virtualization (#VE)",
    "control protection (#CP)",
    [28] = "hypervisor injection (#HV)",
    [29] = "VMM communication (#VC)",
    [30] = "security (#SX)",
};

/* trap_entry.S */
extern const char boot_trap_entries[];
struct boot_frame *boot_trap(struct boot_frame *frame);

void boot_trap_start(void)
{
    struct table_pointer pointer = {sizeof idt - 1, idt};

    for (unsigned i = 0; i < VECTORS; i++) {
        uintptr_t entry = (uintptr_t) boot_trap_entries + i * ENTRY_BYTES;
        bool own_stack = i == NMI || i == DOUBLE_FAULT || i == MACHINE_CHECK;

        idt[i] = (struct gate){.offset_0 = (uint16_t) entry,
                               .segment = CODE_SEGMENT,
                               .ist = own_stack ? IST1 : 0,
                               .type = INTERRUPT_GATE,
                               .offset_16 = (uint16_t) (entry >> 16),
                               .offset_32 = (uint32_t) (entry >> 32)};
    }
    __asm__ volatile("lidt %0" : : "m"(pointer) : "memory");
}

void boot_trap_set(unsigned vector, boot_trap_handler *handler)
{
    handlers[vector % VECTORS] = handler;
}

static void describe(const struct boot_frame *frame, struct altpick_out *out)
{
    uint64_t cr2;

    altpick_out_text(out, "\naltpick: unexpected ");
    if (frame->vector < 32 && names[frame->vector])
        altpick_out_text(out, names[frame->vector]);
    else
        altpick_out_text(out, frame->vector < 32 ? "reserved exception" : "interrupt");
    altpick_out_text(out, ", vector ");
    altpick_out_u64(out, frame->vector);
    altpick_out_text(out, ", error code 0x");
    altpick_out_hex(out, frame->error_code, 1);
    altpick_out_text(out, ",\naltpick: at rip 0x");
    altpick_out_hex(out, frame->rip, 1);
    altpick_out_text(out, ", rsp 0x");
    altpick_out_hex(out, frame->rsp, 1);
    if (frame->vector == PAGE_FAULT) {
        __asm__ volatile("movq %%cr2, %0" : "=r"(cr2));
        altpick_out_text(out, ", cr2 0x");
        altpick_out_hex(out, cr2, 1);
    }
    altpick_out_text(out, "\n");
}

_Noreturn void boot_trap_report(const struct boot_frame *frame)
{
    struct altpick_out serial = boot_serial_out(), screen = boot_screen_out();

    describe(frame, &serial);
    describe(frame, &screen);
    boot_leave(BOOT_LEAVE_FAILED);
}

struct boot_frame *boot_trap(struct boot_frame *frame)
{
    boot_trap_handler *handler = handlers[frame->vector];

    if (!handler)
        boot_trap_report(frame);
    return handler(frame);
}
