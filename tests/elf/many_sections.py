#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A linked file of 60,000 sections and 300,000 records: read in a time that grows with their sum, not with their
product, which would be minutes; the test's time limit says so. One of more sections than are read is refused.

usage: many_sections.py ALTPICK SCRATCH"""
import os
import struct
import subprocess
import sys

altpick, scratch = sys.argv[1:3]
SECTIONS, RECORDS = 60000, 300000
CODE, TABLE, OTHERS = 0x1000000, 0x2000000, 0x10000000
NAMES = b"\0.text\0.altinstructions\0.shstrtab\0.other\0"
HEADER_BYTES = 64


def section(name, kind, flags, address, offset, size):
    return struct.pack("<IIQQQQIIQQ", NAMES.index(name + b"\0"), kind, flags, address, offset, size, 0, 0, 1, 0)


def file(n_sections):
    code = b"\x90" * 4096
    records = b"".join(
        struct.pack("<iiHBB", CODE + i % 4000 - (TABLE + 12 * i), CODE - (TABLE + 12 * i + 4), 1, 1, 0)
        for i in range(RECORDS))
    body = code + records + NAMES
    body += b"\0" * (-len(body) % 8)
    at_records = HEADER_BYTES + len(code)
    sections = [b""]  # the empty one, where a number of sections that is too large for the header stands
    sections += [section(b".other", 1, 2, OTHERS + 16 * i, HEADER_BYTES, 16) for i in range(n_sections)]
    sections += [section(b".text", 1, 6, CODE, HEADER_BYTES, len(code)),
                 section(b".altinstructions", 1, 2, TABLE, at_records, len(records)),
                 section(b".shstrtab", 3, 0, 0, at_records + len(records), len(NAMES))]
    n = len(sections)
    numbers = (n, n - 1) if n < 0xff00 else (0, 0xffff)
    sections[0] = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, n, n - 1, 0, 0, 0)
    header = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, HEADER_BYTES + len(body), 0, 64, 0, 0, 64, *numbers)
    return header + body + b"".join(sections)


os.makedirs(scratch, exist_ok=True)
path = os.path.join(scratch, "many")
with open(path, "wb") as f:
    f.write(file(SECTIONS))
for command, expected in ((["inspect", "--no-census"], f"{RECORDS} records of 12 bytes: linux12"),
                          (["view", "--kernel", "6.1", "--features", "1*32+1"], f"{RECORDS} entries, 0 applied")):
    said = subprocess.run([altpick, *command, path], capture_output=True, text=True, check=False)
    if said.returncode != 0 or expected not in said.stdout:
        sys.exit(f"FAIL: altpick {command[0]}: {said.returncode} {said.stderr}{said.stdout[:500]}")
with open(path, "wb") as f:
    f.write(file(0xff00))
said = subprocess.run([altpick, "inspect", path], capture_output=True, text=True, check=False)
if said.returncode == 0 or "65284 sections; at most 65279 are read" not in said.stderr:
    sys.exit(f"FAIL: more sections than symbols can name: {said.stdout}{said.stderr}")
