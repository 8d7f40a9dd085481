# SPDX-License-Identifier: MIT
"""What a kernel booted with `debug-alternative` says about its own patching, read from its serial log."""
import re

FEATURE = re.compile(r"feat: (!?)(\d+)\*32\+(\d+), old: \(.*\(([0-9a-f]+)\) len: (\d+)\), "
                     r"repl: \(([0-9a-f]+), len: (\d+)\)(?: flags: (0x[0-9a-f]+))?")
TABLE = re.compile(r"alt table ([0-9a-f]+), -> ([0-9a-f]+)")
BYTES = re.compile(r"([0-9a-f]{8,16}): +(?:(old|rpl|final)_insn|\[(\d+):(\d+)\) optimized NOPs|(orig|repl)): "
                   r"((?:[0-9a-f]{2} ?)+)$")
MORE = re.compile(r"((?:[0-9a-f]{2} )*[0-9a-f]{2}) ?$")
STAMP = re.compile(r"^\[ *\d+\.\d+\] ")


class Site:
    """The last bytes that the log names for an address, and what it said on the way."""

    def __init__(self, address):
        self.address, self.old, self.final, self.optimised_only = address, None, b"", True


class Table:
    def __init__(self, start, end):
        self.start, self.end, self.sites, self.applied = start, end, {}, []


class PatchLog:
    """tables: one for the kernel and one for each vDSO; present, absent: features as (word, bit)."""

    def __init__(self, path):
        self.tables, self.present, self.absent = [], set(), set()
        self.version = ""
        self.lines = 0
        with open(path, encoding="latin-1") as f:
            self._read(STAMP.sub("", line.rstrip("\r\n")) for line in f)

    def _read(self, lines):
        last = None  # of a string of bytes that may go on: the site and how much is still to come
        for line in lines:
            if " version " in line and "Linux version" in line and not self.version:
                self.version = line.split("Linux version ")[1].split()[0]
            text = line.split("SMP alternatives: ")[-1]
            if (found := TABLE.search(text)):
                self.tables.append(Table(int(found[1], 16), int(found[2], 16)))
            elif (found := FEATURE.search(text)):
                self._applied(found)
            elif (found := BYTES.search(text)):
                last = self._bytes(found)
            elif last and (found := MORE.match(text)):
                last.final += bytes.fromhex(found[1])
            else:
                last = None

    def _applied(self, found):
        feature = (int(found[2]), int(found[3]))
        inverted = bool(found[1]) or bool(int(found[8] or "0", 16) & 1)
        (self.absent if inverted else self.present).add(feature)
        self.lines += 1
        self.tables[-1].applied.append((int(found[4], 16), int(found[5]), int(found[6], 16), int(found[7]), feature))

    def _bytes(self, found):
        if found[5] or not self.tables or found[2] == "rpl":
            return None  # retpolines and returns; replacement code
        address = int(found[1], 16)
        site = self.tables[-1].sites.setdefault(address, Site(address))
        code = bytes.fromhex(found[6])
        if found[2] == "old":
            site.old = code if site.old is None else site.old
            return None
        if found[2] == "final":
            site.optimised_only = False
        site.final = code
        return site
