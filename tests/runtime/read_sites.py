#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""List the sites of a linked image, from its bytes and the documented layout alone.

usage: read_sites.py IMAGE [BITS]    prints "item bytes default flags" a line, in order of address
"""
import struct
import sys

HEADER = {1: "<16xHHIIIIIHHHHHH", 2: "<16xHHIQQQIHHHHHH"}
SECTION = {1: "<10I", 2: "<IIQQQQIIQQ"}
WRITE, ALLOC, EXEC, NOBITS = 1, 2, 4, 8


def need(condition, text):
    if not condition:
        sys.exit(f"read_sites: {text}")


class Image:
    """Sections with addresses, and what lies at an address."""

    def __init__(self, data):
        need(data[:4] == b"\x7fELF" and data[5:7] == b"\1\1", "not little-endian ELF")
        self.data, self.elf_class = data, data[4]
        fields = struct.unpack_from(HEADER[self.elf_class], data)
        self.kind, shoff, size, count, names = fields[0], fields[5], fields[10], fields[11], fields[12]
        raw = [struct.unpack_from(SECTION[self.elf_class], data, shoff + i * size) for i in range(count)]
        text = data[raw[names][4]:]
        # name, type, flags, address, offset, bytes, alignment
        self.sections = [(text[h[0]:text.index(b"\0", h[0])].decode(), h[1], h[2], h[3], h[4], h[5], h[8])
                         for h in raw]

    def named(self, name):
        found = [s for s in self.sections if s[0] == name]
        need(len(found) <= 1, f"{len(found)} sections {name}")
        return found[0] if found else None

    def at(self, address, flags):
        for _, kind, has, start, offset, size, _ in self.sections:
            if kind != NOBITS and has & flags == flags and start <= address < start + size:
                return offset + address - start, offset + size
        sys.exit(f"read_sites: nothing in the file at {address:#x}")

    def text(self, address):
        offset, end = self.at(address, ALLOC)
        return self.data[offset:self.data.index(b"\0", offset, end)].decode("ascii")


def sites(image):
    """(address, item, bytes, default bytes, flags) of each record, by address."""
    section = image.named("altpick_sites")
    if not section:
        return []
    _, kind, flags, start, offset, size, align = section
    need(kind == 1 and flags & ALLOC and align == 4 and size % 12 == 0 and start % 4 == 0,
         f"section altpick_sites: type {kind}, flags {flags:#x}, {size} bytes, alignment {align}")
    mask = (1 << 64 if image.elf_class == 2 else 1 << 32) - 1
    found = []
    for at in range(0, size, 12):
        site, item, length, default, bits, version = struct.unpack_from("<iiBBBB", image.data, offset + at)
        address = (start + at + site) & mask
        code, end = image.at(address, ALLOC | EXEC)
        need(version == 1 and bits in (0, 1) and 0 < length and default <= length, f"record {at // 12}")
        need(code + length <= end, f"site {address:#x} hangs out")
        found.append((address, image.text((start + at + 4 + item) & mask), length, default, bits))
    found.sort()
    for one, other in zip(found, found[1:]):
        need(one[0] + one[2] <= other[0], f"sites at {one[0]:#x} and {other[0]:#x} overlap")
    return found


def main():
    with open(sys.argv[1], "rb") as file:
        image = Image(file.read())
    for _, item, length, default, bits in sites(image):
        print(item, length, default, bits)


if __name__ == "__main__":
    main()
