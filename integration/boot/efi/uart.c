/* SPDX-License-Identifier: MIT */
/* COM1 as firmware has it set, which may use it for its own console. */
#include "uart.h"

#include "port.h"

enum {
    COM1 = 0x3f8,
    INTERRUPTS = COM1 + 1, /* the divisor's bytes are here and before while DIVISOR is set */
    FIFO = COM1 + 2,       /* read: what interrupts, and with FIFO_ON whether there are FIFOs */
    LINE_CONTROL = COM1 + 3,
    MODEM_CONTROL = COM1 + 4,
    LINE_STATUS = COM1 + 5,
    FIFO_ON = 0xc0,
    DIVISOR = 0x80, /* of LINE_CONTROL */
    EMPTY = 0x40,   /* of LINE_STATUS: the last bit is on the line */
    WAIT_READS = 100000,
};

struct efi_uart efi_uart_read(void)
{
    struct efi_uart uart = {.interrupts = boot_in8(INTERRUPTS),
                            .line_control = boot_in8(LINE_CONTROL),
                            .modem_control = boot_in8(MODEM_CONTROL),
                            .fifo = (boot_in8(FIFO) & FIFO_ON) == FIFO_ON};

    boot_out8(LINE_CONTROL, uart.line_control | DIVISOR);
    uart.divisor[0] = boot_in8(COM1);
    uart.divisor[1] = boot_in8(INTERRUPTS);
    boot_out8(LINE_CONTROL, uart.line_control);
    return uart;
}

void efi_uart_restore(const struct efi_uart *uart)
{
    for (unsigned reads = 0; reads < WAIT_READS && !(boot_in8(LINE_STATUS) & EMPTY); reads++)
        ;
    boot_out8(LINE_CONTROL, uart->line_control | DIVISOR);
    boot_out8(COM1, uart->divisor[0]);
    boot_out8(INTERRUPTS, uart->divisor[1]);
    boot_out8(LINE_CONTROL, uart->line_control);
    boot_out8(FIFO, uart->fifo);
    boot_out8(INTERRUPTS, uart->interrupts);
    boot_out8(MODEM_CONTROL, uart->modem_control);
}
