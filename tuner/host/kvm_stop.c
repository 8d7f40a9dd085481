/* SPDX-License-Identifier: MIT */
/* Says in words why a guest cannot go on. */
#include "kvm_parts.h"

#include "diag.h"
#include "elf/insn_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

enum { INSN_BYTES_MAX = 15, WHERE_MAX = 64, CODE_MAX = 3 * INSN_BYTES_MAX + 1 };

/* Where the CPU stands. */
struct place {
    char text[WHERE_MAX]; /* "at 0x100234" */
    uint64_t rip;
    uint8_t code[INSN_BYTES_MAX];
    size_t code_bytes;
};

/* Addresses are physical ones, too, as long as the program keeps the tables it began with. */
static void find_place(int vcpu, const struct altpick_kvm_memory *memory, struct place *ret)
{
    struct kvm_regs regs;

    memset(ret, 0, sizeof *ret);
    if (ioctl(vcpu, KVM_GET_REGS, &regs) < 0) {
        snprintf(ret->text, sizeof ret->text, "at an unknown address");
        return;
    }
    ret->rip = regs.rip;
    snprintf(ret->text, sizeof ret->text, "at 0x%" PRIx64, (uint64_t) regs.rip);
    if (regs.rip < memory->bytes) {
        size_t left = memory->bytes - (size_t) regs.rip;

        ret->code_bytes = left < INSN_BYTES_MAX ? left : INSN_BYTES_MAX;
        memcpy(ret->code, memory->base + regs.rip, ret->code_bytes);
    }
}

/* KVM's own copy of the instruction is better than ours: it is what it has decoded. */
static void take_code(const struct kvm_run *run, struct place *place)
{
    const uint64_t flag = KVM_INTERNAL_ERROR_EMULATION_FLAG_INSTRUCTION_BYTES;
    size_t n = run->emulation_failure.insn_size;

    if (run->emulation_failure.ndata < 3 || !(run->emulation_failure.flags & flag) || n == 0 ||
        n > INSN_BYTES_MAX)
        return;
    memcpy(place->code, run->emulation_failure.insn_bytes, n);
    place->code_bytes = n;
}

static bool no_name(void *ctx, const struct altpick_insn_number *number, char *ret_name)
{
    (void) ctx;
    (void) number;
    (void) ret_name;
    return false;
}

/* "0f 01 d0 (xgetbv)"; all bytes where they do not decode. */
static void print_code(const struct place *place, size_t capacity, char *ret_text)
{
    struct altpick_insn_printer printer = {0};
    char name[ALTPICK_INSN_TEXT_MAX] = "";
    size_t n = 0, bytes = place->code_bytes, length = 0;

    if (altpick_insn_printer_init(&printer, false) == ALTPICK_OK)
        length = altpick_insn_print(&printer, true, place->code, place->code_bytes, place->rip,
                                    no_name, NULL, name);
    altpick_insn_printer_fini(&printer);
    bytes = length ? length : bytes;
    ret_text[0] = '\0';
    for (size_t i = 0; i < bytes && n < capacity; i++)
        n += (size_t) snprintf(ret_text + n, capacity - n, "%s%02x", i ? " " : "", place->code[i]);
    if (length && n < capacity)
        snprintf(ret_text + n, capacity - n, " (%s)", name);
}

static int explain_emulation(const struct kvm_run *run, struct place *place,
                             struct altpick_diag *diag)
{
    char code[CODE_MAX + ALTPICK_INSN_TEXT_MAX];

    take_code(run, place);
    print_code(place, sizeof code, code);
    return altpick_fail(diag, ALTPICK_EFAULT,
                        "this host's KVM gave up %s, where it had to emulate the instruction %s: "
                        "it interprets ring 0 instead of running it on the CPU, and knows only a "
                        "part of the instructions",
                        place->text, code[0] ? code : "there");
}

static int explain_internal(const struct kvm_run *run, struct place *place,
                            struct altpick_diag *diag)
{
    switch (run->internal.suberror) {
    case KVM_INTERNAL_ERROR_EMULATION:
        return explain_emulation(run, place, diag);
    case KVM_INTERNAL_ERROR_SIMUL_EX:
        return altpick_fail(diag, ALTPICK_EFAULT,
                            "this host's KVM gave up %s: one exception came while another was "
                            "delivered, and it cannot handle both",
                            place->text);
    case KVM_INTERNAL_ERROR_DELIVERY_EV:
        return altpick_fail(diag, ALTPICK_EFAULT,
                            "this host's KVM gave up %s: an exception could not be delivered, as "
                            "the guest's IDT, TSS or stack is not in its memory",
                            place->text);
    case KVM_INTERNAL_ERROR_UNEXPECTED_EXIT_REASON:
        return altpick_fail(diag, ALTPICK_EFAULT,
                            "this host's KVM gave up %s: the CPU left the guest for a reason that "
                            "it does not know (%" PRIu64 ")",
                            place->text,
                            run->internal.ndata ? (uint64_t) run->internal.data[0] : 0);
    default:
        return altpick_fail(diag, ALTPICK_EFAULT,
                            "this host's KVM gave up %s with internal error %u", place->text,
                            run->internal.suberror);
    }
}

static int explain_mmio(const struct kvm_run *run, const struct place *place,
                        struct altpick_diag *diag)
{
    return altpick_fail(diag, ALTPICK_EFAULT,
                        "the boot program %s %u byte%s at address 0x%" PRIx64
                        ", where its virtual machine has no memory, %s",
                        run->mmio.is_write ? "writes" : "reads", run->mmio.len,
                        run->mmio.len == 1 ? "" : "s", (uint64_t) run->mmio.phys_addr, place->text);
}

/* AMD's CPUs lose their state in a triple fault, so that KVM begins with that of a reset. */
static int explain_shutdown(const struct place *place, struct altpick_diag *diag)
{
    enum { RESET_IP = 0xfff0 };

    return altpick_fail(diag, ALTPICK_EFAULT,
                        "the boot program ended in a triple fault %s: an exception without a "
                        "handler",
                        place->rip == RESET_IP ? "at an address that this CPU does not keep"
                                               : place->text);
}

int altpick_kvm_stop_explain(int vcpu, const struct kvm_run *run,
                             const struct altpick_kvm_memory *memory, struct altpick_diag *diag)
{
    struct place place;

    find_place(vcpu, memory, &place);
    switch (run->exit_reason) {
    case KVM_EXIT_INTERNAL_ERROR:
        return explain_internal(run, &place, diag);
    case KVM_EXIT_SHUTDOWN:
        return explain_shutdown(&place, diag);
    case KVM_EXIT_FAIL_ENTRY:
        return altpick_fail(diag, ALTPICK_EFAULT,
                            "the CPU refused to enter the guest %s (hardware reason 0x%" PRIx64
                            ": an Intel CPU means an invalid guest state by 0x80000021)",
                            place.text, (uint64_t) run->fail_entry.hardware_entry_failure_reason);
    case KVM_EXIT_HLT:
        return altpick_fail(diag, ALTPICK_EFAULT,
                            "the boot program halted %s without saying that it is done",
                            place.text);
    case KVM_EXIT_MMIO:
        return explain_mmio(run, &place, diag);
    default:
        return altpick_fail(diag, ALTPICK_EFAULT,
                            "the guest stopped %s for a reason that altpick does not know (KVM "
                            "exit reason %u)",
                            place.text, run->exit_reason);
    }
}
