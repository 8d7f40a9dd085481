/* SPDX-License-Identifier: MIT */
/* A virtual machine without KVM: programs that are refused, ports, and what is said of stops. */
#include "kvm_parts.h"
#include "test.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A program as a linker makes it: 16 bytes at 1 MiB, one symbol. */
struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    uint8_t code[16];
    Elf64_Sym symbols[2];
    char names[16];
    Elf64_Shdr sections[3];
};

enum { AT = 0x100000, MEMORY = 2 << 20 };
#define OFFSET(field) offsetof(struct image, field)

static const struct image whole = {
    .header =
        {
                 .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_X86_64,
                 .e_phoff = OFFSET(segment),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 1,
                 .e_shoff = OFFSET(sections),
                 .e_shentsize = sizeof(Elf64_Shdr),
                 .e_shnum = 3,
                 },
    .segment =
        {
                 .p_type = PT_LOAD,
                 .p_offset = OFFSET(code),
                 .p_paddr = AT,
                 .p_filesz = 16,
                 .p_memsz = 4096,
                 },
    .code = {0xf4                                                                       },
    .symbols = {{0},                                                             {.st_name = 1, .st_shndx = 1, .st_value = AT + 8}                },
    .names = "\0boot_entry64",
    .sections = {{0},
                 {.sh_type = SHT_SYMTAB,
                  .sh_offset = OFFSET(symbols),
                  .sh_size = 2 * sizeof(Elf64_Sym),
                  .sh_link = 2},
                 {.sh_type = SHT_STRTAB, .sh_offset = OFFSET(names), .sh_size = 14}                                            },
};

static void a_whole_program_is_loaded(void **state)
{
    struct altpick_kvm_memory memory = {calloc(1, MEMORY), MEMORY};
    struct altpick_kvm_program program;
    struct altpick_diag diag;
    (void) state;

    assert_non_null(memory.base);
    assert_int_equal(
        altpick_kvm_image_check((const uint8_t *) &whole, sizeof whole, &program, &diag), 0);
    assert_int_equal(program.entry, AT + 8);
    assert_int_equal(program.end, AT + 4096);
    altpick_kvm_image_load((const uint8_t *) &whole, &memory);
    assert_int_equal(memory.base[AT], 0xf4);
    assert_int_equal(memory.base[AT - 1] | memory.base[AT + 1] | memory.base[AT + 16], 0);
    free(memory.base);
}

static void refuse(const struct image *image, size_t bytes, const char *words)
{
    struct altpick_kvm_program program = {77, 78};
    struct altpick_diag diag;

    assert_int_equal(altpick_kvm_image_check((const uint8_t *) image, bytes, &program, &diag),
                     ALTPICK_EFORMAT);
    if (!strstr(diag.text, words))
        fail_msg("'%s' instead of '%s'", diag.text, words);
    assert_int_equal(program.entry, 77);
}

#define REFUSE(field, value, words)                                                                \
    do {                                                                                           \
        struct image image = whole;                                                                \
        image.field = value;                                                                       \
        refuse(&image, sizeof image, words);                                                       \
    } while (0)

static void what_is_no_program_is_refused(void **state)
{
    (void) state;
    REFUSE(header.e_ident[0], 'M', "no executable for x86-64");
    REFUSE(header.e_ident[EI_CLASS], ELFCLASS32, "no executable for x86-64");
    REFUSE(header.e_machine, EM_386, "no executable for x86-64");
    REFUSE(header.e_type, ET_DYN, "fixed addresses");
    REFUSE(header.e_phnum, 0, "no program headers");
    REFUSE(header.e_phentsize, 32, "no program headers");
    REFUSE(header.e_phoff, UINT64_MAX, "no program headers");
    REFUSE(segment.p_type, PT_NOTE, "nothing to load");
    REFUSE(segment.p_filesz, 8192, "segment 0 of the boot program is not in its file");
    REFUSE(segment.p_offset, UINT64_MAX - 4, "segment 0 of the boot program is not in its file");
    REFUSE(segment.p_paddr, 0x7000, "lies at 0x7000, not between");
    REFUSE(segment.p_paddr, UINT64_MAX, "not between 1 MiB and 4 GiB");
    REFUSE(segment.p_memsz, UINT64_MAX, "not between 1 MiB and 4 GiB");
    REFUSE(header.e_shoff, UINT64_MAX - 7, "no symbol boot_entry64");
    REFUSE(header.e_shnum, 1, "no symbol boot_entry64");
    REFUSE(header.e_shentsize, 0, "no symbol boot_entry64");
    REFUSE(sections[1].sh_link, 3, "no symbol boot_entry64");
    REFUSE(sections[1].sh_offset, UINT64_MAX, "no symbol boot_entry64");
    REFUSE(sections[2].sh_offset, UINT64_MAX, "no symbol boot_entry64");
    REFUSE(sections[2].sh_size, 13, "no symbol boot_entry64"); /* its NUL is outside */
    REFUSE(symbols[1].st_name, UINT32_MAX, "no symbol boot_entry64");
    REFUSE(symbols[1].st_shndx, SHN_UNDEF, "no symbol boot_entry64");
    REFUSE(symbols[1].st_value, AT + 16, "no symbol boot_entry64 in what is loaded");
    REFUSE(names[12], '5', "no symbol boot_entry64");
}

static void any_part_of_a_program_is_refused(void **state)
{
    (void) state;
    for (size_t bytes = 0; bytes < sizeof whole; bytes++) {
        uint8_t *part = malloc(bytes ? bytes : 1); /* so that a sanitizer sees its end */

        assert_non_null(part);
        memcpy(part, &whole, bytes);
        refuse((const struct image *) (const void *) part, bytes, "the boot program");
        free(part);
    }
}

static void run_on(const char *device, size_t memory_bytes, int err, const char *words)
{
    const struct altpick_kvm_options options = {.device = device,
                                                .image = (const uint8_t *) &whole,
                                                .image_bytes = sizeof whole,
                                                .memory_bytes = memory_bytes,
                                                .time_ms = 1000};
    struct altpick_kvm_end end = {.code = 77};
    struct altpick_diag diag;

    assert_int_equal(altpick_kvm_run(&options, &end, &diag), err);
    if (!strstr(diag.text, words))
        fail_msg("'%s' instead of '%s'", diag.text, words);
    assert_int_equal(end.code, 77);
}

static void a_machine_that_cannot_be_made_is_explained(void **state)
{
    (void) state;
    run_on("/nonexistent/kvm", 0, ALTPICK_EUNSUPPORTED,
           "no virtual machine: /nonexistent/kvm: No such file or directory; is there hardware "
           "virtualisation");
    run_on("/dev/null", 0, ALTPICK_EUNSUPPORTED, "/dev/null is not KVM (");
    run_on("/nonexistent/kvm", AT, ALTPICK_EFORMAT, "behind its virtual machine's memory");
}

static void without_permission_the_group_is_named(void **state)
{
    char path[] = "/tmp/altpick-test-kvm-XXXXXX";
    int file = mkstemp(path);
    (void) state;

    assert_true(file >= 0);
    close(file);
    chmod(path, 0);
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    run_on(path, 0, ALTPICK_EUNSUPPORTED,
           ": Permission denied; members of the group that owns it, usually kvm, may use it");
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    unlink(path);
}

/* A struct kvm_run with room for the data of a port behind it. */
static union {
    struct kvm_run run;
    uint8_t bytes[8192];
} shared;

enum { DATA_OFFSET = 4096 };

static int port(struct altpick_kvm_ports *ports, unsigned direction, unsigned number, unsigned size,
                uint32_t count, struct altpick_diag *diag)
{
    memset(&shared.run, 0, sizeof shared.run);
    shared.run.exit_reason = KVM_EXIT_IO;
    shared.run.io.direction = direction & 1;
    shared.run.io.port = (uint16_t) number;
    shared.run.io.size = (uint8_t) size;
    shared.run.io.count = count;
    shared.run.io.data_offset = DATA_OFFSET;
    return altpick_kvm_ports_serve(ports, &shared.run, diag);
}

static int out8(struct altpick_kvm_ports *ports, unsigned number, uint8_t value)
{
    struct altpick_diag diag;

    shared.bytes[DATA_OFFSET] = value;
    return port(ports, KVM_EXIT_IO_OUT, number, 1, 1, &diag);
}

static uint8_t in8(struct altpick_kvm_ports *ports, unsigned number)
{
    struct altpick_diag diag;

    assert_int_equal(port(ports, KVM_EXIT_IO_IN, number, 1, 1, &diag), 0);
    return shared.bytes[DATA_OFFSET];
}

static void the_uart_has_the_registers_of_a_16550(void **state)
{
    struct altpick_kvm_ports ports;
    (void) state;

    altpick_kvm_ports_init(&ports);
    out8(&ports, 0x3ff, 0x5a);
    assert_int_equal(in8(&ports, 0x3ff), 0x5a);
    out8(&ports, 0x3fb, 0x83);
    out8(&ports, 0x3f8, 12);
    out8(&ports, 0x3f9, 1);
    assert_int_equal(in8(&ports, 0x3f8), 12);
    assert_int_equal(in8(&ports, 0x3f9), 1);
    out8(&ports, 0x3fb, 0x03);
    assert_int_equal(in8(&ports, 0x3fb), 0x03);
    assert_int_equal(in8(&ports, 0x3f9), 0);
    out8(&ports, 0x3f9, 0x0f);
    assert_int_equal(in8(&ports, 0x3f9), 0x0f);
    assert_int_equal(in8(&ports, 0x3fa) & 1, 1);
    assert_int_equal(in8(&ports, 0x3fd), 0x60);
    assert_null(ports.serial.data);
    out8(&ports, 0x3f8, 'a');
    out8(&ports, 0x3fc, 0x10); /* loop: what is sent is received, and nobody else sees it */
    out8(&ports, 0x3f8, 'b');
    assert_int_equal(in8(&ports, 0x3fd), 0x61);
    assert_int_equal(in8(&ports, 0x3f8), 'b');
    assert_int_equal(in8(&ports, 0x3fd), 0x60);
    assert_string_equal(ports.serial.data, "a");
    altpick_kvm_ports_fini(&ports);
}

static void a_string_of_bytes_comes_at_once(void **state)
{
    struct altpick_kvm_ports ports;
    struct altpick_diag diag;
    (void) state;

    altpick_kvm_ports_init(&ports);
    memcpy(shared.bytes + DATA_OFFSET, "string", 6);
    assert_int_equal(port(&ports, KVM_EXIT_IO_OUT, 0x3f8, 1, 6, &diag), 0);
    assert_string_equal(ports.serial.data, "string");
    assert_false(ports.ended);
    assert_int_equal(out8(&ports, 0xf4, 0x13), 0);
    assert_true(ports.ended);
    assert_int_equal(ports.code, 0x13);
    altpick_kvm_ports_fini(&ports);
}

static void it_may_not_write_for_ever(void **state)
{
    struct altpick_kvm_ports ports;
    struct altpick_diag diag;
    unsigned n = 0;
    (void) state;

    altpick_kvm_ports_init(&ports);
    memset(shared.bytes + DATA_OFFSET, 'x', 4096);
    while (port(&ports, KVM_EXIT_IO_OUT, 0x3f8, 1, 4096, &diag) == 0)
        n++;
    assert_in_range(n, 1000, 10000);
    assert_string_equal(diag.text, "the boot program does not stop writing to its serial line");
    altpick_kvm_ports_fini(&ports);
}

static void devices_that_are_absent_read_as_ones(void **state)
{
    static const unsigned absent[] = {0x20, 0x21, 0xa0, 0xa1, 0x40, 0x41, 0x42, 0x43, 0x61};
    struct altpick_kvm_ports ports;
    struct altpick_diag diag;
    (void) state;

    altpick_kvm_ports_init(&ports);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        assert_int_equal(out8(&ports, absent[i], 0), 0);
        assert_int_equal(in8(&ports, absent[i]), 0xff);
    }
    assert_int_equal(out8(&ports, 0x80, 0), ALTPICK_EFAULT);
    assert_int_equal(port(&ports, KVM_EXIT_IO_IN, 0xf4, 1, 1, &diag), ALTPICK_EFAULT);
    assert_string_equal(diag.text, "the boot program reads 1 byte at port 0xf4, where its virtual "
                                   "machine has nothing");
    assert_int_equal(port(&ports, KVM_EXIT_IO_OUT, 0x3f8, 4, 1, &diag), ALTPICK_EFAULT);
    assert_string_equal(diag.text, "the boot program writes 4 bytes at port 0x3f8, where its "
                                   "virtual machine has nothing");
    assert_false(ports.ended);
    altpick_kvm_ports_fini(&ports);
}

/* Without a CPU to ask the address is not known. */
static void must_explain(const struct kvm_run *run, const char *words)
{
    const struct altpick_kvm_memory memory = {0};
    struct altpick_diag diag;

    assert_int_equal(altpick_kvm_stop_explain(-1, run, &memory, &diag), ALTPICK_EFAULT);
    if (!strstr(diag.text, words))
        fail_msg("'%s' instead of '%s'", diag.text, words);
}

static void internal_errors_are_told_apart(void **state)
{
    struct kvm_run run = {.exit_reason = KVM_EXIT_INTERNAL_ERROR};
    (void) state;

    run.internal.suberror = KVM_INTERNAL_ERROR_EMULATION;
    must_explain(&run, "had to emulate the instruction there: it interprets ring 0");
    run.emulation_failure.ndata = 3;
    run.emulation_failure.flags = KVM_INTERNAL_ERROR_EMULATION_FLAG_INSTRUCTION_BYTES;
    run.emulation_failure.insn_size = 15;
    memcpy(run.emulation_failure.insn_bytes, "\x0f\x01\xd0\x89\xc0\x48\x89", 7);
    must_explain(&run, "the instruction 0f 01 d0 (xgetbv): it");
    memcpy(run.emulation_failure.insn_bytes, "\x0f\xae\x15\x00\x10\x00\x00", 7);
    must_explain(&run, "the instruction 0f ae 15 00 10 00 00 (ldmxcsr "); /* it has an address */
    run.emulation_failure.insn_size = 2;
    must_explain(&run, "the instruction 0f ae: it"); /* nothing that decodes */
    run.emulation_failure.insn_size = 200;
    must_explain(&run, "the instruction there: it");
    memset(&run.internal, 0, sizeof run.internal);
    run.internal.suberror = KVM_INTERNAL_ERROR_SIMUL_EX;
    must_explain(&run, "one exception came while another");
    run.internal.suberror = KVM_INTERNAL_ERROR_DELIVERY_EV;
    must_explain(&run, "IDT, TSS or stack");
    run.internal.suberror = KVM_INTERNAL_ERROR_UNEXPECTED_EXIT_REASON;
    run.internal.ndata = 1;
    run.internal.data[0] = 55;
    must_explain(&run, "for a reason that it does not know (55)");
    run.internal.suberror = 99;
    must_explain(&run, "with internal error 99");
}

static void other_stops_are_told_apart(void **state)
{
    struct kvm_run run = {.exit_reason = KVM_EXIT_SHUTDOWN};
    (void) state;

    must_explain(&run, "triple fault at an unknown address");
    run.exit_reason = KVM_EXIT_HLT;
    must_explain(&run, "halted at an unknown address without saying");
    run.exit_reason = KVM_EXIT_FAIL_ENTRY;
    run.fail_entry.hardware_entry_failure_reason = 0x80000021;
    must_explain(&run, "refused to enter the guest at an unknown address (hardware reason "
                       "0x80000021");
    memset(&run, 0, sizeof run);
    run.exit_reason = KVM_EXIT_MMIO;
    run.mmio.phys_addr = 0xfee00030;
    run.mmio.len = 4;
    must_explain(&run, "reads 4 bytes at address 0xfee00030, where");
    run.exit_reason = 1234;
    must_explain(&run, "KVM exit reason 1234");
}

ALTPICK_TEST_MAIN(cmocka_unit_test(a_whole_program_is_loaded),
                  cmocka_unit_test(what_is_no_program_is_refused),
                  cmocka_unit_test(any_part_of_a_program_is_refused),
                  cmocka_unit_test(a_machine_that_cannot_be_made_is_explained),
                  cmocka_unit_test(without_permission_the_group_is_named),
                  cmocka_unit_test(the_uart_has_the_registers_of_a_16550),
                  cmocka_unit_test(a_string_of_bytes_comes_at_once),
                  cmocka_unit_test(it_may_not_write_for_ever),
                  cmocka_unit_test(devices_that_are_absent_read_as_ones),
                  cmocka_unit_test(internal_errors_are_told_apart),
                  cmocka_unit_test(other_stops_are_told_apart))
