# SPDX-License-Identifier: MIT
"""How long an x86 instruction is and where its displacement and immediate lie: as much of a decoder as a
second opinion on patched code needs. 64-bit and 32-bit code, legacy maps, VEX and EVEX."""


class Undecodable(Exception):
    pass


class Insn:
    """length in bytes; opcode: its bytes without prefixes (map escape included); disp and imm: (offset, size)
    from the start of the instruction, size 0 when there is none."""

    def __init__(self, length, prefixes, opcode, modrm, disp, imm, bits, raw):
        self.length, self.prefixes, self.opcode, self.modrm = length, prefixes, opcode, modrm
        self.disp, self.imm, self.bits, self.raw = disp, imm, bits, raw

    def is_nop(self):
        """0x90 with any prefixes but F3 first, or 0F 1F: what Linux since 6.5 merges."""
        if self.opcode == b"\x90":
            return not self.prefixes or self.prefixes[0] != 0xF3
        return self.opcode == b"\x0f\x1f"

    def is_relative(self):
        """A jump or call whose immediate is relative to the next instruction."""
        if len(self.opcode) == 1:
            return 0x70 <= self.opcode[0] <= 0x7F or self.opcode[0] in (0xE8, 0xE9, 0xEB)
        return len(self.opcode) == 2 and self.opcode[0] == 0x0F and 0x80 <= self.opcode[1] <= 0x8F

    def is_rip_relative(self):
        return self.bits == 64 and self.modrm is not None and self.modrm & 0xC7 == 0x05

    def value(self, field):
        offset, size = field
        return int.from_bytes(self.raw[offset : offset + size], "little", signed=True)


PREFIXES = frozenset((0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3))


def _set(*ranges):
    out = set()
    for r in ranges:
        out.update(range(r[0], r[1] + 1) if isinstance(r, tuple) else (r,))
    return frozenset(out)


ALU = [op for base in range(0, 0x40, 8) for op in range(base, base + 4)]
MODRM_1 = _set(*ALU, 0x63, 0x69, 0x6B, (0x80, 0x8F), 0xC0, 0xC1, 0xC6, 0xC7, (0xD0, 0xD3), (0xD8, 0xDF), 0xF6, 0xF7,
               0xFE, 0xFF)
IMM8_1 = _set(*range(0x04, 0x40, 8), 0x6A, 0x6B, (0x70, 0x7F), 0x80, 0x82, 0x83, 0xA8, (0xB0, 0xB7), 0xC0, 0xC1, 0xC6,
              0xCD, 0xD4, 0xD5, (0xE0, 0xE7), 0xEB)
IMMZ_1 = _set(*range(0x05, 0x40, 8), 0x68, 0x69, 0x81, 0xA9, 0xC7)
INVALID_64 = _set(0x06, 0x07, 0x0E, 0x16, 0x17, 0x1E, 0x1F, 0x27, 0x2F, 0x37, 0x3F, 0x60, 0x61, 0x82, 0x9A, 0xCE, 0xD4,
                  0xD5, 0xD6, 0xEA)
PLAIN_2 = _set((0x05, 0x09), 0x0B, 0x0E, (0x30, 0x37), 0x77, (0xA0, 0xA2), (0xA8, 0xAA), (0xC8, 0xCF))
INVALID_2 = _set(0x04, 0x0A, 0x0C, (0x24, 0x27), 0x36, 0x39, (0x3B, 0x3F), 0x7A, 0x7B, 0xA6, 0xA7)
IMM8_2 = _set(0x0F, (0x70, 0x73), 0xA4, 0xAC, 0xBA, 0xC2, (0xC4, 0xC6))


class _Reader:
    def __init__(self, raw, bits):
        self.raw, self.bits, self.at = raw, bits, 0

    def byte(self):
        if self.at >= len(self.raw):
            raise Undecodable("cut off")
        self.at += 1
        return self.raw[self.at - 1]

    def peek(self):
        return self.raw[self.at] if self.at < len(self.raw) else 0


def _address(reader, modrm, address16):
    """Consumes SIB; returns the size of the displacement."""
    mod, rm = modrm >> 6, modrm & 7
    if mod == 3:
        return 0
    if address16:
        return (2 if rm == 6 else 0, 1, 2)[mod]
    base = reader.byte() & 7 if rm == 4 else rm
    if mod == 0:
        return 4 if base == 5 else 0
    return 1 if mod == 1 else 4


def _immediate_1(op, modrm, z, rex_w, address, bits):
    if op in IMM8_1 or (op == 0xF6 and modrm & 0x30 == 0):
        return 1
    if op in IMMZ_1 or (op == 0xF7 and modrm & 0x30 == 0):
        return z
    if 0xB8 <= op <= 0xBF:
        return 8 if rex_w else z
    if 0xA0 <= op <= 0xA3:
        return address
    if op in (0xE8, 0xE9):
        return 4 if bits == 64 else z
    return {0xC2: 2, 0xCA: 2, 0xC8: 3, 0x9A: z + 2, 0xEA: z + 2}.get(op, 0)


def _vector(reader, lead):
    """The map that a VEX or EVEX prefix names, prefix consumed."""
    if lead == 0xC5:
        reader.byte()
        return 1
    payload = [reader.byte() for _ in range(2 if lead == 0xC4 else 3)]
    return payload[0] & (0x1F if lead == 0xC4 else 0x07)


def decode(raw, offset=0, bits=64):
    """The instruction at raw[offset:], which may hold more than one. Raises Undecodable."""
    reader = _Reader(bytes(raw[offset : offset + 15]), bits)
    prefixes, rex = [], 0
    while reader.peek() in PREFIXES and reader.at < 14:
        prefixes.append(reader.byte())
    if bits == 64 and reader.peek() & 0xF0 == 0x40:
        rex = reader.byte()
    z = 2 if 0x66 in prefixes and not rex & 8 else 4
    small = 0x67 in prefixes
    address = (4 if small else 8) if bits == 64 else (2 if small else 4)
    op = reader.byte()
    imm, vector_map = 0, 0
    if op in (0xC4, 0xC5, 0x62) and (bits == 64 or reader.peek() >= 0xC0):
        vector_map = _vector(reader, op)
        op = reader.byte()
        opcode, has_modrm = bytes((0x0F, op)), not (vector_map == 1 and op == 0x77)
    elif op == 0x0F:
        op = reader.byte()
        opcode, has_modrm = bytes((0x0F, op)), op not in PLAIN_2 and not 0x80 <= op <= 0x8F
        if op in INVALID_2:
            raise Undecodable(opcode.hex())
        if op in (0x38, 0x3A):
            vector_map = 2 if op == 0x38 else 3
            opcode += bytes((reader.byte(),))
        elif 0x80 <= op <= 0x8F:
            imm = 4 if bits == 64 else z
    else:
        opcode, has_modrm = bytes((op,)), op in MODRM_1 or (bits == 32 and op in (0x62, 0xC4, 0xC5))
        if bits == 64 and op in INVALID_64:
            raise Undecodable(opcode.hex())
    modrm = reader.byte() if has_modrm else None
    disp = _address(reader, modrm, bits == 32 and small) if has_modrm else 0
    disp_at = reader.at
    if vector_map == 3:
        imm = 1
    elif len(opcode) == 2 and vector_map in (0, 1) and op in IMM8_2:
        imm = 1
    elif len(opcode) == 1:
        imm = _immediate_1(op, modrm or 0, z, rex & 8, address, bits)
    length = disp_at + disp + imm
    if length > len(reader.raw):
        raise Undecodable("cut off")
    return Insn(length, prefixes, opcode, modrm, (disp_at, disp), (disp_at + disp, imm), bits, reader.raw[:length])
