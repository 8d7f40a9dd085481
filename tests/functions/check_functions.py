#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the functions that altpick finds with what make_kernel.py put into an image.

usage: check_functions.py DUMP IMAGE TRUTH SCRATCH

Then damage each table in turn: a table with an error anywhere is none, and bounds come from the ORC
tables, or there are no functions.
"""
import os
import struct
import subprocess
import sys

CODE = 'tTwW'


class Truth:
    def __init__(self, path):
        self.symbols, self.tables, self.orc = [], {}, []
        for kind, *rest in (line.split() for line in open(path)):
            if kind == 'symbol':
                self.symbols.append((int(rest[0], 16), rest[1], rest[2]))
            elif kind == 'table':
                self.tables[rest[0]] = (int(rest[1]), int(rest[2]))
            else:
                self.orc.append((int(rest[0], 16), int(rest[1], 16) - int(rest[0], 16), '-'))


class Image:
    def __init__(self, path):
        self.data = bytearray(open(path, 'rb').read())
        self.bits = 64 if self.data[4] == 2 else 32
        at, = struct.unpack_from('<Q' if self.bits == 64 else '<I', self.data,
                                 40 if self.bits == 64 else 32)
        size, n = struct.unpack_from('<HH', self.data, 58 if self.bits == 64 else 46)
        form = '<IIQQQQ' if self.bits == 64 else '<6I'
        rows = [struct.unpack_from(form, self.data, at + i * size) for i in range(n)]
        self.code = [(r[3], r[3] + r[5]) for r in rows if r[1] == 1 and r[2] & 6 == 6]

    def section_end(self, address):
        return next((end for start, end in self.code if start <= address < end), None)


def run(dump, what, *args):
    done = subprocess.run([dump, what, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr


def functions_of(dump, *args):
    status, lines, error = run(dump, 'functions', *args)
    assert status == 0, error
    fields = [line.split() for line in lines]
    return [(int(f[0], 16), int(f[1]), f[3]) for f in fields]


def expected(image, symbols):
    by_address = {}
    for address, kind, name in symbols:
        if kind in CODE and image.section_end(address):
            by_address.setdefault(address, []).append(({'T': 0, 'W': 1, 'w': 1}.get(kind, 2), name))
    starts = sorted(by_address)
    functions = []
    for at, after in zip(starts, starts[1:] + [1 << 64]):
        best = min(rank for rank, _ in by_address[at])
        name = next(name for rank, name in by_address[at] if rank == best)
        functions.append((at, min(after, image.section_end(at)) - at, name))
    return functions


def damages(image, truth):
    """(what, offset, new bytes)"""
    at = {name: place[0] for name, place in truth.tables.items()}
    end = {name: sum(place) for name, place in truth.tables.items()}
    n = len(truth.symbols)
    marker = 8 if truth.tables['markers'][1] == (n + 255) // 256 * 8 else 4
    peek = lambda place, form: struct.unpack_from(form, image.data, place)[0]
    for value in (n + 1, n - 1, 0, 0xffffffff):
        yield 'num', at['num'], struct.pack('<I', value)
    yield 'names: longer first', at['names'], bytes([peek(at['names'], 'B') + 1])
    yield 'names: empty first', at['names'], b'\0'
    yield 'names: endless first', at['names'], b'\xff\xff'
    yield 'markers: first', at['markers'], b'\1'
    last = end['markers'] - marker
    yield 'markers: last', last, struct.pack('<I', peek(last, '<I') + 1)
    yield 'tokens: joined', image.data.index(0, at['tokens']), b'x'
    yield 'tokens: control character', at['tokens'] + peek(at['index'] + 2 * 97, '<H'), b'\n'
    yield 'index: first', at['index'], b'\1'
    yield 'index: one', at['index'] + 200, struct.pack('<H', peek(at['index'] + 200, '<H') + 1)
    first, last = at['offsets'], end['offsets'] - 4
    yield 'offsets: first last', first, image.data[last:last + 4]
    yield 'offsets: last first', last, image.data[first:first + 4]
    yield 'offsets: far', last, b'\xff\xff\xff\x7f'
    if 'base' in at:
        yield 'base: nowhere', at['base'], struct.pack('<I', 0x1234567)
        yield 'base: elsewhere', at['base'], struct.pack('<I', peek(at['base'], '<I') ^ 0x40000000)
    if 'seqs' in at:
        yield 'seqs: no symbol', at['seqs'], struct.pack('>I', n)[1:]
        yield 'seqs: twice', at['seqs'] + 2, bytes([image.data[at['seqs'] + 2] ^ 1])
    for name in at:  # padding that is none
        if end[name] % (image.bits // 8) and name in ('names', 'markers', 'tokens', 'seqs'):
            if name != 'seqs' or 'num' not in at or at['seqs'] < at['tokens']:
                yield 'padding of ' + name, end[name], b'\5'


def check_damages(dump, image, truth, scratch):
    path = os.path.join(scratch, 'damaged.elf')
    n = 0
    for what, at, data in damages(image, truth):
        damaged = bytearray(image.data)
        assert damaged[at:at + len(data)] != data, what
        damaged[at:at + len(data)] = data
        open(path, 'wb').write(damaged)
        status, lines, error = run(dump, 'source', path)
        assert status == 0, (what, error)
        wanted = 'ORC table %d' % len(truth.orc) if truth.orc else 'none 0'
        assert lines == [wanted], (what, lines, wanted)
        assert functions_of(dump, path) == truth.orc, what
        n += 1
    return n


def check_maps(dump, image_path, image, truth, scratch):
    path = os.path.join(scratch, 'System.map')

    def refused(text, *parts):
        open(path, 'w', encoding='latin-1').write(text)
        status, _, error = run(dump, 'source', image_path, path)
        assert status == 1 and all(p in error for p in parts), (text[-60:], parts, error)

    lines = ['%016x %s %s\n' % s for s in truth.symbols]
    good = ''.join(lines)
    undefined, module = '                 U elsewhere\n', 'ffffffffc0000000 t f\t[module]\n'
    open(path, 'w').write(undefined + good + module)
    assert functions_of(dump, image_path, path) == expected(image, truth.symbols)
    open(path, 'w').write(''.join(reversed(lines)).rstrip('\n'))
    assert [f[:2] for f in functions_of(dump, image_path, path)] == \
        [f[:2] for f in expected(image, truth.symbols)]
    for bad in ('', 'xyz T f', '0123456789abcdef0 T f', 'c1000000 T', 'c1000000 T ', 'c1000000  T f',
                'c1000000 TT f', 'c1000000 T f g', 'c1000000 T f\r', 'c1000000 T f\t[m', 'f T',
                'c1000000 T f\0g', '  T f', ' U', 'c1000000 1 f'):
        refused(good + bad + '\n' + good, '%s:%d: ' % (path, len(lines) + 1))
    refused('', path, 'no symbol of code')
    refused('0000000000000000 T f\n', path, 'root')
    refused('0000000000000004 T f\n', path, 'none of its symbols')
    refused('ffffffffffffffff B The real System.map is in another package\n', path + ':1: ')
    moved = ''.join('%016x %s %s\n' % (a + 0x1000000, t, n) for a, t, n in truth.symbols)
    refused(moved, path, '_text', 'KASLR')
    end = image.code[0][1]
    refused(good.replace('%016x T _etext' % end, '%016x T _etext' % (end - 9)), '_etext')


def main(dump, image_path, truth_path, scratch):
    os.makedirs(scratch, exist_ok=True)
    truth, image = Truth(truth_path), Image(image_path)
    status, lines, error = run(dump, 'names', image_path)
    assert status == 0, error
    wanted = ['%016x %s %s' % s for s in truth.symbols if s[1] in CODE and image.section_end(s[0])]
    assert lines == wanted, [p for p in zip(lines, wanted) if p[0] != p[1]][:3]
    assert functions_of(dump, image_path) == expected(image, truth.symbols)
    assert run(dump, 'source', image_path)[1][0].startswith('kallsyms ')
    check_maps(dump, image_path, image, truth, scratch)
    n = check_damages(dump, image, truth, scratch)
    print('%d symbols of code, %d kinds of damage' % (len(wanted), n))


if __name__ == '__main__':
    main(*sys.argv[1:])
