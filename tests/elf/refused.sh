#!/bin/sh
# Objects with malformed tables: refused, with section, record and reason.
# usage: refused.sh ALTPICK
altpick=$(realpath "$1")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0

# refused TEXT COMMAND: altpick COMMAND refuses the source on standard input with TEXT.
refused() {
    gcc -c -x assembler -o object - || exit 1
    if "$altpick" "$2" object >out 2>err || ! grep -qF "$1" err || [ -s out ]; then
        echo "FAIL: no '$1':"
        cat out err
        status=1
    fi
}

refused '.smp_locks: record 1 at offset 0x4: two relocations fill it' inspect <<'SOURCE'
    .text
1:  lock; incl (%rax)
    .section .smp_locks, "a"
    .long 0, 0
    .reloc 4, R_X86_64_PC32, 1b
    .reloc 4, R_X86_64_PC32, 1b
    .reloc 0, R_X86_64_PC32, 1b
SOURCE
refused '.smp_locks: record 0 at offset 0: its place is not in code' inspect <<'SOURCE'
    .text
1:  nop
    .section .smp_locks, "a"
    .long 1b + 1 - .
SOURCE
refused '.smp_locks: 6 bytes are no whole number of places' inspect <<'SOURCE'
    .section .smp_locks, "a"
    .fill 6
SOURCE
refused '.static_call_sites: 12 bytes are no whole number of records of 8 bytes' inspect <<'SOURCE'
    .section .static_call_sites, "a"
    .fill 12
SOURCE
refused 'runtime_ptr_x: 5 bytes are no whole number of records of 4 bytes' inspect <<'SOURCE'
    .section runtime_ptr_x, "a"
    .fill 5
SOURCE
refused 'record 0 at offset 0: replacement: two relocations fill it' inspect <<'SOURCE'
    .text
1:  nop
2:  cli
    .section .altinstructions, "a"
    .long 1b - .
    .long 2b - .
    .reloc 4, R_X86_64_PC32, 1b
    .word 1
    .byte 1, 1
SOURCE
exit $status
