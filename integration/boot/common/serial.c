/* SPDX-License-Identifier: MIT */
/* Sends text through the UART of COM1, if there is one. */
#include "serial.h"

#include "port.h"

enum {
    COM1 = 0x3f8,
    DATA = COM1, /* the divisor's low byte while LINE_CONTROL has bit 7 */
    INTERRUPTS = COM1 + 1,
    FIFO = COM1 + 2,
    LINE_CONTROL = COM1 + 3,
    MODEM_CONTROL = COM1 + 4,
    LINE_STATUS = COM1 + 5,
    SCRATCH = COM1 + 7,
    ROOM = 0x20, /* of LINE_STATUS */
    /* A character takes 87 us; a port read at least 0.1 us anywhere. */
    WAIT_READS = 100000,
};

static enum { ABSENT, PLAIN, UART } kind;

static bool keeps(uint8_t value)
{
    boot_out8(SCRATCH, value);
    return boot_in8(SCRATCH) == value;
}

void boot_serial_start(bool plain)
{
    kind = plain ? PLAIN : keeps(0xa5) && keeps(0x5a) ? UART : ABSENT;
    if (kind != UART)
        return;
    boot_out8(INTERRUPTS, 0);
    boot_out8(LINE_CONTROL, 0x80);
    boot_out8(DATA, 1); /* 115200 / 1 */
    boot_out8(INTERRUPTS, 0);
    boot_out8(LINE_CONTROL, 3);  /* 8N1 */
    boot_out8(FIFO, 7);          /* on, cleared */
    boot_out8(MODEM_CONTROL, 3); /* DTR, RTS */
}

bool boot_serial_present(void)
{
    return kind != ABSENT;
}

static void put(char c)
{
    unsigned reads = 0;

    while (kind == UART && !(boot_in8(LINE_STATUS) & ROOM)) {
        if (++reads == WAIT_READS)
            kind = ABSENT;
    }
    if (kind != ABSENT)
        boot_out8(DATA, (uint8_t) c);
}

void boot_serial_write(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes && kind != ABSENT; i++) {
        if (text[i] == '\n')
            put('\r');
        put(text[i]);
    }
}

static int write_out(void *ctx, const char *text, size_t bytes)
{
    (void) ctx;
    boot_serial_write(text, bytes);
    return 0;
}

struct altpick_out boot_serial_out(void)
{
    return (struct altpick_out){.write = write_out};
}
