#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the figures of threads about other code than NOPs into a constant C table of machines.

usage: threads.py THREADS.tsv THREADS.c
"""
import sys
from fractions import Fraction
from statistics import median

NOTES_MAX = 4
SHOTS = 10


def read(path):
    """Rows as dictionaries, by kind; a row that starts with "kind" names the columns after it."""
    rows = {'machine': [], 'note': [], 'guarantee': [], 'cost': []}
    head = []
    with open(path, encoding='utf-8') as file:
        for line in file:
            cells = line.rstrip('\n').split('\t')
            if line.startswith('#') or not line.strip():
                continue
            if cells[0] == 'kind':
                head = cells
            else:
                rows[cells[0]].append(dict(zip(head, cells, strict=True)))
    return rows


def micro(value):
    return round(value * 1000000)


def interval(figures):
    """
    Median, low and high.  The second smallest and second largest of ten hold the median of what
    they were drawn from with 97.9 % (1 - 2 * (1 + 10) / 2^10), whatever its distribution.
    """
    values = sorted(map(Fraction, figures))
    assert len(values) in (1, SHOTS), figures
    spread = values if len(values) == 1 else values[1:-1]
    return median(values), spread[0], spread[-1]


def constant(prefix, name):
    return prefix + name.upper().translate(str.maketrans('-:', '__'))


def text(cell):
    assert cell.isascii() and cell.isprintable() and '"' not in cell and '\\' not in cell
    return '"' + ('' if cell == '-' else cell) + '"'


def cost_c(row):
    figures = row['figures'].split(' ')
    values = ', '.join(str(micro(value)) for value in interval(figures))
    return (f'{{{text(row["question"])}, {text(row["candidate"])}, '
            f'{constant("ALTPICK_", row["condition"])}, {len(figures)}, {values}}}')


def promise_c(row):
    guarantees = ' | '.join(constant('PROMISES(', name) + ')' for name in row['guarantees'].split(' '))
    return f'{{{text(row["question"])}, {text(row["candidate"])}, {guarantees}}}'


def machine_c(row, notes, promises, costs):
    names = [] if row['features'] == '-' else row['features'].split(' ')
    features = ' | '.join(constant('HAS(', name) + ')' for name in names) or '0'
    assert len(notes) < NOTES_MAX and costs, row['machine']
    yield f'    {{\n        .name = {text(row["machine"])},\n'
    for member in ('thread', 'source', 'vendor', 'brand'):
        yield f'        .{member} = {text(row[member])},\n'
    for member in ('family', 'ring', 'xcr0'):
        yield f'        .{member} = {int(row[member])},\n'
    yield f'        .features = {features},\n'
    yield f'        .notes = {{{", ".join(map(text, notes))}}},\n'
    yield '        .promises = (const struct altpick_thread_promise[]){\n'
    for promise in promises:
        yield f'            {promise_c(promise)},\n'
    yield f'            {{0}},\n        }},\n        .n_promises = {len(promises)},\n'
    yield '        .costs = (const struct altpick_thread_cost[]){\n'
    for cost in costs:
        yield f'            {cost_c(cost)},\n'
    yield f'        }},\n        .n_costs = {len(costs)},\n    }},\n'


def of(rows, machine):
    return [row for row in rows if row['machine'] == machine]


def table_c(rows):
    names = [row['machine'] for row in rows['machine']]
    assert {row['machine'] for row in rows['note'] + rows['guarantee'] + rows['cost']} <= set(names)
    yield '/* Generated from threads.tsv; do not edit. */\n#include "published.h"\n\n'
    yield '#define HAS(id) (UINT64_C(1) << ALTPICK_CPU_##id)\n'
    yield '#define PROMISES(id) (UINT64_C(1) << ALTPICK_GUARANTEE_##id)\n\n'
    yield 'const struct altpick_thread_machine altpick_thread_machines[] = {\n'
    for row in rows['machine']:
        notes = [note['text'] for note in of(rows['note'], row['machine'])]
        yield from machine_c(row, notes, of(rows['guarantee'], row['machine']),
                             of(rows['cost'], row['machine']))
    yield '};\n\nconst size_t altpick_thread_machine_count =\n'
    yield '    sizeof altpick_thread_machines / sizeof *altpick_thread_machines;\n'


def main(tsv, out):
    with open(out, 'w', encoding='utf-8') as file:
        file.writelines(table_c(read(tsv)))


main(*sys.argv[1:])
