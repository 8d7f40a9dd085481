/* SPDX-License-Identifier: MIT */
/* What a boot program finds when it begins: tables in low memory, CPUID, a CPU in long mode. */
#include "kvm_parts.h"

#include "diag.h"
#include "info.h"

#include <cpuid.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

/* Below 1 MiB, where no program is loaded. */
enum {
    PAGE = 4096,
    AT_PAGE_MAP = 0x1000,
    AT_DIRECTORY_POINTERS = 0x2000,
    AT_DIRECTORIES = 0x3000, /* four */
    AT_GDT = 0x7000,
    AT_TSS = 0x8000,
    AT_INFO = 0x9000,
    AT_STACK_END = 0x90000,
};

enum { DIRECTORIES = 4, ENTRIES = PAGE / 8 };
enum { PRESENT_WRITABLE = 3, LARGE_PAGE = 0x80, LARGE_PAGE_SHIFT = 21 };
enum { CODE = 8, DATA = 16, TASK = 24, TSS_BYTES = 104, TSS_MAP_OFFSET = 102 };

static uint64_t *at(const struct altpick_kvm_memory *memory, uint64_t address)
{
    return (uint64_t *) (void *) (memory->base + address);
}

/* 4 GiB mapped to themselves: what is no memory there stops the CPU, and we can say where. */
static void fill_page_tables(const struct altpick_kvm_memory *memory)
{
    at(memory, AT_PAGE_MAP)[0] = AT_DIRECTORY_POINTERS | PRESENT_WRITABLE;
    for (uint64_t i = 0; i < DIRECTORIES; i++)
        at(memory, AT_DIRECTORY_POINTERS)[i] = (AT_DIRECTORIES + i * PAGE) | PRESENT_WRITABLE;
    for (uint64_t i = 0; i < DIRECTORIES * ENTRIES; i++)
        at(memory, AT_DIRECTORIES)[i] = i << LARGE_PAGE_SHIFT | LARGE_PAGE | PRESENT_WRITABLE;
}

/* The same as in the segment registers of start_segments(). */
static void fill_descriptors(const struct altpick_kvm_memory *memory)
{
    uint16_t no_io_map = TSS_BYTES;

    at(memory, AT_GDT)[CODE / 8] = UINT64_C(0x00af9b000000ffff);
    at(memory, AT_GDT)[DATA / 8] = UINT64_C(0x00cf93000000ffff);
    at(memory, AT_GDT)[TASK / 8] =
        UINT64_C(0x00008b0000000000) | (uint64_t) AT_TSS << 16 | (TSS_BYTES - 1);
    memcpy(memory->base + AT_TSS + TSS_MAP_OFFSET, &no_io_map, sizeof no_io_map);
}

void altpick_kvm_start_fill(const struct altpick_kvm_memory *memory, int vcpu,
                            const char *command_line)
{
    struct boot_info info = {
        .bytes = sizeof info, .flags = BOOT_PLAIN_SERIAL | BOOT_NO_TIMER, .n_ram = 1};
    int khz = ioctl(vcpu, KVM_GET_TSC_KHZ, 0);

    _Static_assert(AT_INFO + sizeof info < AT_STACK_END, "tables do not overlap");
    fill_page_tables(memory);
    fill_descriptors(memory);
    info.tsc_hz = khz > 0 ? (uint64_t) khz * 1000 : 0; /* 0: the program knows what to do */
    info.ram[0] = (struct boot_range){ALTPICK_KVM_LOW_BYTES, memory->bytes - ALTPICK_KVM_LOW_BYTES};
    if (command_line)
        strncat(info.command_line, command_line, sizeof info.command_line - 1);
    memcpy(memory->base + AT_INFO, &info, sizeof info);
}

static struct kvm_segment segment(uint16_t selector, uint8_t type, bool is_code)
{
    return (struct kvm_segment){
        .selector = selector,
        .type = type,
        .present = 1,
        .s = 1,
        .l = is_code,
        .db = !is_code,
        .g = 1,
        .limit = UINT32_MAX,
    };
}

static void start_segments(struct kvm_sregs *sregs)
{
    enum { READ_WRITE = 3, EXECUTE_READ = 11, BUSY_TSS = 11 };

    sregs->cs = segment(CODE, EXECUTE_READ, true);
    sregs->ds = sregs->es = sregs->fs = sregs->gs = sregs->ss = segment(DATA, READ_WRITE, false);
    sregs->tr = (struct kvm_segment){
        .selector = TASK, .type = BUSY_TSS, .present = 1, .base = AT_TSS, .limit = TSS_BYTES - 1};
    sregs->ldt = (struct kvm_segment){.unusable = 1};
    sregs->gdt = (struct kvm_dtable){.base = AT_GDT, .limit = TASK + 16 - 1};
    sregs->idt = (struct kvm_dtable){0};
}

static int start_registers(int vcpu, uint64_t entry, struct altpick_diag *diag)
{
    enum { CR0 = 0x10033 /* WP, NE, ET, MP, PE */, CR4 = 0x620 /* OSXMMEXCPT, OSFXSR, PAE */ };
    enum { LONG_MODE = 0x500 /* LMA, LME */, RESERVED_FLAG = 2, APIC_ENABLED = 1 << 11 };
    /* As after a call: boot_entry64() is one that never returns. */
    struct kvm_regs regs = {
        .rip = entry, .rsp = AT_STACK_END - 8, .rdi = AT_INFO, .rflags = RESERVED_FLAG};
    struct kvm_sregs sregs;

    if (ioctl(vcpu, KVM_GET_SREGS, &sregs) < 0)
        return altpick_fail(diag, ALTPICK_EIO, "KVM_GET_SREGS: %s", strerror(errno));
    start_segments(&sregs);
    sregs.cr0 = UINT64_C(0x80000000) | CR0;
    sregs.cr3 = AT_PAGE_MAP;
    sregs.cr4 = CR4;
    sregs.efer = LONG_MODE;
    sregs.apic_base &= ~(uint64_t) APIC_ENABLED;
    if (ioctl(vcpu, KVM_SET_SREGS, &sregs) < 0 || ioctl(vcpu, KVM_SET_REGS, &regs) < 0)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "KVM does not start a CPU in long mode: %s",
                            strerror(errno));
    return ALTPICK_OK;
}

enum { CPUID_ENTRIES = 256 };
enum { FEATURES = 1, STRUCTURED = 7, CORE_TYPE = 0x1a };
#define APIC         (1u << 9)  /* leaf 1 EDX */
#define X2APIC       (1u << 21) /* leaf 1 ECX */
#define TSC_DEADLINE (1u << 24) /* leaf 1 ECX */
#define HYPERVISOR   (1u << 31) /* leaf 1 ECX: not all versions of KVM say so by themselves */
#define HYBRID       (1u << 15) /* leaf 7 EDX */

static struct kvm_cpuid_entry2 *leaf(struct kvm_cpuid2 *cpuid, uint32_t function)
{
    for (uint32_t i = 0; i < cpuid->nent; i++) {
        if (cpuid->entries[i].function == function && cpuid->entries[i].index == 0)
            return &cpuid->entries[i];
    }
    return NULL;
}

static struct kvm_cpuid_entry2 *add_leaf(struct kvm_cpuid2 *cpuid, uint32_t function)
{
    struct kvm_cpuid_entry2 *entry = leaf(cpuid, function);

    if (!entry && cpuid->nent < CPUID_ENTRIES)
        entry = &cpuid->entries[cpuid->nent++];
    if (entry)
        *entry = (struct kvm_cpuid_entry2){.function = function};
    return entry;
}

/* What some versions of KVM leave empty, though it is no secret: brand and caches. */
static void tell_identity(struct kvm_cpuid2 *cpuid)
{
    static const uint32_t leaves[] = {0x80000002, 0x80000003, 0x80000004, 0x80000005};

    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        struct kvm_cpuid_entry2 *entry = leaf(cpuid, leaves[i]);

        if (entry && !(entry->eax | entry->ebx | entry->ecx | entry->edx))
            __get_cpuid(leaves[i], &entry->eax, &entry->ebx, &entry->ecx, &entry->edx);
    }
}

/* KVM leaves out which type of core this is, and a profile is of one type. */
static void tell_core_type(struct kvm_cpuid2 *cpuid)
{
    struct kvm_cpuid_entry2 *features = leaf(cpuid, STRUCTURED), *type;
    uint32_t eax, ebx, ecx, edx;

    if (!features || !__get_cpuid_count(STRUCTURED, 0, &eax, &ebx, &ecx, &edx) || !(edx & HYBRID) ||
        !__get_cpuid_count(CORE_TYPE, 0, &eax, &ebx, &ecx, &edx))
        return;
    type = add_leaf(cpuid, CORE_TYPE);
    if (!type)
        return;
    type->eax = eax;
    features->edx |= HYBRID;
}

static int start_cpuid(int kvm, int vcpu, struct altpick_diag *diag)
{
    struct kvm_cpuid2 *cpuid = calloc(1, sizeof *cpuid + CPUID_ENTRIES * sizeof *cpuid->entries);
    struct kvm_cpuid_entry2 *features;
    int r = ALTPICK_OK;

    if (!cpuid)
        return altpick_fail(diag, ALTPICK_ENOMEM, "out of memory");
    cpuid->nent = CPUID_ENTRIES;
    if (ioctl(kvm, KVM_GET_SUPPORTED_CPUID, cpuid) < 0) {
        r = altpick_fail(diag, ALTPICK_EUNSUPPORTED, "KVM_GET_SUPPORTED_CPUID: %s",
                         strerror(errno));
        goto out;
    }
    features = leaf(cpuid, FEATURES);
    if (features) {
        features->ecx &= ~(X2APIC | TSC_DEADLINE);
        features->ecx |= HYPERVISOR;
        features->edx &= ~APIC;
    }
    tell_identity(cpuid);
    tell_core_type(cpuid);
    if (ioctl(vcpu, KVM_SET_CPUID2, cpuid) < 0)
        r = altpick_fail(diag, ALTPICK_EUNSUPPORTED, "KVM_SET_CPUID2: %s", strerror(errno));
out:
    free(cpuid);
    return r;
}

int altpick_kvm_start_cpu(int kvm, int vcpu, uint64_t entry, struct altpick_diag *diag)
{
    int r = start_cpuid(kvm, vcpu, diag);

    return r < 0 ? r : start_registers(vcpu, entry, diag);
}
