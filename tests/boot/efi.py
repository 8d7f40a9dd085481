#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""altpick.efi in firmware: one boot of OVMF in QEMU from a FAT image.

Firmware starts it as it does from a stick, with altpick.cfg beside it; it goes on to its shell when
it has returned, which runs it again: with wrong options, with others, and from a volume that cannot
be written.  Each profile on COM1 is held against the file on the volume, byte for byte.

Then efi_deadline.c shows that a candidate that does not end is ended.

usage: efi.py ALTPICK ALTPICK_EFI DEADLINE_EFI SCRATCH
"""
import json
import os
import re
import shutil
import sys
import zlib

sys.dont_write_bytecode = True
from efi_machine import boot, check, make_image, need, read, run

CODE, VARS = "OVMF_CODE_4M.fd", "OVMF_VARS_4M.fd"
TIMEOUT_S = 150
DONE = "altpick: done"

SCRIPT = """@echo -off
fs0:
mv altpick-profile.json first.json
echo case usage
\\EFI\\BOOT\\BOOTX64.EFI budget=soon
echo status %lasterror%
echo case second
\\EFI\\BOOT\\BOOTX64.EFI budget=20000 only=refcount seed=2
echo status %lasterror%
echo case third
\\EFI\\BOOT\\BOOTX64.EFI budget=20000 only=refcount seed=2
echo status %lasterror%
fs1:
echo case readonly
altpick.efi budget=20000 only=refcount
echo status %lasterror%
echo case deadline
deadline.efi
echo status %lasterror%
echo case end
reset -s
"""


def profile_of(log, what):
    """The bytes between the markers, which firmware's console does not get."""
    found = re.findall(r"^-----BEGIN ALTPICK PROFILE-----\n(.*?)"
                       r"^-----END ALTPICK PROFILE----- (\d+) bytes, crc32 ([0-9a-f]{8})$",
                       log, re.M | re.S)
    check(len(found) == 1, f"{what}: {len(found)} profiles on COM1", log)
    content = found[0][0].encode()
    check(len(content) == int(found[0][1]), f"{what}: length", log)
    check(zlib.crc32(content) == int(found[0][2], 16), f"{what}: checksum", log)
    return content


def check_profile(altpick, scratch, content, questions, what):
    machine = json.loads(content)["machines"][0]
    check(set(machine["questions"]) == questions, f"{what}: other questions than "
          f"{questions}")
    check(b'"cycles"' not in content, f"{what}: emulated costs are no costs")
    path = os.path.join(scratch, what + ".json")
    with open(path, "wb") as file:
        file.write(content)
    run(altpick, "show", path)


def main():
    altpick, image, deadline, scratch = sys.argv[1:]
    need({"qemu-system-x86_64": "qemu-system-x86", "mcopy": "mtools"}, [CODE, VARS])
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    stick, other = os.path.join(scratch, "stick.img"), os.path.join(scratch, "other.img")
    program, loops = read(image), read(deadline)
    make_image(stick, [
        ("EFI/BOOT/BOOTX64.EFI", program),
        ("EFI/BOOT/altpick.cfg", b"# a stick's own options\r\nbudget=50000 # us\r\n"
                                 b"only=refcount,nop.fill.64\r\nseed=1\r\n"),
        ("startup.nsh", SCRIPT.replace("\n", "\r\n").encode())], 16)
    make_image(other, [("altpick.efi", program), ("deadline.efi", loops)], 4)

    log = boot(scratch, CODE, VARS, TIMEOUT_S, "-machine", "q35",
               "-drive", "if=ide,format=raw,file=" + stick,
               "-drive", "if=none,id=other,format=raw,readonly=on,file=" + other,
               "-device", "virtio-blk-pci,drive=other")
    parts = dict(zip(["first"] + re.findall(r"^case (\w+)$", log, re.M),
                     re.split(r"^case \w+\n", log, flags=re.M)))
    check(list(parts) == ["first", "usage", "second", "third", "readonly", "deadline", "end"],
          f"cases: {list(parts)}", log)
    for name in ["first", "usage", "second", "third", "readonly"]:
        check(parts[name].count(DONE) >= 1, f"{name}: did not come to its end", parts[name])

    check("budget=soon" in parts["usage"] and "BEGIN" not in parts["usage"],
          "usage: not refused with words", parts["usage"])
    check("status 0x2\n" in parts["usage"], "usage: status", parts["usage"])
    for name in ["second", "third"]:
        check("wrote \\altpick-profile.json" in parts[name], f"{name}: no file", parts[name])
        check("status 0x3\n" in parts[name], f"{name}: status", parts[name])
    check("no file is written to the volume: it is write-protected" in parts["readonly"],
          "readonly: says nothing", parts["readonly"])

    check(re.findall(r"^deadline: (.*)$", parts["deadline"], re.M) ==
          ["before unmeasured", "loops timed-out", "after unmeasured",
           "timing environment is not trustworthy", "state is the same",
           "timing environment is not trustworthy", "state is the same"],
          "deadline", parts["deadline"])

    for name, file, questions in [("first", "first.json", {"refcount", "nop.fill.64"}),
                                  ("third", "altpick-profile.json", {"refcount"})]:
        content = profile_of(parts[name], name)
        written = run("mcopy", "-i", stick, "::/" + file, "-")
        check(content == written, f"{name}: the file differs from COM1")
        check_profile(altpick, scratch, content, questions, name)
    profile_of(parts["readonly"], "readonly")
    names = run("mdir", "-b", "-i", stick, "::").decode()
    check("tmp" not in names.lower(), f"a temporary file is left: {names}")
    print("ok")


main()
