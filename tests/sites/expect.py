#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what an engine printed with what the list, the decisions and the layout say.

usage: expect.py PRINTED LAYOUT elf64|elf32 LIST DECISIONS.json
"""
import json
import sys

from sites import read_list

PLAIN = [b"", b"\x90", b"\x66\x90", bytes.fromhex("0f1f00"), bytes.fromhex("0f1f4000"),
         bytes.fromhex("0f1f440000"), bytes.fromhex("660f1f440000"), bytes.fromhex("0f1f8000000000"),
         bytes.fromhex("0f1f840000000000")]
SETS = range(16)


def need(condition, text):
    if not condition:
        sys.exit(f"expect: {text}")


def nop(length, layout):
    if length <= 8:
        return PLAIN[length]
    prefix = b"\x2e" if layout == "linux14" else b"\x66"
    return b"\x66" * (length - 9) + prefix + PLAIN[8]


def nops(length, longest, layout):
    whole = b"".join(nop(longest, layout) for _ in range(length // longest))
    return whole + nop(length % longest, layout) if length % longest else whole


def is_padding(code):
    """NOPs of the forms that are decided here, and nothing else."""
    while code:
        rest = code.lstrip(b"\x66\x2e")
        if rest[:1] == b"\x90":
            code = rest[1:]
        elif rest[:2] == b"\x0f\x1f":
            length = {0x00: 3, 0x40: 4, 0x44: 5, 0x80: 7, 0x84: 8}[rest[2]]
            code = rest[length:]
        else:
            return False
    return True


def linux14_run(length, bits):
    """Nothing to merge, one NOP, or a jump over breakpoints."""
    if length <= (11 if bits == 64 else 8):
        return nop(length, "linux14")
    if length < 128:
        return bytes([0xeb, length - 2]) + b"\xcc" * (length - 2)
    return b"\xe9" + (length - 5).to_bytes(4, "little") + b"\xcc" * (length - 5)


def linux14(code, length, bits):
    room = length - len(code)
    if is_padding(code):
        return linux14_run(length, bits) if room or len(code) > 5 else code
    if code[0] == 0xeb and code[1] == len(code) - 2:
        return code[:2] + linux14_run(len(code) - 2 + room, bits)
    return code + (linux14_run(room, bits) if room > 1 else b"\x90" * room)


def applied(layout, line, bits):
    """A site after its replacement."""
    code, room = line.code, line.length - len(line.code)
    if layout == "linux14":
        return linux14(code, line.length, bits)
    if layout == "linux12" and code[:1] == b"\xeb":
        return code[:2] + nops(line.length - 2, 8, layout)
    if layout == "linux12" and code.endswith(b"\x90\x90"):  # runs of single ones become longer
        body = code.rstrip(b"\x90")
        return body + nops(line.length - len(body), 8, layout)
    return code + nops(room, 9 if layout == "xen14" else 8, layout)


def untouched(layout, line, default, bits):
    """A site whose records all do not apply."""
    body = default.rstrip(b"\x90")
    room = len(default) - len(body)
    if layout == "linux12":
        return body + nops(room, 8, layout)
    if layout == "linux14":
        return body + linux14_run(room, bits)
    if line.padding > 1:
        return default[:-line.padding] + nops(line.padding, 9 if layout == "xen14" else 8, layout)
    return default


def expected_results(layout, bits, features, runs_fpu):
    def has(n):
        return features >> (n - 1) & 1
    own = layout == "altpick"
    inverts = layout in ("linux12", "linux14", "xen14")
    results = {
        "count_inc": 0xc0000000 if own or has(1) else 0x80000000,
        "count_nest": 4 if own or has(2) else 6 if has(1) else 21,
        "count_dec": 4 if own or bool(has(3)) != inverts else 37,
        "pass_gaps": 1,
        "begin_fpu": 0x1f80 if own or has(1) else 0x1fa0,
    }
    if bits == 64 and runs_fpu:
        results["init_fpu"] = 0 if own or has(4) else 0xffffffff
    if not own:
        results.update(before_all=7 if has(1) else 0, after_all=7 if has(2) else 0)
    if layout == "linux14":
        results["call_direct"] = 7
    return results


def main():
    path, layout, flavour, list_path, decisions_path = sys.argv[1:]
    bits = int(flavour[3:])
    with open(decisions_path, encoding="utf-8") as file:
        decisions = json.load(file)
    lines = read_list(list_path, decisions, layout, bits)
    found, results = {}, {}
    with open(path, encoding="ascii") as file:
        for text in file:
            need(text[:2] != "st", text.strip())
            features, name, *rest = text.split()
            key = int(features, 16), name
            if rest[0] == "=":
                results[key] = int(rest[1], 16)
            else:
                found[key] = bytes.fromhex(rest[0])
    symbols = dict.fromkeys(line.symbol for line in lines)
    checked = 0
    for features in SETS:
        for symbol in symbols:
            mine = [line for line in lines if line.symbol == symbol]
            last = [line for line in mine if layout == "altpick" or line.applies(features)]
            want = (applied(layout, last[-1], bits) if last
                    else untouched(layout, mine[0], found[0xffffffff & 0xff, symbol], bits))
            need(found[features, symbol] == want,
                 f"set {features:x}: {symbol} is {found[features, symbol].hex()}, not {want.hex()}")
            checked += 1
        wanted = expected_results(layout, bits, features, (0, "init_fpu") in results)
        for name, value in wanted.items():
            need(results.get((features, name)) == value,
                 f"set {features:x}: {name} gave {results.get((features, name))}, not {value:#x}")
        need(sum(key[0] == features for key in results) == len(wanted), "results that are not expected")
    need(checked == len(symbols) * len(SETS), "sites are missing")


main()
