#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What altpick-boot.elf sends where the counter counts instructions: the same bytes each time, and those
in tests/boot/golden but for what a compiler's code changes.  With ALTPICK_REBASE=1 they are written.

usage: golden.py BOOT_ELF GOLDEN SCRATCH
"""
import difflib
import os
import re
import shutil
import sys

import qemu

# Models whose features every QEMU has; name: (model, words).
BOOTS = {
    "no-xsave": ("Nehalem", "seed=1 only=xstate.save"),
    "rehearsed": ("Haswell", "seed=1 rehearse budget=20000 only=refcount"),
    "refused": ("athlon", ""),
    "wrong-word": ("Nehalem", "seed=one"),
}

# How many instructions a compiler made of it.
COUNTS = [
    (r"^time: \d+ us", "time: # us"),
    (r'"quantum_ticks": \d+,', '"quantum_ticks": #,'),
    (r"bytes, crc32 [0-9a-f]{8}$", "bytes, crc32 ########"),
]


def without_counts(boot):
    lines = boot.lines()
    for pattern, text in COUNTS:
        lines = [re.sub(pattern, text, line) for line in lines]
    return lines


def check(name, image, golden, scratch):
    model, words = BOOTS[name]
    path = os.path.join(golden, name + ".txt")
    boots = [qemu.boot(scratch, model, qemu.direct(image, words) + ["-icount", "shift=0"])
             for _ in range(2)]
    if boots[0].serial != boots[1].serial or not boots[0].serial:
        print(f"FAIL: {name}: two boots sent different bytes, or none")
        return False
    boots[0].profile()  # its length and CRC are right
    found = without_counts(boots[0])
    if os.environ.get("ALTPICK_REBASE") == "1":
        with open(path, "w", newline="") as file:
            file.write("\n".join(found))
    expected = open(path, newline="").read().split("\n")
    for line in list(difflib.unified_diff(expected, found, path, "this boot", lineterm=""))[:40]:
        print(line)
    return expected == found


def main():
    image, golden, scratch = sys.argv[1:4]
    qemu.require(qemu.QEMU)
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    results = [check(name, image, golden, scratch) for name in BOOTS]
    print(f"{sum(results)} of {len(results)} are as they were")
    sys.exit(0 if all(results) else 1)


main()
