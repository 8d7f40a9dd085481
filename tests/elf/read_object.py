#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read an emitted ELF object without libelf and compare it with the decisions in JSON.

usage: read_object.py OBJECT elf64|elf32 DECISIONS.json
"""
import json
import struct
import sys

sys.dont_write_bytecode = True
import read_patches  # noqa: E402

HEADER = {1: "<16xHHIIIIIHHHHHH", 2: "<16xHHIQQQIHHHHHH"}
SECTION = {1: "<10I", 2: "<IIQQQQIIQQ"}
SYMBOL = {1: "<IIIBBH", 2: "<IBBHQQ"}
GAP_CODE_BYTES = 64


def need(condition, text):
    if not condition:
        sys.exit(f"read_object: {text}")


def text_at(table, offset):
    return table[offset:table.index(b"\0", offset)].decode("ascii")


class Object:
    """Sections by name, and symbols: name -> bytes, of constants and of code."""

    def __init__(self, data):
        need(data[:4] == b"\x7fELF" and data[5:7] == b"\1\1", "not little-endian ELF version 1")
        self.elf_class = data[4]
        (kind, self.machine, _, _, phoff, shoff, flags, self.ehsize, _, phnum, self.shentsize, shnum,
         names) = struct.unpack_from(HEADER[self.elf_class], data)
        need((kind, phoff, flags, phnum) == (1, 0, 0, 0), "not a plain relocatable file")
        need(self.shentsize == struct.calcsize(SECTION[self.elf_class]), "wrong sh_entsize")
        headers = [struct.unpack_from(SECTION[self.elf_class], data, shoff + i * self.shentsize)
                   for i in range(shnum)]
        need(headers[0] == (0,) * 10, "section 0 is not empty")
        contents = [data[h[4]:h[4] + h[5]] for h in headers]
        self.names = [text_at(contents[names], h[0]) for h in headers]
        self.headers = dict(zip(self.names, headers))
        self.contents = dict(zip(self.names, contents))
        self.check_layout(headers, len(data), shoff)
        self.alignment = {}
        self.symbols, self.code = self.read_symbols()

    def check_layout(self, headers, size, shoff):
        """Nothing overlaps, everything is aligned and inside the file."""
        end = self.ehsize
        for name, header in list(zip(self.names, headers))[1:]:
            need(header[4] >= end and header[4] + header[5] <= size, f"{name} overlaps or hangs out")
            need(header[4] % max(header[8], 1) == 0, f"{name} is not aligned")
            end = header[4] + header[5]
        need(shoff >= end and shoff + len(headers) * self.shentsize == size, "bytes after the sections")

    def read_symbols(self):
        table, strings = self.contents[".symtab"], self.contents[".strtab"]
        header = self.headers[".symtab"]
        entry = struct.calcsize(SYMBOL[self.elf_class])
        need(header[9] == entry and len(table) % entry == 0, "wrong size of symbols")
        need(self.names[header[6]] == ".strtab" and header[7] == 1, "wrong sh_link or sh_info")
        found = {".rodata": {}, ".text": {}}
        kinds = {0x11: ".rodata", 0x12: ".text"}
        for at in range(entry, len(table), entry):
            fields = struct.unpack_from(SYMBOL[self.elf_class], table, at)
            if self.elf_class == 2:
                name, info, other, section, value, size = fields
            else:
                name, value, size, info, other, section = fields
            name = text_at(strings, name)
            need(info in kinds and other == 2, f"{name} is not a global hidden object or function")
            place = kinds[info]
            need(self.names[section] == place, f"{name} is not in {place}")
            need(size and value + size <= len(self.contents[place]), f"{name} hangs out")
            need(all(name not in symbols for symbols in found.values()), f"{name} appears twice")
            found[place][name] = self.contents[place][value:value + size]
            self.alignment[name] = value & -value or 4096
        return found[".rodata"], found[".text"]


def expected_code(decisions, is_64):
    """Bodies for the object's own kind of code, each with a return at its end."""
    code = {}
    for body in decisions["bodies"]:
        if body["name"].startswith("xstate."):
            continue  # in the table alone
        name = body["name"]
        narrow = name.endswith("-32")
        both = name.startswith("refcount.")
        if narrow == is_64 and not both:
            continue
        if name == "fpu.init" and not is_64:
            continue
        symbol = name.removesuffix("-32").replace("-", "_").replace(".", "_")
        code[f"altpick_{symbol}_code"] = bytes.fromhex(body["code"]) + b"\xc3"
    return code


def expected_data(decisions, is_64):
    """The constants that bodies work on."""
    data = {"altpick_mxcsr_init": struct.pack("<I", 0x1f80)}
    aligned = list(data)
    fpu_init = [body for body in decisions["bodies"] if body["name"] == "fpu.init"]
    if is_64 and fpu_init:
        data["altpick_fpu_init_data"] = bytes.fromhex(fpu_init[0].get("data", "801f0000"))
        aligned = list(data)
        data["altpick_fpu_init_xcr0"] = struct.pack("<Q", int(decisions["fpu_init"]["xcr0"], 16))
    return data, aligned


def expected_symbols(decisions, own_bits):
    """What the decisions say that the symbols hold."""
    def u32(value):
        return struct.pack("<I", value)

    expected = {"altpick_nops_version": u32(1),
                "altpick_nops_machine": decisions.get("machine", {"name": ""})["name"].encode() + b"\0",
                "altpick_nops_target": decisions["target"].encode() + b"\0"}
    for bits in ("64", "32"):
        tables = decisions[f"nops_{bits}"]
        pokes = [bytes.fromhex(poke["code"]) for poke in tables["text_pokes"]]
        one = {
            "altpick_nops": bytes(15) + b"".join(bytes.fromhex(nop["code"]).ljust(15, b"\0")
                                                 for nop in tables["nops"]),
            "altpick_nop_longest": u32(tables["longest"]["value"]),
            "altpick_nop_prefix_limit": u32(tables["prefix_limit"]["value"]),
            "altpick_nop_jump_from": u32(tables["jump_from"]["value"]),
            "altpick_nop_gaps": b"".join(
                u32(gap["bytes"]) + bytes.fromhex(gap["code"]).ljust(GAP_CODE_BYTES, b"\0")
                for gap in tables["gaps"]) + bytes(4 + GAP_CODE_BYTES),
            "altpick_two_byte_poke": pokes[0],
            "altpick_five_byte_poke": pokes[1],
        }
        expected.update({name + bits: data for name, data in one.items()})
        if bits == own_bits:
            expected.update(one)
    return expected


def check_patches(found, decisions):
    """The table of replacements, which the other symbols do not have to be compared with."""
    table = found.symbols.pop("altpick_patch_table")
    need(found.symbols.pop("altpick_patch_table_bytes") == struct.pack("<I", len(table)), "size of table")
    need(found.alignment["altpick_patch_table"] >= 64, "altpick_patch_table is not aligned to 64")
    try:
        read_patches.compare(table, decisions)
    except read_patches.Malformed as wrong:
        sys.exit(f"read_object: altpick_patch_table: {wrong}")


def main():
    path, flavour, decisions_path = sys.argv[1:]
    with open(path, "rb") as file:
        found = Object(file.read())
    with open(decisions_path, encoding="utf-8") as file:
        decisions = json.load(file)
    is_64 = flavour == "elf64"
    need((found.elf_class, found.machine) == ((2, 62) if is_64 else (1, 3)), "wrong class or machine")
    need(found.names[1:] == [".text", ".rodata", ".note.GNU-stack", ".symtab", ".strtab", ".shstrtab"],
         f"sections: {found.names}")
    need(found.headers[".rodata"][2] == 2 and found.headers[".rodata"][8] == 64, ".rodata: flags")
    need(found.headers[".text"][2] == 6 and found.headers[".text"][8] == 16, ".text: flags")
    need(found.headers[".note.GNU-stack"][2] == 0 and not found.contents[".note.GNU-stack"],
         ".note.GNU-stack asks for something")
    expected = expected_symbols(decisions, flavour[3:])
    constants, aligned = expected_data(decisions, is_64)
    expected.update(constants)
    code = expected_code(decisions, is_64)
    check_patches(found, decisions)
    for symbols, wanted in ((found.symbols, expected), (found.code, code)):
        need(set(symbols) == set(wanted), f"symbols: {set(symbols) ^ set(wanted)}")
        for name, data in wanted.items():
            need(symbols[name] == data, f"{name} holds {symbols[name].hex()}")
    for name in aligned:
        need(found.alignment[name] >= 64, f"{name} is not aligned to 64")
    for name in code:
        need(found.alignment[name] >= 16, f"{name} is not aligned to 16")


main()
