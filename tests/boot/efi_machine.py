# SPDX-License-Identifier: MIT
"""A machine with UEFI firmware for tests: OVMF in QEMU, which translates, and FAT images."""
import os
import re
import shutil
import subprocess
import sys

FOLDER = "/usr/share/OVMF/"


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def need(tools, files):
    """Skip the test where one of TOOLS (command: Debian package) or FILES is not there."""
    for tool, package in tools.items():
        if not shutil.which(tool):
            skip(f"{tool} is not installed (Debian: {package})")
    for path in files:
        if not os.path.exists(FOLDER + path):
            skip(f"{FOLDER + path} is not there (Debian: ovmf)")


def fail(why, log=""):
    print("FAILED:", why)
    print(log[-6000:])
    sys.exit(1)


def check(condition, why, log=""):
    if not condition:
        fail(why, log)


def run(*command, **how):
    return subprocess.run(command, check=True, capture_output=True, timeout=60, **how).stdout


def read(path):
    with open(path, "rb") as file:
        return file.read()


def make_image(path, files, megabytes):
    """A FAT file system without partitions, as mkfs.vfat makes on a stick; FILES: path, bytes."""
    run("mformat", "-C", "-i", path, "-T", str(megabytes * 2048), "::")
    for name in {os.path.dirname(name) for name, _ in files}:
        for depth in range(1, len(name.split("/")) + 1) if name else []:
            subprocess.run(["mmd", "-D", "s", "-i", path, "::/" + "/".join(name.split("/")[:depth])],
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    for name, content in files:
        run("mcopy", "-i", path, "-", "::/" + name, input=content)


def read_serial(path):
    text = read(path).decode("ascii", "replace")
    return re.sub(r"\x1b\[[0-9;=]*[A-Za-z]", "", text).replace("\r", "")


def start(scratch, code, variables, *more):
    """Begin to run firmware; what comes out of COM1 goes to the second value, a file."""
    serial, copy = os.path.join(scratch, "serial.txt"), os.path.join(scratch, "vars.fd")
    shutil.copyfile(FOLDER + variables, copy)
    return subprocess.Popen([
        "qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", "256",
        "-display", "none", "-monitor", "none", "-net", "none", "-no-reboot",
        "-serial", "file:" + serial,
        "-drive", "if=pflash,format=raw,readonly=on,file=" + FOLDER + code,
        "-drive", "if=pflash,format=raw,file=" + copy, *more], stdin=subprocess.DEVNULL), serial


def boot(scratch, code, variables, timeout_s, *more):
    """Run firmware until it ends; returns what came out of COM1."""
    machine, serial = start(scratch, code, variables, *more)
    try:
        machine.wait(timeout_s)
    except subprocess.TimeoutExpired:
        machine.kill()
        fail("QEMU did not end", read_serial(serial))
    return read_serial(serial)
