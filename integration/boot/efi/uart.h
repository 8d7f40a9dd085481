/* SPDX-License-Identifier: MIT */
/* COM1 as firmware has it set, which may use it for its own console. */
#ifndef ALTPICK_BOOT_EFI_UART_H
#define ALTPICK_BOOT_EFI_UART_H

#include <stdbool.h>
#include <stdint.h>

struct efi_uart {
    uint8_t interrupts, line_control, modem_control;
    uint8_t divisor[2]; /* low, high */
    bool fifo;          /* is on */
};

/* What is set now.  Means nothing where there is no UART. */
struct efi_uart efi_uart_read(void);

/* Set it again, but for what cannot be read: from how many bytes on the FIFO interrupts. */
void efi_uart_restore(const struct efi_uart *uart);

#endif
