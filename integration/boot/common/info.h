/* SPDX-License-Identifier: MIT */
/*
 * What a boot program is started with, whoever started it, and the contract of its entry points.
 *
 * One ELF64 file has three entries, and a program that links these sources defines boot_main():
 *
 *   PVH         (Xen's ELF note 18: qemu -kernel, Firecracker, Cloud Hypervisor), 32-bit protected
 *               mode, EBX = hvm_start_info
 *   multiboot2  (GRUB), 32-bit protected mode, EAX = 0x36d76289, EBX = tags; the file's e_entry
 *   boot_entry64, a symbol, for a virtual machine monitor that loads the file's segments itself
 *
 * boot_entry64 needs: long mode with paging on, the segments at their physical addresses, the first
 * 4 GiB or all RAM of `ram` (whichever is less) mapped to themselves, writable and executable for
 * ring 0; CS a flat 64-bit code segment of ring 0; CR0.PE, MP, ET, NE, WP and PG set, EM and TS
 * clear; CR4.PAE, OSFXSR and OSXMMEXCPT set; interrupts off; the direction flag clear; RDI =
 * a struct boot_info in mapped memory outside of the segments.  Stack, GDT, IDT and TSS are loaded
 * there.  Until boot_main() nothing but integer instructions, port I/O, LGDT, LIDT, LTR, LRET and
 * CPUID is executed: no x87, SSE, XGETBV, XSETBV, fence, RDMSR or WRMSR, since some interpreters of
 * ring 0 stop the machine at them.  See boot_xstate_enable() for when that is over.
 *
 * At boot_main(): ring 0, 64-bit, interrupts off, both interrupt controllers remapped to vectors
 * 0xe0..0xef and masked, exceptions reported (trap.h), CR4.OSXSAVE as it was found (0 but for
 * boot_entry64), x87 and SSE usable but not initialised, serial line and screen ready.
 */
#ifndef ALTPICK_BOOT_INFO_H
#define ALTPICK_BOOT_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BOOT_LINE_MAX = 1024, BOOT_RANGES_MAX = 64 };

/* Bits of boot_info.flags. */
#define BOOT_TEXT_SCREEN  0x1u /* VGA text of 80x25 at 0xb8000 */
#define BOOT_PLAIN_SERIAL 0x2u /* port 0x3f8 takes bytes; there is no UART behind it to ask */
#define BOOT_LINE_CUT     0x4u /* the command line was longer than fits */
#define BOOT_NO_TIMER     0x8u /* neither PIT nor local APIC: the monitor keeps the time */

/* RAM that is free but for the program itself; page alignment is not promised. */
struct boot_range {
    uint64_t start, bytes;
};

/* Without pointers, so that a monitor can write it from outside.  Little-endian, no padding. */
struct boot_info {
    uint32_t bytes; /* of this struct: a monitor that was built from another header is refused */
    uint32_t flags;
    uint32_t n_ram;
    uint32_t zero;
    uint64_t tsc_hz; /* ticks a second of the time-stamp counter; 0: to be measured */
    struct boot_range ram[BOOT_RANGES_MAX];
    char command_line[BOOT_LINE_MAX]; /* NUL-terminated; without the program's name */
};

/* The loaders. */
enum { BOOT_BY_PVH = 1, BOOT_BY_MULTIBOOT2 = 2 };

/*
 * Fill *ret_info from what @loader (BOOT_BY_...) left at @data.  What is malformed there is left
 * out: a program then finds less RAM or no command line.
 */
void boot_info_read(uint32_t loader, const void *data, struct boot_info *ret_info);

/*
 * @bytes of free RAM under 4 GiB, aligned to @alignment (a power of two), for good; NULL when there
 * is none.  Not zeroed.
 */
void *boot_memory_take(const struct boot_info *info, size_t bytes, size_t alignment);

/* Where the program begins: its own code.  Returning from it leaves with BOOT_LEAVE_FAILED. */
void boot_main(const struct boot_info *info);

#endif
