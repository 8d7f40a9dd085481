#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the veto against a second derivation: every composition of a length is tried.

usage: veto.py NOPS.tsv ELSEWHERE-PROGRAM
       veto.py NOPS.tsv ALTPICK emitted PROFILE...

With "emitted", checks the headers for a general target that ALTPICK emits: without a profile, for
every published CPU, and for each PROFILE of one machine.  Shares nothing with the script that generates the tables.  Integers are thousandths of a cycle,
doubled so that the mean of two is whole.
"""
import csv
import itertools
import re
import subprocess
import sys


def read(path):
    with open(path, newline='', encoding='utf-8') as file:
        return list(csv.DictReader((l for l in file if l[0] != '#'), delimiter='\t'))


def doubled_median(cells):
    values = sorted(round(float(c) * 1000) for c in cells if c != '-' and float(c) >= 0.1)
    if not values:
        return None
    return values[(len(values) - 1) // 2] + values[len(values) // 2]


def cores(rows):
    """One {form: doubled millicycles} per vendor, signature and core type."""
    rows = sorted(rows, key=lambda r: (r['vendor'], r['signature'], r['core']))
    for _, dumps in itertools.groupby(rows, lambda r: (r['vendor'], r['signature'], r['core'])):
        dumps = list(dumps)
        costs = {f: doubled_median([d[f] for d in dumps]) for f in dumps[0] if is_form(f)}
        yield {f: c for f, c in costs.items() if c is not None}


def is_form(column):
    return column.endswith('90') or column.startswith(('0f1f', '66'))


def partitions(total, largest):
    """Every multiset of pieces of at most @largest bytes that makes @total bytes."""
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def toxic_forms(rows):
    toxic = set()
    for costs in cores(rows):
        cheapest = {}
        for form, cost in costs.items():
            n = len(form) // 2
            cheapest[n] = min(cheapest.get(n, cost), cost)
        for form, cost in costs.items():
            n = len(form) // 2
            best = min(sum(cheapest[p] for p in pieces) for pieces in partitions(n, n)
                       if all(p in cheapest for p in pieces))
            if cost > 2 * best and cost - best > 2000:
                toxic.add(form)
    return toxic


def spellings(form):
    """@form and the unpublished ones that take its figures: any prefix written as 2E."""
    body = form.lstrip('6') if not form.endswith('90') else '90'
    n_prefixes = (len(form) - len(body)) // 2
    for changed in range(n_prefixes + 1):
        yield '66' * (n_prefixes - changed) + '2e' * changed + body
        yield '2e' * changed + '66' * (n_prefixes - changed) + body


NOT_PUBLISHED = [
    'f390', 'eb00', 'eb0690909090', 'c3', '0f1fc0', '0f1f48', '0f1f08', '660f1f00', '0f0f', '0f',
    '66', '2e', '6690f390', '0f1f0f1f00', '4890', 'f30f1efa', '0f1f40', '0f1f4400', '0f1f05000000',
    '66' * 15 + '90', '66' * 8 + '0f1f840000000000', '0f1f0425000000', '26' + '0f1f00',
]
ALSO_PUBLISHED = {
    '0f1f4001': '0f1f4000', '0f1f4424ff': '0f1f440000', '0f1f0500000000': '0f1f8000000000',
    '0f1f042500000000': '0f1f840000000000', '0f1f8424aabbccdd': '0f1f840000000000',
}


def cases(forms, toxic):
    """(code, expected) pairs."""
    word = {f: 'toxic' if f in toxic else 'fine' for f in forms}
    yield '', 'unknown'
    for code in NOT_PUBLISHED:
        yield code, 'unknown'
    for code, form in ALSO_PUBLISHED.items():
        yield code, word[form]
    for form in forms:
        for code in spellings(form):
            yield code, word[form]
    for a, b in itertools.product(forms, repeat=2):
        yield a + b, 'toxic' if 'toxic' in (word[a], word[b]) else 'fine'
    short = [f for f in forms if len(f) <= 20][::3]
    for parts in itertools.product(short, repeat=3):
        yield ''.join(parts), 'toxic' if any(p in toxic for p in parts) else 'fine'


def kept_forms(rows):
    forms = [c for c in rows[0] if is_form(c)]
    toxic = toxic_forms(rows)
    kept = [f for f in forms if f not in toxic]
    assert max(len(f) // 2 for f in kept if f.endswith('90')) == 4, kept
    assert max(len(f) // 2 for f in kept if not f.endswith('90')) == 10, kept
    return forms, toxic, kept


def split_nops(code):
    """The single NOPs of @code, as published forms: 2E stands for 66, operands for zeroes."""
    found = []
    while code:
        head = re.match('(?:66|2e)*', code).group()
        rest = code[len(head):]
        if rest.startswith('90'):
            body = '90'
        elif rest.startswith('0f1f'):
            body = next((b for b in ['0f1f00', '0f1f4000', '0f1f440000', '0f1f8000000000',
                                     '0f1f840000000000'] if rest.startswith(b)), None)
        else:
            body = None
        assert body, f'{code} begins with no NOP'
        found.append('66' * (len(head) // 2) + body)
        code = code[len(head) + len(body):]
    return found


def read_header(text):
    """({bytes: code}, {name: number}) of a C header; gaps are listed with the lengths."""
    codes = {}
    text = text.replace('\\\n', ' ')
    for name, data in re.findall(r'#define ALTPICK_(NOP(?:_GAP)?\d+) (.*)', text):
        codes[name] = ''.join(re.findall('0x([0-9a-f]{2})', data))
        assert len(codes[name]) == 2 * int(re.sub(r'\D', '', name)), name
    return codes, {k: int(v) for k, v in re.findall(r'#define ALTPICK_NOP_([A-Z_]+) (\d+)', text)}


def check_header(text, kept):
    """What the veto implies for a header; returns its longest NOP."""
    codes, numbers = read_header(text)
    longest = max(len(f) // 2 for f in kept)
    prefixes = max(f.count('66') for f in kept if f.endswith('0f1f840000000000'))
    for n in range(1, numbers['TABLE_MAX'] + 1):
        assert f'NOP{n}' in codes, f'no NOP{n}'
    for name, code in codes.items():
        for nop in split_nops(code):
            assert nop in kept, f'{name} holds {nop}, which is toxic somewhere'
    assert numbers['MAX'] <= longest, f'longest NOP {numbers["MAX"]}, not {longest}'
    assert numbers['PREFIX_LIMIT'] <= prefixes, f'{numbers["PREFIX_LIMIT"]} prefixes'
    return numbers['MAX'], longest


def machine_names(rows):
    """What altpick must call the published cores."""
    seen = {}
    for row in rows:
        eax = int(row['signature'], 16)
        base, model = eax >> 8 & 15, eax >> 4 & 15
        family = base + (eax >> 20 & 255 if base == 15 else 0)
        model += eax >> 16 - 4 & 0xf0 if base in (6, 15) else 0
        seen.setdefault((row['vendor'], eax, row['core']),
                        f'{row["vendor"]}-{family}-{model}-{eax & 15}-{row["name"]}')
    return list(seen.values())


def check_emitted(tsv, altpick, profiles):
    rows = read(tsv)
    kept = kept_forms(rows)[2]
    cases = [[]] + [['--machine', name] for name in machine_names(rows)] + [[p] for p in profiles]
    for case in cases:
        text = subprocess.run([altpick, 'emit', '-f', 'header', *case], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        try:
            used, longest = check_header(text, kept)
            # Published figures of single NOPs give no reason to stay below what the veto allows.
            assert used == longest or case[0:1] not in ([], ['--machine']), f'only {used} bytes'
        except AssertionError as error:
            sys.exit(f'{" ".join(case) or "no profile"}: {error}')
    print(f'{len(cases)} headers of NOPs up to {longest} bytes, none of them toxic anywhere')


def check_elsewhere(tsv, program):
    forms, toxic, _ = kept_forms(read(tsv))
    expected = list(cases(forms, toxic))

    got = subprocess.run([program], input=''.join(code + '\n' for code, _ in expected), text=True,
                         check=True, stdout=subprocess.PIPE).stdout.split()
    assert len(got) == len(expected), f'{len(got)} answers to {len(expected)} questions'
    wrong = [(c, want, is_) for (c, want), is_ in zip(expected, got) if want != is_]
    for code, want, is_ in wrong[:20]:
        print(f'{code}: {is_} instead of {want}')
    print(f'{len(forms)} forms, {len(toxic)} toxic, {len(expected)} codes, {len(wrong)} wrong')
    sys.exit(bool(wrong))


if sys.argv[3:4] == ['emitted']:
    check_emitted(sys.argv[1], sys.argv[2], sys.argv[4:])
else:
    check_elsewhere(*sys.argv[1:])
