#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the seeds of the fuzz targets: small valid inputs, made without any tool of altpick.

usage: seeds.py OUT_DIR SOURCE_DIR
"""
import gzip
import lzma
import os
import shutil
import struct
import sys

TEXT, TABLE, REPLACEMENT, RODATA = 0x1000, 0x2000, 0x3000, 0x4000
# A site of five bytes, one of two, and replacements that fit: call, jmp, lea, movs.
SITES = bytes.fromhex("0f1f440000 6690 9090909090 e900000000 c3".replace(" ", ""))
REPLACEMENTS = bytes.fromhex("e8fbffffff eb00 f3a4 488d0500000000 90".replace(" ", ""))


def relative(target, place):
    return struct.pack("<i", target - place)


def linux_like(tail):
    """Records of site, replacement and what tail(feature, site length, replacement length) gives."""
    def make(is_64):
        rows = [(0, 5, 0, 5), (5, 2, 5, 2), (7, 5, 7, 2), (12, 5, 0, 5)]
        table = b""
        for number, (site, length, replacement, fits) in enumerate(rows):
            at = TABLE + len(table)
            table += relative(TEXT + site, at) + relative(REPLACEMENT + replacement, at + 4)
            table += tail(9 * 32 + number, length, fits)
        return table
    return make


def absolute(form):
    def make(is_64):
        return b"".join(form(is_64, TEXT + site, length, tag)
                        for tag, (site, length) in enumerate([(0, 5), (5, 2), (7, 3)], 1))
    return make


def sites(is_64):
    table = b""
    for site, length in ((0, 5), (7, 5)):
        at = TABLE + len(table)
        table += relative(TEXT + site, at) + relative(RODATA, at + 4)
        table += bytes([length, 0, 0 if is_64 else 1, 1])
    return table


LAYOUTS = {
    "linux12": (".altinstructions", linux_like(lambda f, n, m: struct.pack("<HBB", f | 0x8000, n, m))),
    "linux13": (".altinstructions", linux_like(lambda f, n, m: struct.pack("<HBBB", f, n, m, 0))),
    "linux14": (".altinstructions", linux_like(lambda f, n, m: struct.pack("<HHBB", f, 1, n, m))),
    "xen12": (".altinstructions", linux_like(lambda f, n, m: struct.pack("<HBB", f, n, m))),
    "xen14": (".altinstructions", linux_like(lambda f, n, m: struct.pack("<HBBBB", f, n, m, 0, 0))),
    "openbsd16": (".codepatch", absolute(lambda b, a, n, t: struct.pack("<QHHI", a, n, t, 0))),
    "openbsd8": (".codepatch", absolute(lambda b, a, n, t: struct.pack("<IHH", a, n, t))),
    "netbsd10": (".rodata.hotpatch", absolute(lambda b, a, n, t: struct.pack("<BBQ", t, n, a))),
    "netbsd6": (".rodata.hotpatch", absolute(lambda b, a, n, t: struct.pack("<BBI", t, n, a))),
    "haiku8": (".altcodepatch", absolute(lambda b, a, n, t: struct.pack("<IHH", a - TEXT, n, t))),
    "altpick": ("altpick_sites", sites),
}


class Elf:
    """A file of sections, each (name, type, flags, address, data, link, info, entsize)."""

    def __init__(self, is_64, kind):
        self.is_64, self.kind = is_64, kind
        self.sections = []

    def add(self, name, flags, address, data, kind=1, link=0, info=0, entry=0):
        self.sections.append((name, kind, flags, address, data, link, info, entry))

    def bytes(self):
        names = b"\0" + b"".join(s[0].encode() + b"\0" for s in self.sections) + b".shstrtab\0"
        sections = self.sections + [(".shstrtab", 3, 0, 0, names, 0, 0, 0)]
        header_bytes, entry_bytes, segment_bytes = (64, 64, 56) if self.is_64 else (52, 40, 32)
        load = self.kind != 1
        body = b""
        start = header_bytes + (segment_bytes if load else 0)
        headers = [(0,) * 10]
        for name, kind, flags, address, data, link, info, entry in sections:
            body += b"\0" * (-(start + len(body)) % 8)
            headers.append((names.index(b"\0" + name.encode() + b"\0") + 1, kind, flags, address,
                            start + len(body), len(data), link, info, 1, entry))
            body += data
        body += b"\0" * (-(start + len(body)) % 8)
        ident = b"\x7fELF" + bytes([2 if self.is_64 else 1, 1, 1]) + bytes(9)
        form = "<16sHHIQQQIHHHHHH" if self.is_64 else "<16sHHIIIIIHHHHHH"
        out = struct.pack(form, ident, self.kind, 62 if self.is_64 else 3, 1, TEXT,
                          header_bytes if load else 0, start + len(body), 0, header_bytes,
                          segment_bytes if load else 0, int(load), entry_bytes, len(headers),
                          len(headers) - 1)
        if load:
            out += (struct.pack("<IIQQQQQQ", 1, 7, 0, TEXT, TEXT, 0x100, 0x4000, 16) if self.is_64
                    else struct.pack("<8I", 1, 0, TEXT, TEXT, 0x100, 0x4000, 7, 16))
        form = "<IIQQQQIIQQ" if self.is_64 else "<10I"
        return out + body + b"".join(struct.pack(form, *header) for header in headers)


def linked(name, is_64):
    section, make = LAYOUTS[name]
    elf = Elf(is_64, 2)
    elf.add(".text", 6, TEXT, SITES)
    if not name.startswith("xen12"):
        elf.add(section, 2, TABLE, make(is_64))
    else:
        elf.add(".init", 2, TABLE, make(is_64))
        add_symbols(elf, is_64, [("__alt_instructions", TABLE, 2),
                                 ("__alt_instructions_end", TABLE + len(make(is_64)), 2)])
    elf.add(".altinstr_replacement", 6, REPLACEMENT, REPLACEMENTS)
    elf.add(".rodata", 2, RODATA, b"fpu.init.body\0Linux version 6.1.0 (x)\0")
    return elf.bytes()


def add_symbols(elf, is_64, symbols):
    """A symbol table of (name, value, section), and its names, behind what is there."""
    names, table = b"\0", bytes(24 if is_64 else 16)
    for name, value, section in symbols:
        form = (struct.pack("<IBBHQQ", len(names), 0x10, 0, section, value, 0) if is_64 else
                struct.pack("<IIIBBH", len(names), value, 0, 0x10, 0, section))
        table += form
        names += name.encode() + b"\0"
    here = len(elf.sections) + 1
    elf.add(".symtab", 0, 0, table, kind=2, link=here + 1, info=1, entry=24 if is_64 else 16)
    elf.add(".strtab", 0, 0, names, kind=3)


def relocatable(is_64):
    """A module with two records of linux12, whose places relocations fill."""
    elf = Elf(is_64, 1)
    elf.add(".text", 6, 0, SITES)
    record = struct.pack("<iiHBB", 0, 0, 9 * 32, 5, 5)
    elf.add(".altinstructions", 2, 0, record + record)
    elf.add(".altinstr_replacement", 6, 0, REPLACEMENTS)
    rows = [(0, 1, 0), (4, 2, 0), (12, 1, 7), (16, 2, 0)]
    if is_64:
        data = b"".join(struct.pack("<QQq", at, symbol << 32 | 2, addend) for at, symbol, addend in rows)
        elf.add(".rela.altinstructions", 0x40, 0, data, kind=4, link=5, info=2, entry=24)
    else:
        data = b"".join(struct.pack("<II", at, symbol << 8 | 2) for at, symbol, addend in rows)
        elf.add(".rel.altinstructions", 0x40, 0, data, kind=9, link=5, info=2, entry=8)
    add_symbols(elf, is_64, [("text", 0, 1), ("replacements", 0, 3)])
    return elf.bytes()


def stripped_xen():
    """The hypervisor as it is shipped: one section, 64-bit code in a file of 32 bits, no symbols."""
    head = SITES + bytes(-len(SITES) % 16) + REPLACEMENTS + b"\0Xen version %d.%d\0"
    head += b"\xff" * (-len(head) % 4)
    table = b""
    for number in range(80):
        at = TEXT + len(head) + len(table)
        table += relative(TEXT, at) + relative(TEXT + len(SITES) + -len(SITES) % 16, at + 4)
        table += struct.pack("<HBBBB", 3 * 32 + number % 32, 0 if number % 2 else 5, 5, 5 if number % 2 else 0, 0)
    elf = Elf(False, 2)
    elf.add(".text", 7, TEXT, head + table + b"\xff" * 32)
    return elf.bytes()


def patchable(is_64, overlap=0):
    """A program with altpick's own sites, loaded from where they are in the file."""
    elf = Elf(is_64, 2)
    flag = 0 if is_64 else 1
    names = b"nop.fill.64\0" if is_64 else b"nop.fill.32\0"
    first = 120 if is_64 else 88  # file offset of the first section
    text, records, bits = TEXT + first, TEXT + first + 48, [(0, 40), (40 - overlap, 5)]
    offset = first + 48 + 12 * len(bits)
    offset += -offset % 8
    table = b""
    for site, length in bits:
        at = records + len(table)
        table += relative(text + site, at) + relative(TEXT + offset, at + 4)
        table += bytes([length, 0, flag, 1])
    mark = offset + len(names)
    mark += -mark % 8
    elf.add(".text", 6, text, b"\x90" * 45)
    elf.add("altpick_sites", 2, records, table)
    elf.add("altpick_names", 0x32, TEXT + offset, names)
    elf.add("altpick_mark", 3, TEXT + mark,
            struct.pack("<16sIIII", b"altpick-mark", 1, 0, 0xffffffff, 0) + bytes(32 * 16))
    data = bytearray(elf.bytes())
    if is_64:
        struct.pack_into("<QQ", data, 64 + 32, len(data), len(data))
    else:
        struct.pack_into("<II", data, 52 + 16, len(data), len(data))
    return bytes(data)


def records(*rows):
    """What fuzz_runtime.c takes: (site, offset of the name, length, flags) each."""
    return bytes([len(rows)]) + b"".join(struct.pack("<iiBBBB", site, name, length, 0, flags, 1)
                                         for site, name, length, flags in rows)


def packed(data):
    """The data in every packing that is read, each alone and in a bzImage; those without a module of
    Python's hold it as it is: a raw block of zstd, literals of lz4."""
    n = struct.pack("<I", len(data))
    extra = len(data) - 15
    literals = b"\xf0" + b"\xff" * (extra // 255) + bytes([extra % 255]) + data
    streams = {
        "gzip": gzip.compress(data, mtime=0),
        "xz": lzma.compress(data, preset=0),
        "zstd": bytes.fromhex("28b52ffda0") + n + struct.pack("<I", len(data) << 3 | 1)[:3] + data,
        "lz4": bytes.fromhex("02214c18") + struct.pack("<I", len(literals)) + literals,
    }
    for name, stream in streams.items():
        yield name, stream
        payload = stream if name == "gzip" else stream + n
        setup = bytearray(2 * 512)
        setup[0x1f1] = 1
        setup[0x1fe:0x208] = b"\x55\xaa\xeb\x66HdrS\x0f\x02"
        setup[0x248:0x250] = struct.pack("<II", 0, len(payload))
        yield "bzimage-" + name, bytes(setup) + payload


def save(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def main():
    out, source = sys.argv[1:]
    images = {f"{name}-{bits}": linked(name, bits == 64) for name in LAYOUTS for bits in (64, 32)}
    images.update({f"module-{bits}": relocatable(bits == 64) for bits in (64, 32)})
    images["xen-stripped"] = stripped_xen()
    for name, data in images.items():
        save(f"{out}/image", name, data)
        save(f"{out}/table", name, b"\xff" + data)
        save(f"{out}/inspect", name, data)
        if name.startswith(("linux", "module")):
            for engine in range(5):
                save(f"{out}/overlay", f"{name}-{engine}", bytes([engine, 0xff]) + data)
    for name, data in packed(images["linux12-64"]):
        save(f"{out}/inspect", name, data)
    for bits in (64, 32):
        save(f"{out}/patch", f"sites-{bits}", patchable(bits == 64))
        save(f"{out}/patch", f"overlap-{bits}", patchable(bits == 64, 1))
    every = [(0, 0, 200, 0), (200, 12, 40, 0), (240, 25, 190, 0), (430, 39, 5, 0), (435, 55, 20, 1),
             (460, 79, 100, 1), (580, 91, 20, 0)]
    save(f"{out}/runtime", "every", records(*every))
    save(f"{out}/runtime", "changed", records(*every) + bytes(range(60)))
    header = (b'#define NCAPINTS 22 /* words */\n#define X86_FEATURE_FPU ( 0*32+ 0) /* "fpu" */\n'
              b"#define X86_FEATURE_SMAP (9*32+20) /* hidden */\n"
              b'#define X86_BUG(x) (NCAPINTS*32 + (x))\n#define X86_BUG_SRSO X86_BUG(1*32 + 0) /* "" */\n\0')
    save(f"{out}/features", "list", header + b"smap, 1*32+2 # more\n!9*32+20\n")
    save(f"{out}/features", "cpuinfo", header + b"processor : 0\nflags : fpu new\nbugs : srso\n")
    for name in ("profile.json", "state-profile.json"):
        os.makedirs(f"{out}/profile", exist_ok=True)
        shutil.copy(f"{source}/golden/{name}", f"{out}/profile/{name}")
    save(f"{out}/policy", "all", b"""{"format": "altpick-policy", "version": 1, "target": "any-x86-64",
 "tie_margin_percent": 2.5, "components": ["x87", "hi16-zmm"], "allow_lazy": true, "max_nop": 11,
 "weights": {"nop.fill.64": {"hot": 3, "l1i-miss": 0}}, "require": {"fpu.init": ["no-leak:xmm"]},
 "pin": {"nop.fill.64.5": "0f1f.5"}, "strict": true}""")


main()
