/* SPDX-License-Identifier: MIT */
/* The ports of a virtual machine: a UART, a way out, and devices that are known to be absent. */
#include "kvm_parts.h"

#include "diag.h"

enum {
    COM1 = 0x3f8,
    DATA = 0, /* registers of the 16550 */
    INTERRUPTS,
    FIFO, /* read: which interrupt */
    LINE,
    MODEM,
    LINE_STATUS,
    MODEM_STATUS,
    SCRATCH,
    UART_PORTS,
    DIVISOR_ACCESS = 0x80, /* of LINE */
    LOOP = 0x10,           /* of MODEM */
    NO_INTERRUPT = 0x01,
    RECEIVED = 0x01, /* of LINE_STATUS */
    ROOM_AND_IDLE = 0x60,
    CONNECTED = 0xb0, /* of MODEM_STATUS: carrier, data set ready, clear to send */
    LEAVE = 0xf4,
    SERIAL_BYTES_MAX = 16 << 20,
    NOBODY = 0xff,
};

/* Of a PC, which programs set up or look for: both 8259, the 8254 and the speaker's gate. */
static const uint16_t absent[] = {0x20, 0x21, 0xa0, 0xa1, 0x40, 0x41, 0x42, 0x43, 0x61};

void altpick_kvm_ports_init(struct altpick_kvm_ports *ports)
{
    *ports = (struct altpick_kvm_ports){
        .divisor = {1, 0}
    };
    altpick_text_init(&ports->serial, &ports->serial_out);
}

void altpick_kvm_ports_fini(struct altpick_kvm_ports *ports)
{
    altpick_text_fini(&ports->serial);
}

static uint8_t uart_read(struct altpick_kvm_ports *ports, unsigned reg)
{
    bool divisor = ports->line & DIVISOR_ACCESS;

    switch (reg) {
    case DATA:
        if (divisor)
            return ports->divisor[0];
        ports->has_looped = false;
        return ports->looped;
    case INTERRUPTS:
        return divisor ? ports->divisor[1] : ports->interrupts;
    case FIFO:
        return NO_INTERRUPT;
    case LINE:
        return ports->line;
    case MODEM:
        return ports->modem;
    case LINE_STATUS:
        return ROOM_AND_IDLE | (ports->has_looped ? RECEIVED : 0);
    case MODEM_STATUS:
        return CONNECTED;
    default:
        return ports->scratch;
    }
}

static void send(struct altpick_kvm_ports *ports, uint8_t value)
{
    if (ports->modem & LOOP) {
        ports->looped = value;
        ports->has_looped = true;
    } else {
        altpick_out_bytes(&ports->serial_out, (const char *) &value, 1);
    }
}

static void uart_write(struct altpick_kvm_ports *ports, unsigned reg, uint8_t value)
{
    bool divisor = ports->line & DIVISOR_ACCESS;

    switch (reg) {
    case DATA:
    case INTERRUPTS:
        if (divisor)
            ports->divisor[reg] = value;
        else if (reg == DATA)
            send(ports, value);
        else
            ports->interrupts = value;
        break;
    case LINE:
        ports->line = value;
        break;
    case MODEM:
        ports->modem = value;
        break;
    case SCRATCH:
        ports->scratch = value;
        break;
    default: /* there is no FIFO, and what is status cannot be written */
        break;
    }
}

static bool is_absent(unsigned port)
{
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        if (absent[i] == port)
            return true;
    }
    return false;
}

/* One byte.  False: there is no such port. */
static bool serve_byte(struct altpick_kvm_ports *ports, unsigned port, bool out, uint8_t *data)
{
    if (port >= COM1 && port < COM1 + UART_PORTS) {
        if (out)
            uart_write(ports, port - COM1, *data);
        else
            *data = uart_read(ports, port - COM1);
        return true;
    }
    if (port == LEAVE && out) {
        ports->ended = true;
        ports->code = *data;
        return true;
    }
    if (!out)
        *data = NOBODY;
    return is_absent(port);
}

int altpick_kvm_ports_serve(struct altpick_kvm_ports *ports, struct kvm_run *run,
                            struct altpick_diag *diag)
{
    uint8_t *data = (uint8_t *) run + run->io.data_offset;
    bool out = run->io.direction == KVM_EXIT_IO_OUT;

    for (uint32_t i = 0; i < run->io.count; i++) {
        if (run->io.size != 1 || !serve_byte(ports, run->io.port, out, data + i))
            return altpick_fail(diag, ALTPICK_EFAULT,
                                "the boot program %s %u byte%s at port 0x%x, where its virtual "
                                "machine has nothing",
                                out ? "writes" : "reads", run->io.size,
                                run->io.size == 1 ? "" : "s", run->io.port);
        if (ports->ended)
            break;
    }
    if (ports->serial.bytes > SERIAL_BYTES_MAX)
        return altpick_fail(diag, ALTPICK_EFAULT,
                            "the boot program does not stop writing to its serial line");
    if (ports->serial_out.err < 0)
        return altpick_fail(diag, ports->serial_out.err, "what the boot program writes: %s",
                            altpick_err_text(ports->serial_out.err));
    return ALTPICK_OK;
}
