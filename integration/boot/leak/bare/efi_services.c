/* SPDX-License-Identifier: MIT */
/* Calls of firmware that copy, compute, wait or write, and its timer's notifications as ticks. */
#include "efi_services.h"

enum {
    STALL_US = 50,
    WAIT_100NS = 10000, /* firmware's clock may have no shorter tick than 10 ms */
    TICK_100NS = 100000,
    SET_TO = 0x1a, /* a byte of no owner's */
};

static void stall(void *ctx)
{
    const struct efi_leak_services *services = ctx;

    services->system->boot->stall(STALL_US);
}

static void output_string(void *ctx)
{
    const struct efi_leak_services *services = ctx;

    if (services->system->console_out)
        services->system->console_out->output_string(services->system->console_out, u"\r");
}

static void wait_for_event(void *ctx)
{
    struct efi_leak_services *services = ctx;
    struct efi_boot_services *boot = services->system->boot;
    uint64_t index;

    if (services->event && boot->set_timer(services->event, EFI_TIMER_RELATIVE, WAIT_100NS) == 0)
        boot->wait_for_event(1, &services->event, &index);
}

static void allocate_pages(void *ctx)
{
    struct efi_boot_services *boot = ((const struct efi_leak_services *) ctx)->system->boot;
    uint64_t address = 0;

    if (boot->allocate_pages(EFI_ALLOCATE_ANY_PAGES, EFI_LOADER_DATA, 1, &address) == EFI_SUCCESS)
        boot->free_pages(address, 1);
}

static void copy_mem(void *ctx)
{
    const struct efi_leak_services *services = ctx;

    services->system->boot->copy_mem(services->room, services->room + EFI_LEAK_ROOM, EFI_LEAK_ROOM);
}

static void set_mem(void *ctx)
{
    const struct efi_leak_services *services = ctx;

    services->system->boot->set_mem(services->room, EFI_LEAK_ROOM, SET_TO);
}

static void crc32(void *ctx)
{
    const struct efi_leak_services *services = ctx;
    uint32_t crc;

    services->system->boot->calculate_crc32(services->room, EFI_LEAK_ROOM, &crc);
}

const struct altpick_bare_service efi_leak_services[EFI_LEAK_SERVICES] = {
    {"Stall",          stall         },
    {"OutputString",   output_string },
    {"WaitForEvent",   wait_for_event},
    {"AllocatePages",  allocate_pages},
    {"CopyMem",        copy_mem      },
    {"SetMem",         set_mem       },
    {"CalculateCrc32", crc32         },
};

static void EFIAPI on_tick(void *event, void *ctx)
{
    (void) event;
    (void) ctx;
    altpick_bare_tick();
}

bool efi_leak_start_ticks(void *ctx)
{
    struct efi_leak_services *services = ctx;
    struct efi_boot_services *boot = services->system->boot;

    if (boot->create_event(EFI_EVENT_TIMER | EFI_EVENT_NOTIFY_SIGNAL, EFI_TPL_CALLBACK, on_tick,
                           NULL, &services->ticker) != EFI_SUCCESS) {
        services->ticker = NULL;
        return false;
    }
    if (boot->set_timer(services->ticker, EFI_TIMER_PERIODIC, TICK_100NS) == EFI_SUCCESS)
        return true;
    efi_leak_stop_ticks(ctx);
    return false;
}

void efi_leak_stop_ticks(void *ctx)
{
    struct efi_leak_services *services = ctx;

    if (services->ticker)
        services->system->boot->close_event(services->ticker);
    services->ticker = NULL;
}
