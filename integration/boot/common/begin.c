/* SPDX-License-Identifier: MIT */
/* From the first C code to boot_main(): outputs, exceptions, interrupt controllers. */
#include "info.h"
#include "leave.h"
#include "port.h"
#include "screen.h"
#include "serial.h"
#include "timer.h"
#include "trap.h"

/* start.S calls them. */
void boot_begin_loaded(uint32_t loader, const void *data);
void boot_begin(const struct boot_info *info);

extern const char boot_image_start[], boot_image_end[];

static _Noreturn void fail(const char *line)
{
    struct altpick_out serial = boot_serial_out(), screen = boot_screen_out();

    altpick_out_text(&serial, line);
    altpick_out_text(&screen, line);
    boot_leave(BOOT_LEAVE_FAILED);
}

/* Whether all of the program lies in RAM; a loader that tells of none is believed. */
static bool image_is_in_ram(const struct boot_info *info)
{
    uint64_t start = (uintptr_t) boot_image_start, end = (uintptr_t) boot_image_end;

    for (uint32_t i = 0; i < info->n_ram; i++) {
        if (info->ram[i].start <= start && info->ram[i].bytes >= end - info->ram[i].start)
            return true;
    }
    return info->n_ram == 0;
}

void boot_begin(const struct boot_info *info)
{
    boot_serial_start(info->flags & BOOT_PLAIN_SERIAL);
    boot_trap_start();
    if (info->bytes != sizeof *info || info->n_ram > BOOT_RANGES_MAX)
        fail("altpick: the monitor that loaded this program was built for another one\n");
    boot_screen_start(info->flags & BOOT_TEXT_SCREEN);
    boot_interrupts_mask();
    if (!image_is_in_ram(info))
        fail("altpick: not enough memory: this program does not fit in it\n");
    boot_main(info);
    fail("altpick: the program returned without a verdict\n");
}

void boot_begin_loaded(uint32_t loader, const void *data)
{
    static struct boot_info info;

    boot_info_read(loader, data, &info);
    boot_begin(&info);
}
