#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read a relocatable object with a table of sites without libelf; every byte must be as expected.

usage: read_sites.py OBJECT LAYOUT elf64|elf32 LIST DECISIONS.json
"""
import json
import struct
import sys

from sites import read_list

NAMES = {"altpick": ("altpick_sites", "altpick_names")}
RECORD_BYTES = {"linux12": 12, "linux13": 13, "linux14": 14, "xen14": 14, "altpick": 12}


def need(condition, text):
    if not condition:
        sys.exit(f"read_sites: {text}")


def text_at(table, offset):
    return table[offset:table.index(b"\0", offset)].decode("ascii")


class Object:
    def __init__(self, data, is_64):
        self.is_64 = is_64
        need(data[:8] == b"\x7fELF" + (b"\2" if is_64 else b"\1") + b"\1\1" + data[7:8], "ident")
        self.osabi = data[7]
        need(data[8:16] == bytes(8), "ident is not padded with zeroes")
        fields = struct.unpack_from("<HHIQQQIHHHHHH" if is_64 else "<HHIIIIIHHHHHH", data, 16)
        need(fields[:5] == (1, 62 if is_64 else 3, 1, 0, 0), "type, machine, version or entry")
        need(fields[6:10] == (0, 64 if is_64 else 52, 0, 0), "flags, sizes or program headers")
        shoff, shentsize, shnum, shstrndx = fields[5], *fields[10:]
        layout = "<IIQQQQIIQQ" if is_64 else "<10I"
        need(shentsize == struct.calcsize(layout), "size of section headers")
        need(shoff + shnum * shentsize == len(data), "something follows the section headers")
        self.headers = [struct.unpack_from(layout, data, shoff + i * shentsize) for i in range(shnum)]
        self.contents = [data[h[4]:h[4] + h[5]] for h in self.headers]
        self.names = [text_at(self.contents[shstrndx], h[0]) for h in self.headers]
        end = 64 if is_64 else 52
        for name, header in list(zip(self.names, self.headers))[1:]:
            need(header[4] >= end and header[4] % header[8] == 0, f"{name} overlaps or is not aligned")
            need(data[end:header[4]] == bytes(header[4] - end), f"bytes before {name}")
            end = header[4] + header[5]

    def section(self, name):
        index = self.names.index(name)
        return index, self.headers[index], self.contents[index]

    def symbols(self):
        strings = self.contents[self.section(".symtab")[1][6]]
        for entry in struct.iter_unpack("<IBBHQQ" if self.is_64 else "<IIIBBH",
                                        self.section(".symtab")[2]):
            name, *rest = entry
            info, other, section, value, size = rest if self.is_64 else rest[2:] + rest[:2]
            yield text_at(strings, name), info, other, section, value, size


def put_record(layout, line, bits):
    """What follows the two references."""
    top = line.feature | line.inverted << 15
    if layout == "linux12":
        return struct.pack("<HBB", top, line.length, len(line.code))
    if layout == "linux13":
        return struct.pack("<HBBB", line.feature, line.length, len(line.code), line.padding)
    if layout == "linux14":
        return struct.pack("<HHBB", line.feature, line.inverted, line.length, len(line.code))
    if layout == "xen14":
        return struct.pack("<HBBBB", top, line.length - line.padding, len(line.code), line.padding, 0)
    return struct.pack("<BBBB", line.length, line.length - line.padding, bits == 32, 1)


def expected_targets(layout, lines):
    """The second section, and where in it each record points."""
    data, places = b"", []
    for line in lines:
        piece = line.item.encode() + b"\0" if layout == "altpick" else line.code
        if layout == "altpick" and b"\0" + piece in b"\0" + data:
            places.append((b"\0" + data).index(b"\0" + piece))
            continue
        places.append(len(data))
        data += piece
    return data, places


def check_sections(found, layout, records, targets):
    relocations = (".rela" if found.is_64 else ".rel") + records
    need(found.names == ["", records, relocations, targets, ".note.GNU-stack", ".symtab", ".strtab",
                         ".shstrtab"], f"sections {found.names}")
    own = layout == "altpick"
    word = 8 if found.is_64 else 4
    entry = word * 3 if found.is_64 else 8
    retain = 0x200000 if own else 0
    # type, flags, link, info, alignment, entry size
    wanted = [(1, 2 | retain, 0, 0, 4 if own else 1, 0),
              (4 if found.is_64 else 9, 0x40, 5, 1, word, entry),
              (1, 0x32 if own else 6, 0, 0, 1, 1 if own else 0),
              (1, 0, 0, 0, 1, 0),
              (2, 0, 6, 3, word, 24 if found.is_64 else 16),
              (3, 0, 0, 0, 1, 0), (3, 0, 0, 0, 1, 0)]
    for name, header, want in zip(found.names[1:], found.headers[1:], wanted):
        need((header[1], header[2], header[6], header[7], header[8], header[9]) == want,
             f"{name}: {header}")
    need(found.osabi == (3 if own else 0), "OS ABI")
    need(not found.section(".note.GNU-stack")[2], ".note.GNU-stack asks for something")


def check_symbols(found, lines):
    """The empty one, one a section, then the undefined sites; returns the numbers of those."""
    symbols = list(found.symbols())
    need(symbols[0] == ("", 0, 0, 0, 0, 0), "symbol 0")
    need(symbols[1:3] == [("", 3, 0, 1, 0, 0), ("", 3, 0, 3, 0, 0)], f"{symbols[1:3]}")
    names = list(dict.fromkeys(line.symbol for line in lines))
    need(symbols[3:] == [(name, 0x10, 0, 0, 0, 0) for name in names], f"{symbols[3:]}")
    return {name: 3 + i for i, name in enumerate(names)}


def main():
    path, layout, flavour, list_path, decisions_path = sys.argv[1:]
    bits = int(flavour[3:])
    with open(decisions_path, encoding="utf-8") as file:
        lines = read_list(list_path, json.load(file), layout, bits)
    with open(path, "rb") as file:
        found = Object(file.read(), bits == 64)
    records, targets = NAMES.get(layout, (".altinstructions", ".altinstr_replacement"))
    check_sections(found, layout, records, targets)
    numbers = check_symbols(found, lines)
    data, places = expected_targets(layout, lines)
    need(found.section(targets)[2] == data, f"{targets} holds {found.section(targets)[2].hex()}")

    size, expected, relocations = RECORD_BYTES[layout], b"", []
    for i, (line, place) in enumerate(zip(lines, places)):
        addend = 0 if bits == 64 else place
        expected += struct.pack("<iI", 0, addend) + put_record(layout, line, bits)
        relocations += [(i * size, numbers[line.symbol], 0), (i * size + 4, 2, place)]
    need(len(expected) == size * len(lines), "size of records")
    need(found.section(records)[2] == expected, f"{records} holds {found.section(records)[2].hex()}")
    if bits == 64:
        want = b"".join(struct.pack("<QQq", at, symbol << 32 | 2, addend)
                        for at, symbol, addend in relocations)
    else:
        want = b"".join(struct.pack("<II", at, symbol << 8 | 2) for at, symbol, _ in relocations)
    need(found.contents[2] == want, f"relocations {found.contents[2].hex()}")


main()
