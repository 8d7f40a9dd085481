/* SPDX-License-Identifier: MIT */
/* Runs a boot program in a virtual machine made of nothing but what it needs. */
#include "kvm_parts.h"

#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    API_VERSION = 12, /* the only one since 2007 */
    FREE_BYTES = 128 << 20,
    LARGE_PAGE = 2 << 20,
    LINE_MAX_SHOWN = 200,
};

/* Where Intel's CPUs without unrestricted guests need three pages: below the top of 4 GiB. */
#define TSS_PAGES 0xfffbd000ul

/* Zeroed but for the files, which are -1 where there is none. */
struct machine {
    int kvm, vm, vcpu;
    void *mapping; /* of `mapping_bytes`; memory.base is aligned inside of it */
    size_t mapping_bytes;
    struct altpick_kvm_memory memory;
    struct kvm_run *run;
    size_t run_bytes;
    struct altpick_kvm_ports ports;
    struct altpick_kvm_deadline deadline;
};

static void machine_fini(struct machine *machine)
{
    altpick_kvm_deadline_fini(&machine->deadline);
    altpick_kvm_ports_fini(&machine->ports);
    if (machine->run)
        munmap(machine->run, machine->run_bytes);
    if (machine->vcpu >= 0)
        close(machine->vcpu);
    if (machine->vm >= 0)
        close(machine->vm);
    if (machine->kvm >= 0)
        close(machine->kvm);
    if (machine->mapping)
        munmap(machine->mapping, machine->mapping_bytes);
}

/* What to do about an error of open(). */
static const char *advice(int error)
{
    switch (error) {
    case ENOENT:
        return "; is there hardware virtualisation, is it enabled, and is the module kvm_intel or "
               "kvm_amd loaded?";
    case EACCES:
    case EPERM:
        return "; members of the group that owns it, usually kvm, may use it";
    case ENODEV:
    case ENXIO:
        return "; the kernel has KVM, but not for this CPU";
    default:
        return "";
    }
}

static int open_kvm(struct machine *machine, const char *device, struct altpick_diag *diag)
{
    int version;

    machine->kvm = open(device, O_RDWR | O_CLOEXEC);
    if (machine->kvm < 0)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "no virtual machine: %s: %s%s", device,
                            strerror(errno), advice(errno));
    version = ioctl(machine->kvm, KVM_GET_API_VERSION, 0);
    if (version < 0)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "no virtual machine: %s is not KVM (%s)",
                            device, strerror(errno));
    if (version != API_VERSION)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "no virtual machine: %s speaks version %d of KVM's interface, not %d",
                            device, version, API_VERSION);
    do /* any signal ends it, one that stops and continues us, too */
        machine->vm = ioctl(machine->kvm, KVM_CREATE_VM, 0);
    while (machine->vm < 0 && errno == EINTR);
    if (machine->vm < 0)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "no virtual machine: KVM_CREATE_VM: %s%s",
                            strerror(errno),
                            errno == EBUSY ? "; another hypervisor has the CPU" : "");
    if (ioctl(machine->kvm, KVM_CHECK_EXTENSION, KVM_CAP_SET_TSS_ADDR) > 0 &&
        ioctl(machine->vm, KVM_SET_TSS_ADDR, TSS_PAGES) < 0)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "no virtual machine: KVM_SET_TSS_ADDR: %s",
                            strerror(errno));
    return ALTPICK_OK;
}

/* Large pages, so that what a guest's TLB misses cost is not doubled. */
static int map_memory(struct machine *machine, size_t bytes, struct altpick_diag *diag)
{
    size_t mapping_bytes = bytes + LARGE_PAGE;
    struct kvm_userspace_memory_region region = {.memory_size = bytes};
    void *mapping = mmap(NULL, mapping_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uintptr_t base = ((uintptr_t) mapping + LARGE_PAGE - 1) & ~(uintptr_t) (LARGE_PAGE - 1);

    if (mapping == MAP_FAILED)
        return altpick_fail(diag, ALTPICK_ENOMEM, "no %zu MiB for a virtual machine: %s",
                            bytes >> 20, strerror(errno));
    machine->mapping = mapping;
    machine->mapping_bytes = mapping_bytes;
    machine->memory.base = (uint8_t *) base;
    machine->memory.bytes = bytes;
    madvise(machine->memory.base, bytes, MADV_HUGEPAGE); /* else small ones do */
    madvise(machine->memory.base, bytes, MADV_DONTFORK);
    region.userspace_addr = base;
    if (ioctl(machine->vm, KVM_SET_USER_MEMORY_REGION, &region) < 0)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED,
                            "no virtual machine: KVM_SET_USER_MEMORY_REGION: %s", strerror(errno));
    return ALTPICK_OK;
}

/* Tiles are not a guest's unless they were asked for before there is a CPU; without, it has none.
 */
static void ask_for_tiles(void)
{
    enum { REQ_XCOMP_GUEST_PERM = 0x1025, TILE_DATA = 18 };

    syscall(SYS_arch_prctl, REQ_XCOMP_GUEST_PERM, TILE_DATA);
}

static int make_cpu(struct machine *machine, uint64_t entry, struct altpick_diag *diag)
{
    int bytes = ioctl(machine->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
    void *run;

    ask_for_tiles();
    machine->vcpu = ioctl(machine->vm, KVM_CREATE_VCPU, 0);
    if (machine->vcpu < 0 || bytes < (int) sizeof *machine->run)
        return altpick_fail(diag, ALTPICK_EUNSUPPORTED, "no virtual machine: KVM_CREATE_VCPU: %s",
                            strerror(errno));
    run = mmap(NULL, (size_t) bytes, PROT_READ | PROT_WRITE, MAP_SHARED, machine->vcpu, 0);
    if (run == MAP_FAILED)
        return altpick_fail(diag, ALTPICK_EIO, "no virtual machine: its CPU cannot be mapped: %s",
                            strerror(errno));
    machine->run = run;
    machine->run_bytes = (size_t) bytes;
    return altpick_kvm_start_cpu(machine->kvm, machine->vcpu, entry, diag);
}

/* The last whole line that the program said, for a message about its end. */
static void append_last_line(const struct altpick_text *serial, struct altpick_diag *diag)
{
    size_t end = serial->bytes, start;
    size_t n = strlen(diag->text);

    while (end > 0 && (serial->data[end - 1] == '\n' || serial->data[end - 1] == '\r'))
        end--;
    start = end;
    while (start > 0 && serial->data[start - 1] != '\n' && end - start < LINE_MAX_SHOWN)
        start--;
    if (end == start)
        return;
    snprintf(diag->text + n, sizeof diag->text - n, "; its last line was '%.*s'",
             (int) (end - start), serial->data + start);
    altpick_plain(diag->text);
}

/* Until it ends.  Nothing is tried twice: each failure to emulate goes into the host's log. */
static int go(struct machine *machine, uint32_t time_ms, struct altpick_diag *diag)
{
    int r = ALTPICK_OK;

    while (r == 0 && !machine->ports.ended) {
        if (ioctl(machine->vcpu, KVM_RUN, 0) < 0) {
            if (errno != EINTR && errno != EAGAIN)
                return altpick_fail(diag, ALTPICK_EFAULT, "KVM_RUN: %s", strerror(errno));
            if (altpick_kvm_deadline_passed(&machine->deadline))
                return altpick_fail(diag, ALTPICK_ETIMEOUT,
                                    "the boot program was not done after %u.%03u s and was "
                                    "stopped",
                                    time_ms / 1000, time_ms % 1000);
        } else if (machine->run->exit_reason == KVM_EXIT_IO) {
            r = altpick_kvm_ports_serve(&machine->ports, machine->run, diag);
        } else {
            r = altpick_kvm_stop_explain(machine->vcpu, machine->run, &machine->memory, diag);
        }
    }
    return r;
}

static int set_up(struct machine *machine, const struct altpick_kvm_options *options,
                  const struct altpick_kvm_program *program, struct altpick_diag *diag)
{
    size_t end = ((size_t) program->end + LARGE_PAGE - 1) & ~(size_t) (LARGE_PAGE - 1);
    size_t bytes = options->memory_bytes ? options->memory_bytes : end + FREE_BYTES;
    int r;

    if (bytes < program->end)
        return altpick_fail(diag, ALTPICK_EFORMAT,
                            "the boot program ends at 0x%llx, behind its virtual machine's memory "
                            "of %zu bytes",
                            (unsigned long long) program->end, bytes);
    altpick_kvm_ports_init(&machine->ports);
    r = open_kvm(machine, options->device, diag);
    if (r == 0)
        r = map_memory(machine, bytes, diag);
    if (r < 0)
        return r;
    altpick_kvm_image_load(options->image, &machine->memory);
    r = make_cpu(machine, program->entry, diag);
    if (r < 0)
        return r;
    altpick_kvm_start_fill(&machine->memory, machine->vcpu, options->command_line);
    return altpick_kvm_deadline_start(machine->vcpu, options->time_ms, &machine->deadline, diag);
}

int altpick_kvm_run(const struct altpick_kvm_options *options, struct altpick_kvm_end *ret_end,
                    struct altpick_diag *diag)
{
    struct machine machine = {.kvm = -1, .vm = -1, .vcpu = -1};
    struct altpick_kvm_program program;
    int r = altpick_kvm_image_check(options->image, options->image_bytes, &program, diag);

    if (r < 0)
        return r;
    r = set_up(&machine, options, &program, diag);
    if (r == 0) {
        r = go(&machine, options->time_ms, diag);
        if (r < 0)
            append_last_line(&machine.ports.serial, diag);
    }
    if (r == 0) {
        *ret_end =
            (struct altpick_kvm_end){.serial = machine.ports.serial, .code = machine.ports.code};
        machine.ports.serial = (struct altpick_text){0};
    }
    machine_fini(&machine);
    return r;
}
