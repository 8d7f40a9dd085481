# SPDX-License-Identifier: MIT
"""Read the table of altpick_patch_table from its documented layout, and compare it with decisions."""
import struct

HEADER, ENTRY, NEED, PAD = "<16s8H", "<7H6BI", "<IIIBBH", "<HBB"
KINDS = {"64": 1, "32": 2}
# leaf, subleaf, register, bit, bits of XCR0: by the name that JSON has
FEATURES = {
    "mmx": (1, 0, 3, 23, 0), "fxsr": (1, 0, 3, 24, 0), "sse": (1, 0, 3, 25, 0),
    "xsavec": (0xd, 1, 0, 1, 0), "xsaveopt": (0xd, 1, 0, 0, 0), "xsave": (1, 0, 2, 26, 0), "osxsave": (1, 0, 2, 27, 0), "avx": (1, 0, 2, 28, 6),
    "avx512f": (7, 0, 1, 16, 0xe6), "avx512vl": (7, 0, 1, 31, 0xe6), "amx-tile": (7, 0, 3, 24, 0x60000),
}


class Malformed(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Malformed(text)


class Patches:
    """entries: (item, kind of code) -> fields; pads: kind of code -> 256 pairs (code, pieces)."""

    def __init__(self, data):
        need(len(data) < 65536 and data[-1] == 0, "size or last byte")
        magic, version, size, entries, n, pads64, pads32, zero0, zero1 = struct.unpack_from(HEADER, data)
        need(magic == b"altpick-patches\0" and version == 1 and size == len(data), "header")
        need(zero0 == zero1 == 0 and entries % 4 == pads64 % 4 == pads32 % 4 == 0, "header")
        self.data, self.entries = data, {}
        for i in range(n):
            self.read_entry(entries + i * struct.calcsize(ENTRY))
        self.pads = {1: self.read_pads(pads64), 2: self.read_pads(pads32)}

    def span(self, at, n):
        need(at + n <= len(self.data), f"{at}+{n} hangs out")
        return self.data[at:at + n]

    def read_entry(self, at):
        (name, code, code_bytes, data, data_bytes, needs, fixups, n_needs, n_fixups, kinds, exact, zero0,
         zero1, xcr0) = struct.unpack_from(ENTRY, self.data, at)
        item = self.data[name:self.data.index(b"\0", name)].decode("ascii")
        need(kinds in (1, 2, 3) and exact in (0, 1) and zero0 == zero1 == 0, f"{item}: kinds or zeroes")
        need(data_bytes == 0 or data % 64 == 0, f"{item}: data is not aligned")
        requirements = set()
        for i in range(n_needs):
            leaf, subleaf, bits, reg, bit, zero = struct.unpack(NEED, self.span(needs + 16 * i, 16))
            need(reg < 4 and bit < 32 and zero == 0, f"{item}: requirement {i}")
            requirements.add((leaf, subleaf, reg, bit, bits))
        for kind in (1, 2):
            if kinds & kind:
                need((item, kind) not in self.entries, f"{item} appears twice")
                self.entries[item, kind] = {
                    "code": self.span(code, code_bytes), "data": self.span(data, data_bytes),
                    "needs": requirements, "exact": exact, "xcr0": xcr0,
                    "fixups": self.span(fixups, 4 * n_fixups)}

    def read_pads(self, at):
        pads = []
        for n in range(256):
            code, size, pieces = struct.unpack(PAD, self.span(at + 4 * n, 4))
            need(size <= n if pieces == 0 else n <= 15 * pieces, f"gap of {n}")
            pads.append((self.span(code, size) if pieces == 0 else b"", pieces))
        return pads

    def fill(self, kind, n):
        """What a gap of n bytes gets."""
        code, pieces = self.pads[kind][n]
        if pieces == 0:
            return code + b"\x90" * (n - len(code))
        each, longer = divmod(n, pieces)
        sizes = [each + 1] * longer + [each] * (pieces - longer)
        return b"".join(self.fill(kind, size) for size in sizes)


def expected_fill(tables, n):
    """The rule of docs/formats.md, from the decisions."""
    nops = [b""] + [bytes.fromhex(nop["code"]) for nop in tables["nops"]]
    if n <= 15:
        return nops[n]
    for gap in tables["gaps"]:
        if gap["bytes"] == n:
            return bytes.fromhex(gap["code"])
    start = tables["jump_from"]["value"]
    if start and n >= start:
        jump = bytes([0xeb, n - 2]) if n <= 129 else b"\xe9" + struct.pack("<I", n - 5)
        return jump.ljust(n, b"\x90")
    pieces = -(-n // tables["longest"]["value"])
    each, longer = divmod(n, pieces)
    return b"".join(nops[size] for size in [each + 1] * longer + [each] * (pieces - longer))


def expected_entries(decisions):
    """(item, kind) -> code, exact, data."""
    expected = {}
    for bits, kind in KINDS.items():
        expected[f"nop.fill.{bits}", kind] = (b"", 0, b"")
        for poke in decisions[f"nops_{bits}"]["text_pokes"]:
            expected[f"nop.text-poke.{poke['bytes']}", kind] = (bytes.fromhex(poke["code"]), 1, b"")
    for body in decisions["bodies"]:
        name, code = body["name"], bytes.fromhex(body["code"])
        kinds = [1, 2] if name.startswith("refcount.") else [2] if name.endswith("-32") else [1]
        for kind in kinds:
            item = "fpu.init.body" if name == "fpu.init" else name
            expected[item, kind] = (code, 0, bytes.fromhex(body.get("data", "")))
    return expected


def compare(data, decisions):
    """Raise Malformed where the table is not what was decided."""
    patches = Patches(data)
    expected = expected_entries(decisions)
    need(set(patches.entries) == set(expected), f"items: {set(patches.entries) ^ set(expected)}")
    for key, (code, exact, constant) in expected.items():
        entry = patches.entries[key]
        need((entry["code"], entry["exact"]) == (code, exact), f"{key}: code {entry['code'].hex()}")
        need(entry["fixups"] == b"", f"{key}: has fixups")
        need(not constant or entry["data"] == constant, f"{key}: data")
        if key[0] not in ("fpu.init.body", "xstate.save", "xstate.restore"):
            need(entry["xcr0"] == 0xffffffff, f"{key}: xcr0 {entry['xcr0']:#x}")
    check_reach(patches, "fpu.init.body", decisions["fpu_init"])
    check_reach(patches, "xstate.save", decisions["xstate"])
    check_reach(patches, "xstate.restore", decisions["xstate"])
    for bits, kind in KINDS.items():
        for n in range(256):
            filled = patches.fill(kind, n)
            need(filled == expected_fill(decisions[f"nops_{bits}"], n), f"{bits}: gap of {n}: {filled.hex()}")


def check_reach(patches, item, reach):
    entry = patches.entries[item, 1]
    wanted = {FEATURES[name] for name in reach["needs"]}
    need(entry["needs"] == wanted, f"{item} needs {entry['needs']}, not {wanted}")
    may = int(reach["xcr0"], 16)
    need(entry["xcr0"] == (0xffffffff if may == 2 ** 64 - 1 else may), f"{item}: xcr0 {entry['xcr0']:#x}")
