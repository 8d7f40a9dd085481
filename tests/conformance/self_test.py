#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The conformance test without kernels: its readers, its oracle on sites whose final bytes kernels have printed, and
that a wrong altpick is found out."""
import pathlib
import tempfile
import types
import unittest

import oracle
import patchlog
import sites
import x86

LOG = """\
[    0.000000] Linux version 6.1.0-57-amd64 (maintainers) #1 SMP
[    0.640149] SMP alternatives: retpoline at: f+0x24/0x40 (ffffffff81001c34) len: 5 to: thunk+0x0/0x20
[    0.640150] SMP alternatives: ffffffff81001c34: orig: e8 c7 00 e0 00
[   30.754552] SMP alternatives: alt table ffffffff832f35a0, -> ffffffff83301064
[   30.754789] SMP alternatives: feat: !8*32+16, old: (g+0x44/0x4f (ffffffff83079223) len: 6), \
repl: (ffffffff83301064, len: 3)
[   30.755087] SMP alternatives: ffffffff83079223:   old_insn: e8 48 53 00 fe 90
[   30.755286] SMP alternatives: ffffffff83301064:   rpl_insn: 0f 22 df
[   30.755504] SMP alternatives: ffffffff83079223: final_insn: 0f 22 df 90 90 90
[   30.755964] SMP alternatives: ffffffff83079223: [3:6) optimized NOPs: 0f 22 df 0f 1f 00
[   30.757205] SMP alternatives: feat: 3*32+16, old: (h+0x37/0x8e (ffffffff830795d3) len: 5), \
repl: (ffffffff8330106a, len: 5)
[   30.757457] SMP alternatives: ffffffff830795d3:   old_insn: e8 e8 d3 97 fe
[   30.757609] SMP alternatives: ffffffff8330106a:   rpl_insn: e8 41 59 6f fe
[   30.757981] SMP alternatives: ffffffff830795d3: final_insn: e8 d8
[   30.757981] d3 97 fe
[   33.688700] SMP alternatives: ffffffff819fa16f: [0:3) optimized NOPs: 0f 1f 00
[   34.079453] SMP alternatives: alt table ffffffff82416ced, -> ffffffff82416d41
[   34.079601] SMP alternatives: feat: 3*32+18, old: (raw+0x6b5/0x2000 (ffffffff824166b5) len: 5), \
repl: (ffffffff82416d41, len: 5) flags: 0x1
[   34.080180] SMP alternatives: ffffffff824166b5: final_insn: 0f ae e8 0f 31
"""


class LogTest(unittest.TestCase):
    def setUp(self):
        with tempfile.NamedTemporaryFile("w", suffix=".log") as f:
            f.write(LOG)
            f.flush()
            self.log = patchlog.PatchLog(f.name)

    def test_tables_and_features(self):
        self.assertEqual(self.log.version, "6.1.0-57-amd64")
        self.assertEqual([t.start for t in self.log.tables], [0xFFFFFFFF832F35A0, 0xFFFFFFFF82416CED])
        self.assertEqual(self.log.present, {(3, 16)})
        self.assertEqual(self.log.absent, {(8, 16), (3, 18)})
        self.assertEqual([len(t.applied) for t in self.log.tables], [2, 1])

    def test_last_line_of_a_site_wins(self):
        finals = {a: s.final.hex() for a, s in self.log.tables[0].sites.items()}
        self.assertEqual(finals, {0xFFFFFFFF83079223: "0f22df0f1f00", 0xFFFFFFFF819FA16F: "0f1f00",
                                  0xFFFFFFFF830795D3: "e8d8d397fe"})  # in two pieces


class DecoderTest(unittest.TestCase):
    def test_lengths(self):
        for bits, code, length in ((64, "90", 1), (64, "660f1f840000000000", 9), (64, "48b8efcdab8967452301", 10),
                                   (64, "ff153988c001", 6), (32, "ff153988c001", 6), (64, "c5f877", 3),
                                   (64, "62f17c48100500000000", 10), (32, "c40500000000", 6), (64, "f6052110000080", 7),
                                   (64, "f7d8", 2), (32, "678b063412", 5), (64, "0f38f00411", 5)):
            insn = x86.decode(bytes.fromhex(code) + b"\x90" * 15, 0, bits)
            self.assertEqual(insn.length, length, code)

    def test_invalid(self):
        for code in ("06", "0f04", "0f"):
            with self.assertRaises(x86.Undecodable):
                x86.decode(bytes.fromhex(code))


class Flat(oracle.Memory):
    """One piece of memory from an address on, executable or not."""

    def __init__(self, address, contents):
        self.mask = (1 << 64) - 1
        self.areas = [(address, bytearray(contents), None)]


def run(engine_of, code, length, site_bytes=None, site=0x1000, replacement=0x2000, **more):
    memory = Flat(site, (site_bytes or b"\x90" * length) + b"\xCC" * 32)
    entry = oracle.Entry(0, site, length, replacement, bytes.fromhex(code), 7, more.pop("flags", 0))
    (result,) = engine_of(memory).apply([entry], more.pop("features", {7}))
    return result[3].hex()


class OracleTest(unittest.TestCase):
    old = staticmethod(lambda memory: oracle.Engine512(memory, 64))
    new = staticmethod(lambda memory: oracle.Engine611(memory, 64))

    def test_padding_becomes_one_nop(self):
        self.assertEqual(run(self.old, "fa", 6), "fa0f1f440000")
        self.assertEqual(run(self.new, "fa", 6), "fa0f1f440000")
        self.assertEqual(run(self.old, "", 11), "0f1f8400000000000f1f00")
        self.assertEqual(run(self.new, "", 11), "66662e0f1f840000000000")
        self.assertEqual(run(self.new, "", 13), "eb0b" + "cc" * 11)

    def test_not_applied_is_optimised_too(self):
        self.assertEqual(run(self.old, "fa", 6, features=set()), "660f1f440000")
        self.assertEqual(run(self.new, "fa", 6, features=set(), site_bytes=b"\x90\x90\x90\xF3\x90\x90"), "0f1f00f39090")

    def test_displacements_move_with_the_code(self):
        self.assertEqual(run(self.old, "e800000000", 5), "e800100000")
        self.assertEqual(run(self.new, "0f8400000000", 6, replacement=0x2004), "0f8400000000")  # to its own end
        self.assertEqual(run(self.new, "0f8401000000", 6, replacement=0x2004), "0f8405100000")
        self.assertEqual(run(self.new, "488d0500010000", 7), "488d0500110000")

    def test_jumps_are_shortened(self):
        self.assertEqual(run(self.old, "e9bbefffff", 5), "e9bbffffff")  # backwards never
        self.assertEqual(run(self.old, "e90bf0ffff", 5), "eb0e0f1f00")
        self.assertEqual(run(self.new, "e90bf0ffff", 5), "eb0ecccccc")
        self.assertEqual(run(self.new, "e9bbefffff", 5), "ebbecccccc")


    def test_entries_of_one_site_get_its_longest_length(self):
        """No entries of the kernels that are booted need it."""
        memory = Flat(0x1000, b"\xFA" + b"\x90" * 5 + b"\xCC" * 16)
        entries = [oracle.Entry(0, 0x1000, 3, 0x2000, b"\xFB", 7, 0), oracle.Entry(1, 0x1000, 6, 0x2000, b"\xFC", 8, 0)]
        finals = [result[3].hex() for result in self.new(memory).apply(entries, {7})]
        self.assertEqual(finals, ["fb0f1f440000", "fb0f1f440000"])


class CompareTest(unittest.TestCase):
    def test_a_wrong_byte_and_a_missing_site_are_found(self):
        truth = {0x10: b"\x90", 0x20: b"\x0F\x1F\x00", 0x30: b"\xCC"}
        seen = {0x10: (b"", b"\x90", []), 0x20: (b"", b"\x0F\x1F\x01", [])}
        result = sites.compare(seen, truth)
        self.assertEqual((result.equal, [d[0] for d in result.different], result.missing), (1, [0x20], [0x30]))

    def judge(self, seen, truth):
        rows = []
        judge = types.SimpleNamespace(row=lambda *row: rows.append(row[3]), note=lambda text: None)
        sites.judge_sites(judge, "sites", seen, truth, 1)
        return rows

    def test_bars(self):
        truth = {0x20: b"\x0F\x1F\x00"}
        right, wrong = {0x20: (b"", b"\x0F\x1F\x00", [])}, {0x20: (b"", b"\x0F\x1F\x01", [])}
        self.assertEqual(self.judge(right, truth), [True])
        self.assertEqual(self.judge(wrong, truth), [False])
        self.assertEqual(self.judge({}, truth), [False])
        self.assertEqual(self.judge(right, {}), [False])  # too few sites


if __name__ == "__main__":
    unittest.main()
