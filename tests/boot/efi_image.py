#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The file altpick.efi, read by its format alone (Microsoft PE/COFF specification).

It must be an application for 64-bit firmware that imports nothing, tells no time and no path, and
has no page to write and execute.  Linked for another address it may differ in what its relocations
name, and there by the distance: then no absolute address is without one.

usage: efi_image.py IMAGE IMAGE_AT_ANOTHER_ADDRESS
"""
import struct
import sys

AMD64, PE32_PLUS, APPLICATION = 0x8664, 0x20B, 10
EXECUTE, WRITE = 0x20000000, 0x80000000
DIR64, PADDING = 10, 0
IMPORT, CERTIFICATE, RELOCATIONS, DEBUG = 1, 4, 5, 6


class Image:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        pe = self.u(0x3C, 4)
        assert self.data[:2] == b"MZ" and self.data[pe:pe + 4] == b"PE\0\0", path
        machine, n_sections, self.time = struct.unpack_from("<HHI", self.data, pe + 4)
        optional = pe + 24
        assert machine == AMD64 and self.u(optional, 2) == PE32_PLUS
        self.base_at = optional + 24
        self.base, self.align = self.u(self.base_at, 8), self.u(optional + 32, 4)
        self.entry = self.u(optional + 16, 4)
        self.header_bytes = self.u(optional + 60, 4)
        self.checksum_at = optional + 64
        self.subsystem = self.u(optional + 68, 2)
        self.directories = [struct.unpack_from("<II", self.data, optional + 112 + 8 * i)
                            for i in range(self.u(optional + 108, 4))]
        at = optional + self.u(pe + 20, 2)
        self.sections = [struct.unpack_from("<8sIIIIIIHHI", self.data, at + 40 * i)
                         for i in range(n_sections)]

    def u(self, at, size):
        return int.from_bytes(self.data[at:at + size], "little")

    def offset(self, address):
        """Where in the file what is loaded at ADDRESS (from the base) lies."""
        for _, _, start, size, at, *_ in self.sections:
            if start <= address < start + size:
                return at + address - start
        raise AssertionError(f"{address:#x} is in no section")

    def relocations(self):
        address, size = self.directories[RELOCATIONS]
        at = self.offset(address)
        end = at + size
        while at < end:
            page, block = struct.unpack_from("<II", self.data, at)
            for i in range(8, block, 2):
                entry = self.u(at + i, 2)
                assert entry >> 12 in (DIR64, PADDING), "kind of relocation"
                if entry >> 12 == DIR64:
                    yield self.offset(page + (entry & 0xFFF))
            at += block


def check(image):
    assert image.subsystem == APPLICATION and image.time == 0
    assert image.directories[IMPORT] == image.directories[DEBUG] == (0, 0)
    assert image.directories[CERTIFICATE] == (0, 0) and image.align == 4096
    for name, _, _, size, at, *_, flags in image.sections:
        assert not (flags & EXECUTE and flags & WRITE), name
        assert size > 0 and at >= image.header_bytes, f"{name}: shim 16 refuses it"
    entry = [s for s in image.sections if s[2] <= image.entry < s[2] + s[1]]
    assert len(entry) == 1 and entry[0][-1] & EXECUTE
    for text in [b"/home/", b"/tmp/", b"/root/", b"meson"]:
        assert text not in image.data, f"holds {text}"


def main():
    image, moved = Image(sys.argv[1]), Image(sys.argv[2])
    check(image)
    places = list(image.relocations())
    assert len(places) > 100 and len(set(places)) == len(places), len(places)
    assert places == list(moved.relocations()) and image.base != moved.base
    expected = bytearray(image.data)
    for at in places + [image.base_at]:
        value = image.u(at, 8) + moved.base - image.base
        expected[at:at + 8] = value.to_bytes(8, "little")
    expected[image.checksum_at:image.checksum_at + 4] = moved.data[image.checksum_at:][:4]
    assert expected == moved.data, "an absolute address has no relocation"
    print(f"{len(image.data)} bytes, {len(places)} relocations")


main()
