#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Derives from published NOP costs what must be decided for lengths 1..15 on each CPU.

usage: truth.py NOPS.tsv TRUTH.tsv

A line: machine, item, code in hexadecimal, "default" or "other", "edge" where a gain lies within
one percent point of the margin, else "-".  Hot costs only, policy this-cpu, margin 5 %.  Costs are in
thousandths of a cycle and all comparisons are exact.
"""
import sys

LENGTHS = range(1, 16)
MARGIN, EDGE_LOW, EDGE_HIGH = 50, 40, 60  # per mille
RECOMMENDED = ['90', '6690', '0f1f00', '0f1f4000', '0f1f440000', '660f1f440000', '0f1f8000000000',
               '0f1f840000000000', '660f1f840000000000', '662e0f1f840000000000',
               '66662e0f1f840000000000']


def long_nop(length, last_prefix='2e'):
    """The 0F1F form: the table's up to 11 bytes, then further 66 in front."""
    if length <= 9:
        return [RECOMMENDED[length - 1]]
    return ['66' * (length - 9) + last_prefix + '0f1f840000000000']


def short_nop(length):
    return '66' * (length - 1) + '90'


def even(length, pieces):
    """Sizes of an even split, longer first."""
    return [length // pieces + (i < length % pieces) for i in range(pieces)]


def candidates(length):
    """Every way to fill @length bytes, as lists of instructions, in altpick's order."""
    found = []
    if length >= 3:
        found.append(long_nop(length))
    if length == 9:
        found.append(['2e0f1f840000000000'])
    if length >= 10:
        found.append(long_nop(length, '66'))
    if length >= 2:
        found.append([short_nop(length)])
    if length <= 8:
        found.append(['90'] * length)
    if length >= 5:
        found.append([short_nop(n) for n in even(length, -(-length // 4))])
    if length >= 9:
        found.append([RECOMMENDED[n - 1] for n in even(length, 2)])
    return found


def preferred(length):
    pieces = [length] if length <= 11 else even(length, 2)
    return [RECOMMENDED[n - 1] for n in pieces]


def prefixes(instruction):
    return next(i for i in range(16) if instruction[2 * i:2 * i + 2] not in ('66', '2e'))


def rank(instructions):
    """What is preferred among equals; the order of candidates comes last and is the list's own."""
    return (''.join(instructions) not in RECOMMENDED,
            max(map(prefixes, instructions)) > 3,
            len(instructions))


def single_cost(figures, instruction):
    """Published millicycles of one NOP; 2E costs what 66 costs."""
    head = 2 * prefixes(instruction)
    return figures.get('66' * (head // 2) + instruction[head:])


def cost(figures, instructions):
    parts = [single_cost(figures, i) for i in instructions]
    return None if None in parts else sum(parts)


def beats(a, b, permille):
    """Whether cost @a is below cost @b by more than @permille of @b."""
    return 1000 * (b - a) > permille * b


def near(a, b):
    """Whether the gain of @a over @b lies within one percent point of the margin."""
    return EDGE_LOW * b <= 1000 * (b - a) <= EDGE_HIGH * b


def decide(figures, length):
    """(winner, whether it is a knife edge)."""
    default = preferred(length)
    base = cost(figures, default)
    if base is None:
        return default, False
    known = [(cost(figures, c), c) for c in candidates(length)]
    known = [(k, c) for k, c in known if k is not None]
    cheapest = min(k for k, _ in known)
    if not beats(cheapest, base, MARGIN):
        return default, near(cheapest, base)
    able = [(k, c) for k, c in known if beats(k, base, MARGIN) and not beats(cheapest, k, MARGIN)]
    winner = min((c for _, c in able), key=rank)
    edge = near(cheapest, base) or any(
        (near(k, base) or near(cheapest, k)) and rank(c) <= rank(winner) for k, c in known)
    return winner, edge


def read(path):
    """(machine, {instruction: millicycles}) per line; figures under 0.10 are artefacts."""
    with open(path, encoding='utf-8') as file:
        lines = [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]
    head = lines[0]
    for line in lines[1:]:
        row = dict(zip(head, line))
        figures = {k: round(float(row[k]) * 1000) for k in head[6:] if row[k] != '-'}
        yield (':'.join(row[k] for k in ('vendor', 'signature', 'name', 'core')),
               {k: v for k, v in figures.items() if v >= 100})


def main(tsv, out):
    with open(out, 'w', encoding='utf-8') as file:
        for machine, figures in read(tsv):
            for length in LENGTHS:
                winner, edge = decide(figures, length)
                print(machine, length, ''.join(winner),
                      'default' if winner == preferred(length) else 'other',
                      'edge' if edge else '-', sep='\t', file=file)


main(*sys.argv[1:])
