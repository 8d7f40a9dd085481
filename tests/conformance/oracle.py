# SPDX-License-Identifier: MIT
"""Alternatives as two Linux kernels apply them, derived a second time from an ELF file and a set of features.
Nothing here comes from altpick's own code; it agrees with what those kernels print and with what their memory holds."""
import struct

import passes
import x86

# The NOPs that the kernel writes, by length; the longest is what it calls ASM_NOP_MAX.
NOPS_64 = [bytes.fromhex(h) for h in (
    "", "90", "6690", "0f1f00", "0f1f4000", "0f1f440000", "660f1f440000", "0f1f8000000000", "0f1f840000000000")]
NOPS_64_LONG = NOPS_64 + [bytes.fromhex(h) for h in (
    "2e0f1f840000000000", "662e0f1f840000000000", "66662e0f1f840000000000")]
NOPS_32 = [bytes.fromhex(h) for h in (
    "", "90", "89f6", "8d7600", "8d742600", "3e8d742600", "8db600000000", "8db42600000000", "3e8db42600000000")]

NOT, DIRECT_CALL = 1, 2


class Entry:
    """One record of a table: where, with what, when."""

    def __init__(self, index, site, length, replacement, code, feature, flags):
        self.index, self.site, self.length, self.replacement, self.code = index, site, length, replacement, code
        self.feature, self.flags = feature, flags

    def applies(self, features):
        return (self.feature in features) != bool(self.flags & NOT)


class Memory:
    """The bytes of an ELF file at their addresses, changeable."""

    def __init__(self, elf):
        self.mask = (1 << elf.bits) - 1
        self.areas = [(s.address, bytearray(elf.contents(s)), s) for s in elf.allocated()]

    def area(self, address):
        for start, contents, section in self.areas:
            if start <= address < start + len(contents):
                return start, contents, section
        raise KeyError(hex(address))

    def read(self, address, count):
        start, contents, _ = self.area(address)
        return bytes(contents[address - start : address - start + count])

    def write(self, address, new):
        start, contents, _ = self.area(address)
        contents[address - start : address - start + len(new)] = new


def entry_bytes(elf):
    """12 or 14: whichever puts every site of the table into code and makes every length sane."""
    table = elf.section(".altinstructions")
    good = [n for n in (12, 14) if table.size % n == 0 and _plausible(elf, table, n)]
    if len(good) != 1:
        raise ValueError(f"{len(good)} layouts fit the table of {table.size} bytes")
    return good[0]


def _plausible(elf, table, size):
    text = [(s.address, s.address + s.size) for s in elf.sections if s.flags & 4]
    for at in range(0, table.size, size):
        site, _, length, code_length = _fields(elf, table, at, size)[:4]
        if code_length > length or not length:
            return False
        if not any(low <= site and site + length <= high for low, high in text):
            return False
    return True


def _fields(elf, table, at, size):
    mask = (1 << elf.bits) - 1
    raw = elf.data[table.offset + at : table.offset + at + size]
    to_site, to_code, feature = struct.unpack_from("<iiH", raw)
    flags = struct.unpack_from("<H", raw, 10)[0] if size == 14 else feature >> 15
    site = (table.address + at + to_site) & mask
    code = (table.address + at + 4 + to_code) & mask
    return site, code, raw[-2], raw[-1], feature & (0x7FFF if size == 12 else 0xFFFF), flags


def read_table(elf, memory):
    table = elf.section(".altinstructions")
    size = entry_bytes(elf)
    out = []
    for index in range(table.size // size):
        site, code, length, code_length, feature, flags = _fields(elf, table, index * size, size)
        out.append(Entry(index, site, length, code, memory.read(code, code_length) if code_length else b"",
                         feature, flags))
    return out, size


class Engine512:
    """5.13 to 6.2, entries of 12 bytes: relocates a lone call or jump of 5 bytes, nothing else."""

    def __init__(self, memory, bits):
        self.memory, self.bits = memory, bits
        self.nops = NOPS_64 if bits == 64 else NOPS_32

    def fill(self, count):
        out = b""
        while count:
            step = min(count, len(self.nops) - 1)
            out += self.nops[step]
            count -= step
        return out

    def optimise(self, code, _site=0, tail=b""):
        """Runs of two and more single 0x90 become long NOPs; everything else stays."""
        code, at = bytearray(code), 0
        while at < len(code):
            try:
                insn = x86.decode(bytes(code) + tail, at, self.bits)
            except x86.Undecodable:
                break
            if insn.length == 1 and insn.opcode == b"\x90":
                end = at
                while end < len(code) and code[end] == 0x90:
                    end += 1
                if end - at > 1:
                    code[at:end] = self.fill(end - at)
                at = end
            else:
                at += insn.length
        return bytes(code)

    def relocate(self, entry):
        code = bytearray(entry.code)
        if len(code) != 5 or code[0] not in (0xE8, 0xE9, 0xEB):
            return bytes(code)
        displacement = struct.unpack("<i", code[1:])[0]
        target = entry.replacement + 5 + displacement
        distance = target - entry.site
        if code[0] == 0xE8:
            code[1:] = struct.pack("<I", (distance - 5) & 0xFFFFFFFF)
        elif 0 <= distance <= 129:
            code = bytes((0xEB, (distance - 2) & 0xFF)) + self.nops[3]
        else:  # a short backward jump is never chosen: its test compares a negative number with its low byte
            code = bytes((0xE9,)) + struct.pack("<I", (distance - 5) & 0xFFFFFFFF)
        return bytes(code)

    def apply(self, entries, features):
        """Yields (entry, applied, old bytes, final bytes) and changes memory."""
        for entry in entries:
            old = self.memory.read(entry.site, entry.length)
            new, applied = old, entry.applies(features)
            if applied:
                new = self.relocate(entry)
                new += b"\x90" * (entry.length - len(new))
                self.memory.write(entry.site, new)
            tail = self.memory.read(entry.site + entry.length, 15)
            final = self.optimise(new, entry.site, tail)
            self.memory.write(entry.site, final)
            yield entry, applied, old, final


class Engine611:
    """6.11 and later, entries of 14 bytes: relocates every relative operand, one NOP or a jump over INT3."""

    def __init__(self, memory, bits, thunk=None):
        self.memory, self.bits, self.thunk = memory, bits, thunk
        self.nops = NOPS_64_LONG if bits == 64 else NOPS_32

    def fill(self, count):
        if count < len(self.nops):
            return self.nops[count]
        if count < 128:
            return bytes((0xEB, count - 2)) + b"\xCC" * (count - 2)
        return b"\xE9" + struct.pack("<I", count - 5) + b"\xCC" * (count - 5)

    def _decode(self, code, at, tail):
        return x86.decode(bytes(code) + tail, at, self.bits)

    def optimise(self, code, tail=b""):
        code, at = bytearray(code), 0
        while at < len(code):
            try:
                insn = self._decode(code, at, tail)
            except x86.Undecodable:
                break
            end = at + insn.length
            if insn.is_nop():
                if end == len(code):
                    break
                while end < len(code):
                    try:
                        insn = self._decode(code, end, tail)
                    except x86.Undecodable:
                        break
                    if not insn.is_nop():
                        break
                    end += insn.length
                code[at:end] = self.fill(end - at)
            at = end
        return bytes(code)

    def relocate(self, entry, code):
        code, at, shift = bytearray(code), 0, entry.replacement - entry.site
        while at < len(code):
            insn = x86.decode(bytes(code), at, self.bits)
            end = at + insn.length
            outside = lambda field: not 0 <= end + insn.value(field) <= len(entry.code)
            if insn.is_relative():
                value = insn.value(insn.imm)
                if outside(insn.imm):
                    self._shift(code, at, insn.imm, value + shift)
                if insn.opcode == b"\xE9" and -128 <= value + shift + 3 <= 127:
                    code[at:end] = bytes((0xEB, (value + shift + 3) & 0xFF)) + b"\xCC" * (insn.length - 2)
            if insn.is_rip_relative() and outside(insn.disp):
                self._shift(code, at, insn.disp, insn.value(insn.disp) + shift)
            at = end
        return bytes(code)

    @staticmethod
    def _shift(code, at, field, value):
        offset, size = field
        code[at + offset : at + offset + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def direct_call(self, entry, old):
        """`call *slot` becomes `call target`; nothing when the target is the function that does nothing."""
        assert old[:2] == b"\xFF\x15" and entry.length == 6 and entry.code[0] == 0xE8, entry.index
        displacement = struct.unpack("<i", old[2:])[0]
        slot = entry.site + 6 + displacement if self.bits == 64 else displacement & 0xFFFFFFFF
        target = int.from_bytes(self.memory.read(slot, self.bits // 8), "little")
        replaced = struct.unpack("<i", entry.code[1:])[0]
        bug = (entry.replacement + 5 + replaced) & self.memory.mask
        target = target or bug
        value = (replaced + target - bug) & 0xFFFFFFFF
        return b"" if self.does_nothing(target) else b"\xE8" + struct.pack("<I", value)

    def does_nothing(self, function):
        """Whether code is no more than a return: the kernel compares with the address of its nop_func, for
        which a stripped file has no name."""
        code = self.memory.read(function, 9)
        if code[:4] == b"\xF3\x0F\x1E\xFA":
            function, code = function + 4, code[4:]
        if code[0] == 0xE9:
            return (function + 5 + struct.unpack("<i", code[1:5])[0]) & self.memory.mask == self.thunk
        return code[0] == 0xC3

    def apply(self, entries, features):
        for first, entry in enumerate(entries):
            for other in entries[first + 1 :]:
                if other.site != entry.site:
                    break
                entry.length = other.length = max(entry.length, other.length)
            old = self.memory.read(entry.site, entry.length)
            tail = self.memory.read(entry.site + entry.length, 15)
            applied = entry.applies(features)
            if applied:
                code = entry.code
                if entry.flags & DIRECT_CALL:
                    code = self.direct_call(entry, old)
                code += b"\x90" * (entry.length - len(code))
                final = self.optimise(self.relocate(entry, code), b"")
            else:
                final = self.optimise(old, tail)
            self.memory.write(entry.site, final)
            yield entry, applied, old, final


def engine(elf, memory, size, bits):
    """The engine that goes with entries of a size, for a kernel of so many bits."""
    if size == 12:
        return Engine512(memory, bits)
    return Engine611(memory, bits, passes.return_thunk(elf, memory))
