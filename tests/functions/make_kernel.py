#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write a small ELF image that holds a kernel's own symbol table, and what it should be read as.

usage: make_kernel.py FORM IMAGE TRUTH

TRUTH has a line "symbol ADDRESS TYPE NAME" for each symbol, "table NAME OFFSET BYTES" for each
table (offsets in the file) and "orc START END" for each function of the ORC tables.  The tables are
made from what scripts/kallsyms.c of Linux documents of itself; no code of altpick takes part.
"""
import random
import struct
import sys
from collections import Counter

#       bits  tables in this order; markers' bytes; are addresses below 0 counted down; ORC
FORMS = {
    'linux-4.14': (64, 'offsets base num names markers tokens index', 8, True, True),
    'linux-5.10': (64, 'offsets base num names markers tokens index', 4, True, True),
    'linux-6.2': (64, 'offsets base num names markers seqs tokens index', 4, True, True),
    'linux-6.12': (64, 'num names markers tokens index offsets base seqs', 4, True, True),
    'linux-6.15': (64, 'num names markers tokens index offsets base seqs', 4, False, False),
    'i386-5.10': (32, 'offsets base num names markers tokens index', 4, False, False),
    'i386-6.1': (32, 'offsets base num names markers seqs tokens index', 4, False, False),
    'i386-6.12': (32, 'num names markers tokens index offsets base seqs', 4, False, False),
    'xen': (32, 'offsets num names markers tokens index', 4, False, False),
    'few': (64, 'num names markers tokens index offsets base seqs', 4, True, False),
}
WORDS = 'get put set read write irq page task sched vm tcp x86 __init list rcu lock work'.split()


class Rand(random.Random):
    """What is drawn depends on the form alone."""

    def name(self, used):
        while True:
            name = '_'.join(self.choice(WORDS) for _ in range(self.randint(1, 5)))
            if self.random() < 0.3:
                name += '.%s.%d' % (self.choice(['cold', 'isra', 'part']), self.randint(0, 9))
            if self.random() < 0.02:  # of Rust: more than 127 tokens
                name = ''.join(self.choice('abcdefghijklmnopqrstuvwxyz0123456789_$')
                               for _ in range(self.randint(280, 480)))
            if name not in used or self.random() < 0.1:  # static functions share names
                used.add(name)
                return name


def make_symbols(rand, sections, count, percpu):
    symbols, used = [], set()
    if percpu:
        symbols += [(rand.randrange(0, 0x1000), 'A', rand.name(used)) for _ in range(20)]
    for name, types, share in (('.text', 'tTTttwW', 0.7), ('.init.text', 'tT', 0.1),
                               ('.data', 'dDbBrR', 0.2)):
        address, bytes_ = sections[name]
        for _ in range(int(count * share)):
            at = address + rand.randrange(0, bytes_)
            for _ in range(rand.choice([1, 1, 1, 1, 2, 3])):
                symbols.append((at, rand.choice(types), rand.name(used)))
    text, init = sections['.text'], sections['.init.text']
    symbols += [(text[0], 'T', '_text'), (text[0] + text[1], 'T', '_etext'),
                (init[0], 'T', '_sinittext'), (init[0] + init[1], 'T', '_einittext')]
    return sorted(symbols, key=lambda s: s[0])


def compress(names):
    """Pair encoding: codes that no name uses stand for the most frequent pairs."""
    coded = [list(n.encode()) for n in names]
    tokens = {c: bytes([c]) for n in coded for c in n}
    for code in [c for c in range(256) if c not in tokens][:100]:
        pairs = Counter(p for n in coded for p in zip(n, n[1:]))
        most = max(pairs.values())
        if most < 3:
            break
        a, b = min(pair for pair, count in pairs.items() if count == most)
        tokens[code] = tokens[a] + tokens[b]
        for i, n in enumerate(coded):
            out, at = [], 0
            while at < len(n):
                pair = n[at:at + 2] == [a, b]
                out.append(code if pair else n[at])
                at += 2 if pair else 1
            coded[i] = out
    return [bytes(n) for n in coded], [tokens.get(c, b'') for c in range(256)]


def make_tables(form, symbols, base, rand):
    bits, order, marker_bytes, percpu, _ = FORMS[form]
    word = '<Q' if bits == 64 else '<I'
    coded, tokens = compress([t + n for _, t, n in symbols])
    names, markers = b'', []
    for i, code in enumerate(coded):
        if i % 256 == 0:
            markers.append(len(names))
        n = len(code)
        names += (bytes([n]) if n < 128 else bytes([n & 127 | 128, n >> 7])) + code
    index, table = [], b''
    for token in tokens:
        index.append(len(table))
        table += token + b'\0'
    offsets = b''
    for address, kind, _ in symbols:
        if percpu:
            offsets += struct.pack('<i', address if kind == 'A' else base - 1 - address)
        else:
            offsets += struct.pack('<I', address - base)
    by_name = sorted(range(len(symbols)), key=lambda i: symbols[i][2])
    made = {
        'num': struct.pack('<I', len(symbols)), 'names': names, 'tokens': table,
        'markers': b''.join(struct.pack('<Q', m)[:marker_bytes] for m in markers),
        'index': struct.pack('<256H', *index), 'offsets': offsets, 'base': struct.pack(word, base),
        'seqs': b''.join(struct.pack('>I', i)[1:] for i in by_name),
    }
    align = bits // 8
    # What else a kernel has there: strings, and numbers that ascend but are no index of tokens.
    data = rand.randbytes(1001) + b'ascending\0' + struct.pack('<300H', *range(0, 1500, 5))
    places = {}
    for name in order.split():
        data += b'\0' * (-len(data) % align)
        places[name] = (len(data), len(made[name]))
        data += made[name]
    return data + b'\0' * (-len(data) % 64) + rand.randbytes(500), places


def make_orc(rand, text, ip_at, is_sorted):
    """Functions with a body, most with padding behind; a hole in some, which is no end of them."""
    rows, functions, at = [], [], text[0]
    while at < text[0] + text[1] - 1024:
        start = at
        rows += [(at, 8, 5), (at + 1, 16, 5)]
        at += rand.randint(20, 200)
        if rand.random() < 0.2:  # behind a ud2, unreachable; then the frame goes on
            rows += [(at, 0, 0), (at + 4, 16, 5)]
            at += 8
        rows.append((at, 8, 5))
        at += 1
        if rand.random() < 0.1:  # another follows at once, in the same state: nothing tells
            at += 30
        functions.append((start, at))
        rows.append((at, 0, 0))
        at += 16 + -at % 16
    if not is_sorted:
        rand.shuffle(rows)
    ips = b''.join(struct.pack('<i', a - (ip_at + 4 * i)) for i, (a, _, _) in enumerate(rows))
    return ips, b''.join(struct.pack('<hhH', o, 0, reg | 1 << 8) for _, o, reg in rows), functions


def write_elf(bits, sections):
    """sections: (name, type, flags, address, bytes)"""
    names, data = b'\0', b''
    head = 64 if bits == 64 else 52
    headers = [(0,) * 10]
    for name, kind, flags, address, content in sections + [('.shstrtab', 3, 0, 0, None)]:
        at = len(names)
        names += name.encode() + b'\0'
        content = names if content is None else content
        data += b'\0' * (-(head + len(data)) % 64)
        headers.append((at, kind, flags, address, head + len(data), len(content), 0, 0, 64, 0))
        data += content
    data += b'\0' * (-(head + len(data)) % 8)
    shoff = head + len(data)
    ident = b'\x7fELF' + bytes([2 if bits == 64 else 1, 1, 1]) + b'\0' * 9
    machine, word = (62, 'Q') if bits == 64 else (3, 'I')
    elf = ident + struct.pack('<HHI3' + word + 'I6H', 2, machine, 1, 0, 0, shoff, 0, head, 0, 0,
                              64 if bits == 64 else 40, len(headers), len(headers) - 1)
    row = '<IIQQQQIIQQ' if bits == 64 else '<10I'
    return elf + data + b''.join(struct.pack(row, *h) for h in headers), headers


def main(form, image, truth):
    rand = Rand(form)
    bits, _, _, percpu, orc = FORMS[form]
    start = {'xen': 0x200000}.get(form, 0xffffffff81000000 if bits == 64 else 0xc1000000)
    text, init, data = ((start + at, bytes_) for at, bytes_ in
                        ((0, 0x8000), (0x200000, 0x1230), (0x400000, 0x2000)))
    symbols = make_symbols(rand, {'.text': text, '.init.text': init, '.data': data},
                           9 if form == 'few' else 600, percpu)
    base = {'xen': 0}.get(form, start)
    if form == 'xen':
        symbols.insert(0, (0, 'T', '__image_base__'))
    rodata, places = make_tables(form, symbols, base, rand)
    sections = [('.text', 1, 6, text[0], b'\x90' * text[1]),
                ('.rodata', 1, 2, start + 0x100000, rodata),
                ('.init.text', 1, 6, init[0], b'\x90' * init[1]),
                ('.data', 1, 3, data[0], b'\0' * data[1])]
    if percpu:
        sections.append(('.data..percpu', 1, 3, 0, b'\0' * 0x1000))
    functions = []
    if orc:
        ips, entries, functions = make_orc(rand, text, start + 0x600000,
                                           form != 'linux-4.14')  # before 5.6: sorted at boot
        sections += [('.orc_unwind_ip', 1, 2, start + 0x600000, ips),
                     ('.orc_unwind', 1, 2, start + 0x700000, entries)]
    elf, headers = write_elf(bits, sections)
    with open(image, 'wb') as f:
        f.write(elf)
    with open(truth, 'w') as f:
        for symbol in symbols:
            f.write('symbol %016x %s %s\n' % symbol)
        for name, (at, bytes_) in places.items():
            f.write('table %s %d %d\n' % (name, headers[2][4] + at, bytes_))
        for function in functions:
            f.write('orc %016x %016x\n' % function)


if __name__ == '__main__':
    main(*sys.argv[1:])
