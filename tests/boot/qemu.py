# SPDX-License-Identifier: MIT
"""Boots a program in a machine that QEMU translates, and tells what it left behind."""
import os
import shutil
import subprocess
import sys
import time
import zlib

BEGIN, END = "-----BEGIN ALTPICK PROFILE-----", "-----END ALTPICK PROFILE-----"
QEMU = "qemu-system-x86_64"
SECONDS = 60  # a boot takes a fraction of one; the machine may be busy


def require(*tools):
    """Skip the test where one of @tools is not installed."""
    for tool in tools:
        if not shutil.which(tool):
            print(f"skipped: there is no {tool}")
            sys.exit(77)


class Boot:
    """What a boot left: the status of QEMU (None: it never ended), COM1, the screen."""

    def __init__(self, status, serial, screen):
        self.status, self.serial, self.screen = status, serial, screen

    def lines(self):
        return self.serial.decode("latin1").replace("\r\n", "\n").split("\n")

    def profile(self):
        """The text between the markers, by a reader of its own; None: there are none."""
        lines = self.lines()
        if BEGIN not in lines:
            return None
        begin = lines.index(BEGIN)
        end = next((i for i in range(begin, len(lines)) if lines[i].startswith(END)), None)
        assert end is not None, "the profile does not end"
        text = "".join(line + "\n" for line in lines[begin + 1:end]).encode("latin1")
        told = f"{END} {len(text)} bytes, crc32 {zlib.crc32(text):08x}"
        assert lines[end] == told, f"{lines[end]!r}, not {told!r}"
        return text


def arguments(cpu, serial, more):
    """-accel tcg always: another one may hang in front of an instruction."""
    return [QEMU, "-accel", "tcg", "-cpu", cpu, "-display", "none", "-net", "none", "-no-reboot",
            "-serial", f"file:{serial}" if serial else "none", *more]


def multiboot2(iso):
    return ["-cdrom", iso, "-boot", "d"]


def direct(image, line):
    return ["-kernel", image, "-append", line]


def boot(scratch, cpu, more, has_uart=True):
    """Until the program leaves by isa-debug-exit."""
    serial = os.path.join(scratch, "serial")
    open(serial, "wb").close()
    run = arguments(cpu, serial if has_uart else None, more)
    run += ["-monitor", "none", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"]
    try:
        status = subprocess.run(run, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                timeout=SECONDS).returncode
    except subprocess.TimeoutExpired:
        status = None
    return Boot(status, open(serial, "rb").read(), None)


def rows_of(memory):
    return [memory[row:row + 160:2].decode("latin1").rstrip() for row in range(0, 4000, 160)]


def boot_with_screen(scratch, cpu, more, last, has_uart=True):
    """Without that device the program halts: until @last is on its VGA text screen."""
    serial, video = os.path.join(scratch, "serial"), os.path.join(scratch, "video")
    end = time.monotonic() + SECONDS
    open(serial, "wb").close()
    screen = []
    with subprocess.Popen(arguments(cpu, serial if has_uart else None, more) + ["-monitor", "stdio"],
                          stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, text=True) as machine:
        while machine.poll() is None and time.monotonic() < end and last not in screen:
            time.sleep(0.1)
            machine.stdin.write(f'pmemsave 0xb8000 4000 "{video}"\n')
            machine.stdin.flush()
            if os.path.exists(video) and os.path.getsize(video) == 4000:
                screen = rows_of(open(video, "rb").read())
        machine.stdin.write("quit\n")
        machine.stdin.close()
        try:
            machine.wait(10)
        except subprocess.TimeoutExpired:
            machine.kill()
    return Boot(None, open(serial, "rb").read(), screen)
