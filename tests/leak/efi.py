#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""altpick-leak.efi in firmware: one boot of OVMF in QEMU, whose shell runs it: clean, with leaks
planted, and with words that are wrong.

usage: efi.py ALTPICK_LEAK_EFI SCRATCH
"""
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../boot"))
from efi_machine import boot, check, make_image, need, read

CODE, VARS = "OVMF_CODE_4M.fd", "OVMF_VARS_4M.fd"
TIMEOUT_S = 100
DONE = "altpick: done"
CASES = {  # name: words; rounds are few because firmware's clock ticks every 10 ms
    "clean": "rounds=9",
    "switch": "rounds=6 plant=switch:ymm7",
    "handler": "rounds=6 plant=handler:ymm3",
    "entry": "rounds=3 plant=entry:xmm",
    "usage": "rounds=9 plant=nonsense",
}
SCENES = {"cpuid", "port", "msr", "cr0", "cr3", "cr4", "xsetbv", "pause", "tsc", "interrupt", "halt",
          "switch", "Stall", "OutputString", "WaitForEvent", "AllocatePages", "CopyMem", "SetMem",
          "CalculateCrc32"}


def script():
    lines = ["@echo -off", "fs0:"]
    for name, words in CASES.items():
        lines += ["echo case " + name, "leak.efi " + words, "echo status %lasterror%"]
    return "\r\n".join(lines + ["echo case end", "reset -s", ""]).encode()


def cases_of(log):
    parts = re.split(r"^case (\w+)\s*$", log, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def status_of(text):
    found = re.search(r"^status (\S+)", text, re.M)
    return found[1] if found else None


def leaks(text):
    """Of both copies of the report, firmware's console's and ours."""
    text = "\n".join(line for i, line in enumerate(text.splitlines())
                     if i == 0 or line != text.splitlines()[i - 1])
    return set(re.findall(r"^(LEAK|LEFT) (\S+): .* saw in (\S+) \((\S+), .*\n *bits of (.+?) instead",
                          text, re.M))


def main():
    image, scratch = sys.argv[1:]
    need({"qemu-system-x86_64": "qemu-system-x86", "mformat": "mtools"}, [CODE, VARS])
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    stick = os.path.join(scratch, "stick.img")
    make_image(stick, [("leak.efi", read(image)), ("startup.nsh", script())], 48)
    log = boot(scratch, CODE, VARS, TIMEOUT_S, "-machine", "q35",
               "-drive", "if=ide,format=raw,file=" + stick)
    case = cases_of(log)
    check(set(case) == set(CASES) | {"end"}, "cases ran: " + str(set(case)), log)
    for name in CASES:
        check(DONE in case[name], name + " did not come to its end", case[name])
    check("result: clean\n" in case["clean"] and status_of(case["clean"]) == "0x0", "not clean",
          case["clean"])
    played = set(re.findall(r"^\s*(\S+) +clean, [1-9]\d* times$", case["clean"], re.M))
    check(played >= SCENES, "not played: " + str(SCENES - played), case["clean"])
    check(status_of(case["switch"]) not in ("0x0", None), "status of a leak", case["switch"])
    check({leak for leak in leaks(case["switch"]) if leak[0] == "LEAK"} == {
        ("LEAK", "switch", "ymm", "ymm7", who)
        for who in ("first", "second")}, "switch", case["switch"])
    # Firmware's own entry of interrupts keeps what FXSAVE knows: only the rest can leak.
    check(leaks(case["handler"]) >= {("LEAK", "interrupt", "ymm", "ymm3", "interrupt handler"),
                                     ("LEAK", "halt", "ymm", "ymm3", "interrupt handler")},
          "handler", case["handler"])
    check(("LEFT", "entry", "xmm", "xmm0-xmm15", "the former owner") in leaks(case["entry"]),
          "entry", case["entry"])
    check("not understood: 'plant=nonsense'" in case["usage"] and
          status_of(case["usage"]) not in ("0x0", None), "usage", case["usage"])


main()
