#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare functions read from .symtab with what readelf prints.

usage: check_symtab.py DUMP READELF FILE...
"""
import subprocess
import sys


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def code_sections(readelf, path):
    sections = {}
    for line in output(readelf, '-SW', path):
        at = line.find(']')
        fields = line[at + 1:].split()
        if line.lstrip().startswith('[') and len(fields) > 6 and fields[1] == 'PROGBITS':
            if 'A' in fields[6] and 'X' in fields[6]:
                sections[int(line[line.find('[') + 1:at])] = (int(fields[2], 16), int(fields[4], 16))
    return sections


def main(dump, readelf, *paths):
    for path in paths:
        code = code_sections(readelf, path)
        relocatable = any('REL (' in line for line in output(readelf, '-hW', path))
        symbols = {}
        for line in output(readelf, '-sW', path):
            f = line.split()
            if len(f) >= 8 and f[6].isdigit() and int(f[6]) in code and f[3] in ('FUNC', 'NOTYPE'):
                start, bytes_ = code[int(f[6])]
                if int(f[1], 16) < start + bytes_:
                    key = (int(f[6]) if relocatable else 0, int(f[1], 16))
                    symbols.setdefault(key, []).append((f[4], f[7].split('@')[0], start + bytes_))
        found = {}
        for line in output(dump, 'functions', path):
            address, bytes_, section, name = line.split()
            found[int(section), int(address, 16)] = (int(bytes_), name)
        assert sorted(found) == sorted(symbols), (path, set(found) ^ set(symbols))
        order = sorted(symbols)
        for key, after in zip(order, order[1:] + [(1 << 32, 0)]):
            end = min(symbols[key][0][2], after[1] if after[0] == key[0] else 1 << 64)
            best = min(('GLOBAL', 'WEAK', 'LOCAL').index(b) for b, _, _ in symbols[key])
            name = next(n for b, n, _ in symbols[key] if ('GLOBAL', 'WEAK', 'LOCAL').index(b) == best)
            assert found[key] == (end - key[1], name), (path, key, found[key], end - key[1], name)
        print(path, len(found), 'functions')


if __name__ == '__main__':
    main(*sys.argv[1:])
