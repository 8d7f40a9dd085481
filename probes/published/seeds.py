#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the figures of the NOP thread into a constant C table of machines.

usage: seeds.py SEEDS.tsv SEEDS.c
"""
import sys
from fractions import Fraction
from statistics import median

COPIES = 1000  # of a sequence in the block that was timed
LENGTHS = [str(n) for n in range(1, 9)]
SOURCE = 'Linux kernel mailing list, 2015-05'


def read(path):
    with open(path, encoding='utf-8') as file:
        lines = [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def micro(cycles_of_block):
    """Millionths of a cycle of one copy."""
    value = Fraction(cycles_of_block) * 1000000 / COPIES
    assert value.denominator == 1
    return int(value)


def machines(rows):
    """{name: (family, {code: [micro cycles of each row with these bytes]})}."""
    codes = {row['forms']: row for row in rows if row['kind'] == 'code'}
    found = {}
    for row in rows:
        if row['kind'] != 'cycles':
            continue
        family, costs = found.setdefault(row['name'], (row['family'], {}))
        assert family == row['family']
        for length in LENGTHS:
            code = codes[row['forms']][length]
            assert len(bytes.fromhex(code)) == int(length), code
            costs.setdefault(code, []).append(micro(row[length]))
    return found


def table_c(found):
    yield '/* Generated from seeds.tsv; do not edit. */\n#include "published.h"\n\n'
    yield 'const struct altpick_seed_machine altpick_seed_machines[] = {\n'
    for name, (family, costs) in found.items():
        yield (f'    {{"{name}", "nop-2015", "{SOURCE}", "AuthenticAMD", '
               f'0x{family.removesuffix("h")}, {len(costs)},\n     {{\n')
        for code, values in costs.items():
            data = ', '.join(f'0x{byte:02x}' for byte in bytes.fromhex(code))
            yield (f'         {{{{{data}}}, {len(code) // 2}, {len(values)}, '
                   f'{{{int(median(values))}, {min(values)}, {max(values)}}}}},\n')
        yield '     }},\n'
    yield '};\n\nconst size_t altpick_seed_machine_count =\n'
    yield '    sizeof altpick_seed_machines / sizeof *altpick_seed_machines;\n'


def main(tsv, out):
    with open(out, 'w', encoding='utf-8') as file:
        file.writelines(table_c(machines(read(tsv))))


main(*sys.argv[1:])
