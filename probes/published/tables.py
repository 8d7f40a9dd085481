#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns published NOP costs into two constant C tables: forms with their veto, and machines.

usage: tables.py NOPS.tsv FORMS.c MACHINES.c
"""
import sys
from fractions import Fraction
from statistics import median

NOP_MAX = 15
ABSENT_BELOW = Fraction('0.10')  # artefacts of the publisher's subtraction
TOXIC_RATIO = 2                  # costs more than twice ...
TOXIC_CYCLES = 1                 # ... and more than one cycle above the best filling
HEAD = '/* Generated from nops.tsv; do not edit. */\n#include "published.h"\n\n'


class Form:
    """A published NOP: its bytes, and what the C side compares."""

    def __init__(self, text):
        code = bytes.fromhex(text)
        self.bytes = len(code)
        self.prefixes = len(code) - len(code.lstrip(b'\x66'))
        self.opcode = 0x1F if code[self.prefixes] == 0x0F else 0x90


class Machine:
    """The dumps of one vendor, signature and core type, merged."""

    def __init__(self, dumps, forms):
        first = dumps[0]
        self.vendor, self.signature, self.core = key(first)
        self.name = first['name']
        self.names = ' '.join(d['name'] for d in dumps)
        self.brands = '; '.join(dict.fromkeys(d['brand'] for d in dumps if d['brand'] != '-'))
        self.brand = self.brands.split('; ')[0]
        self.dumps = len(dumps)
        self.costs = [figures(dumps, form) for form in forms]

    def cycles(self, form):
        """Median over the dumps, None when absent."""
        return median(self.costs[form]) if self.costs[form] else None


def key(dump):
    return dump['vendor'], dump['signature'], dump['core']


def figures(dumps, form):
    values = [Fraction(d[form]) for d in dumps if d[form] != '-']
    return [v for v in values if v >= ABSENT_BELOW]


def read(path):
    with open(path, encoding='utf-8') as file:
        lines = [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]
    head = lines[0]
    names = head[head.index('source') + 1:]
    groups = {}
    for line in lines[1:]:
        if len(line) != len(head):
            sys.exit(f'{path}: {line[2]}: {len(line)} columns instead of {len(head)}')
        dump = dict(zip(head, line))
        groups.setdefault(key(dump), []).append(dump)
    return names, [Machine(dumps, names) for dumps in groups.values()]


def best_fillings(machine, forms):
    """Cycles of the cheapest sequence of published forms for every number of bytes."""
    best = [Fraction(0)] + [None] * NOP_MAX
    for length in range(1, NOP_MAX + 1):
        sums = [best[length - form.bytes] + machine.cycles(i)
                for i, form in enumerate(forms)
                if form.bytes <= length and best[length - form.bytes] is not None
                and machine.cycles(i) is not None]
        best[length] = min(sums, default=None)
    return best


def toxic_on(machines, forms):
    """Per form, the index of the machine with the largest excess over the best filling, or -1."""
    worst = [(Fraction(0), -1)] * len(forms)
    for index, machine in enumerate(machines):
        best = best_fillings(machine, forms)
        for i, form in enumerate(forms):
            cost, other = machine.cycles(i), best[form.bytes]
            if cost is None or cost <= TOXIC_RATIO * other or cost <= other + TOXIC_CYCLES:
                continue
            if cost - other > worst[i][0]:
                worst[i] = cost - other, index
    return [index for _, index in worst]


def micro(cycles):
    """Millionths of a cycle; medians of three decimals are exact in them."""
    value = cycles * 1000000
    assert value.denominator == 1
    return int(value)


def forms_c(forms, names, toxic):
    yield HEAD
    yield 'const struct altpick_published_form\n'
    yield '    altpick_published_forms[ALTPICK_PUBLISHED_FORMS] = {\n'
    for form, name, machine in zip(forms, names, toxic):
        yield (f'    {{{{0x{form.opcode:02x}, {form.bytes}, {form.prefixes}}}, {machine}}}, '
               f'/* {name} */\n')
    yield '};\n'


def c_string(text):
    assert text.isascii() and text.isprintable()
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'


def machines_c(machines):
    yield HEAD
    yield 'const struct altpick_published_machine altpick_published_machines[] = {\n'
    for m in machines:
        yield (f'    {{{c_string(m.vendor)}, {c_string(m.name)}, {c_string(m.names)},\n'
               f'     {c_string(m.brand)}, {c_string(m.brands)},\n'
               f"     0x{int(m.signature, 16):x}, '{m.core}', {m.dumps},\n     {{")
        for values in m.costs:
            low, high = (min(values), max(values)) if values else (0, 0)
            middle = median(values) if values else 0
            yield '{' + ', '.join(str(micro(Fraction(v))) for v in (middle, low, high)) + '}, '
        yield '}},\n'
    yield '};\n\nconst size_t altpick_published_machine_count =\n'
    yield '    sizeof altpick_published_machines / sizeof *altpick_published_machines;\n'


def main(tsv, forms_path, machines_path):
    names, machines = read(tsv)
    forms = [Form(name) for name in names]
    with open(forms_path, 'w', encoding='utf-8') as file:
        file.writelines(forms_c(forms, names, toxic_on(machines, forms)))
    with open(machines_path, 'w', encoding='utf-8') as file:
        file.writelines(machines_c(machines))


main(*sys.argv[1:])
