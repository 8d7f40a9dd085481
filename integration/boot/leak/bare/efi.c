/* SPDX-License-Identifier: MIT */
/* altpick-leak.efi: the tester as an application of UEFI firmware. */
#include "asked.h"
#include "bare.h"
#include "bytes.h"
#include "console.h"
#include "efi_services.h"
#include "front.h"
#include "lines.h"
#include "pages.h"
#include "port.h"
#include "rate.h"
#include "serial.h"
#include "uart.h"
#include "uefi.h"
#include "xstate.h"

#include "altpick/cpu.h"

enum { WORDS_MAX = 1024 };
#define CR4_OSXSAVE UINT64_C(0x40000)

/* All that the program holds, to be given back. */
struct program {
    struct efi_system_table *system;
    struct efi_lines console_lines, serial_lines;
    struct altpick_out console, serial, say; /* say: both */
    struct efi_pages memory, room;
    struct efi_leak_services services;
    char words[WORDS_MAX];
    uint64_t cr4, xcr0; /* firmware's; xcr0: 0 without OSXSAVE */
};

static int say_write(void *ctx, const char *text, size_t bytes)
{
    struct program *program = ctx;

    altpick_out_bytes(&program->console, text, bytes);
    altpick_out_bytes(&program->serial, text, bytes);
    return 0;
}

/* The shell's words or load options. */
static bool find_words(struct program *program, void *image)
{
    static const struct efi_guid guid = EFI_LOADED_IMAGE_GUID;
    static const uint16_t nowhere[] = u"";
    struct efi_asked asked = {.boot = program->system->boot,
                              .image = image,
                              .directory = nowhere, /* altpick.cfg is another program's */
                              .say = &program->say};
    void *interface = NULL;

    if (asked.boot->handle_protocol(image, &guid, &interface) != EFI_SUCCESS)
        return false;
    asked.loaded = interface;
    return efi_asked_find(&asked, program->words, WORDS_MAX);
}

/* --- what firmware has, and gets back --------------------------------------------------------- */

static void save_control(struct program *program)
{
    uint32_t low, high;

    __asm__ volatile("movq %%cr4, %0" : "=r"(program->cr4));
    if (!(program->cr4 & CR4_OSXSAVE))
        return;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    program->xcr0 = (uint64_t) high << 32 | low;
}

/* Registers behind the legacy region are no caller's by the calling convention (2.3.4.2). */
static void restore_control(const struct program *program, const struct altpick_bare_entry *entry)
{
    if (program->xcr0)
        __asm__ volatile("xsetbv"
                         :
                         : "c"(0), "a"((uint32_t) program->xcr0),
                           "d"((uint32_t) (program->xcr0 >> 32))
                         : "memory");
    __asm__ volatile("movq %0, %%cr4" : : "r"(program->cr4) : "memory");
    __asm__ volatile("fxrstor64 %0" : : "m"(entry->fx) : "memory");
}

/* --- the run ---------------------------------------------------------------------------------- */

static bool allocate(struct program *program, const struct altpick_xstate *xstate)
{
    struct efi_boot_services *boot = program->system->boot;

    if (efi_pages_allocate(boot, EFI_LOADER_DATA, altpick_bare_memory_bytes(xstate),
                           &program->memory) != EFI_SUCCESS ||
        efi_pages_allocate(boot, EFI_LOADER_DATA, UINT64_C(2) * EFI_LEAK_ROOM, &program->room) !=
            EFI_SUCCESS) {
        altpick_out_text(&program->say, "altpick-leak: firmware has too little memory\n");
        return false;
    }
    altpick_zero(program->room.memory, (size_t) 2 * EFI_LEAK_ROOM);
    program->services.system = program->system;
    program->services.room = program->room.memory;
    if (boot->create_event(EFI_EVENT_TIMER, EFI_TPL_CALLBACK, NULL, NULL,
                           &program->services.event) != EFI_SUCCESS)
        program->services.event = NULL;
    return true;
}

static void release(struct program *program)
{
    struct efi_boot_services *boot = program->system->boot;

    if (program->services.event)
        boot->close_event(program->services.event);
    efi_pages_free(boot, &program->room);
    efi_pages_free(boot, &program->memory);
}

/* With everything enabled that the CPU has: firmware does without most of it. */
static efi_status test(struct program *program, const struct altpick_bare_entry *entry,
                       const struct altpick_xstate *xstate)
{
    struct altpick_bare bare = {
        .out = &program->say,
        .words = program->words,
        .entry = entry,
        .xstate = xstate,
        .interrupts = true,
        .timer_start = efi_leak_start_ticks,
        .timer_stop = efi_leak_stop_ticks,
        .ctx = &program->services,
        .services = efi_leak_services,
        .n_services = EFI_LEAK_SERVICES,
    };

    if (!allocate(program, xstate))
        return EFI_OUT_OF_RESOURCES;
    bare.memory = program->memory.memory;
    bare.tsc_hz = efi_rate_of_tsc(program->system->boot);
    switch (altpick_bare_run(&bare)) {
    case ALTPICK_BARE_CLEAN:
        return EFI_SUCCESS;
    case ALTPICK_BARE_LEAK:
        return EFI_ABORTED;
    case ALTPICK_BARE_USAGE:
        return EFI_INVALID_PARAMETER;
    case ALTPICK_BARE_NOT_TESTED:
        break;
    }
    return EFI_UNSUPPORTED;
}

efi_status EFIAPI efi_main(void *image, struct efi_system_table *system);

efi_status EFIAPI efi_main(void *image, struct efi_system_table *system)
{
    static struct altpick_bare_entry entry;
    static struct program program;
    struct altpick_xstate xstate;
    struct efi_uart uart;
    efi_status status = EFI_INVALID_PARAMETER;
    bool has_uart;

    altpick_bare_see_entry(&entry);
    program.system = system;
    save_control(&program);
    boot_xstate_enable(UINT64_MAX);
    altpick_bare_see_rest(&entry, &xstate);
    uart = efi_uart_read();
    system->boot->set_watchdog_timer(0, 0, 0, NULL);
    boot_serial_start(false);
    has_uart = boot_serial_present(); /* it may stall later, and is given back all the same */
    program.console_lines.to = efi_console_out(system->console_out);
    program.serial_lines.to = boot_serial_out();
    program.console = efi_lines_out(&program.console_lines);
    program.serial = efi_lines_out(&program.serial_lines);
    program.say = (struct altpick_out){.write = say_write, .ctx = &program};

    if (find_words(&program, image))
        status = test(&program, &entry, &xstate);
    altpick_out_text(&program.say, ALTPICK_FRONT_DONE "\n");
    release(&program);
    if (has_uart)
        efi_uart_restore(&uart);
    restore_control(&program, &entry);
    return status;
}
