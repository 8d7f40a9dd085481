#!/bin/sh
# Make an assembler file that holds a boot program, less what is not loaded but its entry's symbol.
# usage: embed_program.sh OBJCOPY SYMBOL PROGRAM STRIPPED OUTPUT
set -e
symbol=$2
"$1" --strip-all --keep-symbol=boot_entry64 "$3" "$4"
path=$(cd "$(dirname "$4")" && pwd)/$(basename "$4")
cat >"$5" <<END
    .section .rodata
    .balign 16
    .globl ${symbol}, ${symbol}_end
    .hidden ${symbol}, ${symbol}_end
$symbol:
    .incbin "$path"
${symbol}_end:
    .section .note.GNU-stack, "", @progbits
END
