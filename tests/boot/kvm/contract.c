/* SPDX-License-Identifier: MIT */
/* A guest that says what it finds, and whether that is what info.h promises. */
#include "info.h"
#include "port.h"

void boot_entry64(const struct boot_info *info);

static void say(const char *text)
{
    while (*text)
        boot_out8(0x3f8, (uint8_t) *text++);
}

static void say_hex(const char *name, uint64_t value)
{
    say(name);
    say(" ");
    for (int shift = 60; shift >= 0; shift -= 4)
        boot_out8(0x3f8, (uint8_t) "0123456789abcdef"[value >> shift & 15]);
    say("\n");
}

static void say_registers(void)
{
    uint64_t cr0, cr3, cr4, flags, rsp;
    uint16_t cs, ss, tr;

    __asm__ volatile("movq %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
    __asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags));
    __asm__ volatile("movq %%rsp, %0" : "=r"(rsp));
    __asm__ volatile("movw %%cs, %0" : "=r"(cs));
    __asm__ volatile("movw %%ss, %0" : "=r"(ss));
    __asm__ volatile("str %0" : "=r"(tr));
    say_hex("cr0", cr0);
    say_hex("cr3", cr3);
    say_hex("cr4", cr4);
    say_hex("flags", flags & 0x600); /* interrupts, direction */
    say_hex("cpl", cs & 3);
    say_hex("tr", tr);
    say_hex("ss", ss & 3);
    say_hex("stack", rsp >> 20); /* below what is free */
}

static void say_brand(void)
{
    uint32_t words[13] = {0};

    for (uint32_t i = 0; i < 3; i++)
        boot_cpuid(0x80000002 + i, 0, words + 4 * i);
    say("brand '");
    say((const char *) words);
    say("'\n");
}

/* Its first and last word keep what is written. */
static bool is_memory(const struct boot_range *range)
{
    volatile uint64_t *first = (volatile uint64_t *) (uintptr_t) range->start;
    volatile uint64_t *last = (volatile uint64_t *) (uintptr_t) (range->start + range->bytes - 8);
    uint64_t before = *first;
    bool kept;

    *first = 0x1122334455667788;
    *last = 0x8877665544332211;
    kept = *first == 0x1122334455667788 && *last == 0x8877665544332211;
    *first = before;
    return kept;
}

void boot_entry64(const struct boot_info *info)
{
    uint32_t regs[4];

    say_registers();
    say_hex("bytes", info->bytes == sizeof *info);
    say_hex("flags", info->flags);
    say_hex("tsc hz", info->tsc_hz);
    for (uint32_t i = 0; i < info->n_ram; i++) {
        say_hex("ram", info->ram[i].start);
        say_hex("ram bytes", info->ram[i].bytes);
        say_hex("ram is memory", is_memory(&info->ram[i]));
    }
    say("line '");
    say(info->command_line);
    say("'\n");
    boot_cpuid(1, 0, regs);
    say_hex("apic", regs[3] >> 9 & 1);
    say_hex("hypervisor", regs[2] >> 31);
    say_hex("osxsave", regs[2] >> 27 & 1); /* what CR4 says */
    say_brand();
    boot_out8(0xf4, 0x10);
    for (;;)
        __asm__ volatile("hlt");
}
