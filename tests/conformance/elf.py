# SPDX-License-Identifier: MIT
"""Read what the conformance test needs of an ELF file: sections, symbols, bytes at addresses, and the ELF files
(vDSO images) that a kernel carries inside."""
import collections
import struct

Section = collections.namedtuple("Section", "name type flags address offset size link info")
Symbol = collections.namedtuple("Symbol", "name value size section info")

SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_REL = 2, 4, 8, 9
SHF_ALLOC, SHF_EXECINSTR = 2, 4


class Elf:
    def __init__(self, data):
        self.data = data
        if data[:4] != b"\x7fELF" or data[5] != 1:
            raise ValueError("not a little-endian ELF file")
        self.bits = 64 if data[4] == 2 else 32
        self.type, self.machine = struct.unpack_from("<HH", data, 16)
        wide = self.bits == 64
        self.phoff, self.shoff = struct.unpack_from("<QQ" if wide else "<II", data, 32 if wide else 28)
        self.phentsize, self.phnum, self.shentsize, self.shnum, names = struct.unpack_from(
            "<HHHHH", data, 54 if wide else 42)
        self.sections = self._read_sections(names)

    def _read_sections(self, names):
        form = "<IIQQQQIIQQ" if self.bits == 64 else "<IIIIIIIIII"
        raw = [struct.unpack_from(form, self.data, self.shoff + i * self.shentsize) for i in range(self.shnum)]
        if not raw:
            return []
        strings = raw[names][4]
        return [Section(self._string(strings + r[0]), *r[1:8]) for r in raw]

    def _string(self, at):
        return self.data[at : self.data.index(b"\0", at)].decode("latin-1")

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    def contents(self, section):
        if section.type == SHT_NOBITS:
            return b""
        return self.data[section.offset : section.offset + section.size]

    def symbols(self):
        """All of the symbol table; empty for a stripped file."""
        table = next((s for s in self.sections if s.type == SHT_SYMTAB), None)
        if table is None:
            return []
        strings = self.sections[table.link].offset
        out = []
        wide = self.bits == 64
        for at in range(table.offset, table.offset + table.size, 24 if wide else 16):
            if wide:
                name, info, _, shndx, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
            else:
                name, value, size, info, _, shndx = struct.unpack_from("<IIIBBH", self.data, at)
            out.append(Symbol(self._string(strings + name), value, size, shndx, info))
        return out

    def allocated(self):
        return [s for s in self.sections if s.flags & SHF_ALLOC and s.type != SHT_NOBITS and s.size]

    def at(self, address):
        """The section with bytes in the file at a virtual address; None when there is none."""
        for s in self.allocated():
            if s.address and s.address <= address < s.address + s.size:
                return s
        return None


def inner(elf, address):
    """The ELF file that lies in elf's data around a virtual address (a vDSO image), and where it begins."""
    holder = elf.at(address)
    if holder is None:
        raise ValueError(f"no section at {address:#x}")
    contents = elf.contents(holder)
    start = contents.rfind(b"\x7fELF", 0, address - holder.address)
    if start < 0:
        raise ValueError(f"no ELF file around {address:#x}")
    found = Elf(contents[start:])
    end = found.shoff + found.shnum * found.shentsize
    return Elf(contents[start : start + end]), holder.address + start
