#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Boot programs on the machines of machines.py.  Whatever a machine is, the program ends by itself with
the status and the words that its line asks for, and a profile of it holds no cost.

usage: boot.py boot|platform|grub ALTPICK BOOT_ELF PLATFORM_ELF SCRATCH [MACHINE...]
"""
import json
import os
import re
import shutil
import subprocess
import sys

import machines
import qemu


def has_costs(value):
    if isinstance(value, dict):
        return "cycles" in value or any(map(has_costs, value.values()))
    return isinstance(value, list) and any(map(has_costs, value))


def check_profile(text, expected):
    machine, = json.loads(text)["machines"]
    if "trust" not in expected:
        assert machine["measured"]["trust"] in ("translated", "interpreted"), machine["measured"]["trust"]
    assert machine["measured"]["ring"] == 0
    assert not has_costs(machine), "there is a cost"
    assert machine["questions"], "no question"
    for question in machine["questions"].values():
        for condition in question["conditions"].values():
            assert condition["status"] != "measured", "something was measured"
    for key, value in expected.items():
        found = machine["cpu"].get(key, machine["measured"].get(key))
        assert found == value, f"{key} is {found!r}, not {value!r}"


def check_extracted(altpick, scratch, text):
    """`probe --from-serial` takes out the same bytes, and `show` reads them."""
    serial, out = os.path.join(scratch, "serial"), os.path.join(scratch, "profile.json")
    run = subprocess.run([altpick, "probe", "--from-serial", serial, "-o", out],
                         stderr=subprocess.PIPE, text=True)
    assert run.returncode == 3, f"--from-serial: status {run.returncode}: {run.stderr}"
    assert open(out, "rb").read() == text, "--from-serial wrote other bytes"
    subprocess.run([altpick, "show", out], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def is_there(wanted, lines):
    """A wanted line that begins with '~' is a regular expression."""
    if wanted.startswith("~"):
        return any(re.fullmatch(wanted[1:], line) for line in lines)
    return wanted in lines


def check_text(machine, boot):
    lines = boot.lines()
    if machine.screen:
        assert machine.screen in boot.screen, f"not on the screen: {machine.screen!r}: {boot.screen}"
    else:
        assert boot.status == machine.status, f"QEMU's status is {boot.status}, not {machine.status}"
    for wanted in machine.lines:
        assert is_there(wanted, lines), f"no line {wanted!r}"
    for unwanted in machine.absent:
        assert unwanted not in lines, f"a line {unwanted!r}"
    if boot.status in (machines.DONE, machines.UNTRUSTED):
        assert lines[-2:] == ["altpick: done", ""], "the last line is another"
    if qemu.BEGIN in lines:
        lines[lines.index(qemu.BEGIN):-3] = []
    for line in lines:
        assert len(line) <= 80 or line.startswith("command line:"), f"{len(line)} columns: {line!r}"


def try_machine(machine, image, altpick, scratch, start=None):
    more = machine.more + (start or qemu.direct(image, machine.words))
    if machine.screen:
        boot = qemu.boot_with_screen(scratch, machine.cpu, more, machine.screen, machine.uart)
    else:
        boot = qemu.boot(scratch, machine.cpu, more, machine.uart)
    try:
        check_text(machine, boot)
        text = boot.profile()
        assert (text is None) == (machine.profile is None), "a profile, or none"
        if text is not None:
            check_profile(text, machine.profile)
            check_extracted(altpick, scratch, text)
    except AssertionError as error:
        print(f"FAIL: {machine.name}: {error}")
        print("".join(f"    {line}\n" for line in boot.lines()[:40]))
        return False
    return True


def grub_image(image, words, scratch):
    """A disk that GRUB starts the program from, by multiboot2."""
    folder, iso = os.path.join(scratch, "iso"), os.path.join(scratch, "grub.iso")
    os.makedirs(os.path.join(folder, "boot/grub"))
    shutil.copy(image, os.path.join(folder, "boot/altpick-boot.elf"))
    with open(os.path.join(folder, "boot/grub/grub.cfg"), "w") as config:
        config.write(f"set timeout=0\nmenuentry altpick {{ multiboot2 /boot/altpick-boot.elf {words} }}\n")
    subprocess.run(["grub-mkrescue", "-o", iso, folder], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return iso


def try_grub(image, altpick, scratch):
    qemu.require("grub-mkrescue", "xorriso", "mformat")
    if not os.path.isdir("/usr/lib/grub/i386-pc"):
        print("skipped: GRUB has no files for a BIOS")
        sys.exit(77)
    words = machines.FEW
    good = machines.Machine("grub", "max", profile={"xcr0": "0x21f"}, absent=["altpick: no VGA text screen"])
    iso = grub_image(image, words, scratch)
    return [try_machine(good, image, altpick, scratch, qemu.multiboot2(iso)),
            try_machine(machines.refused("grub, no long mode", "athlon", "long mode: an x86-64 CPU is needed."),
                        image, altpick, scratch, qemu.multiboot2(iso))]


def main():
    what, altpick, boot_elf, platform_elf, scratch = sys.argv[1:6]
    qemu.require(qemu.QEMU)
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    if what == "grub":
        results = try_grub(boot_elf, altpick, scratch)
    else:
        table, image = {"boot": (machines.BOOT, boot_elf),
                        "platform": (machines.PLATFORM, platform_elf)}[what]
        results = [try_machine(machine, image, altpick, scratch) for machine in table
                   if not sys.argv[6:] or machine.name in sys.argv[6:]]
    print(f"{sum(results)} of {len(results)} machines did as they should")
    sys.exit(0 if results and all(results) else 1)


main()
