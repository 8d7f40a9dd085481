#!/bin/sh
# Assemble records of one project, as an object and linked.
# usage: assemble.sh OBJECT LINKED HERE SOURCE BITS LAYOUT [DEFINE...]
object=$1 linked=$2 here=$3 source=$4 bits=$5 layout=$6
shift 6
case $bits in
64) emulation=elf_x86_64 ;;
32) emulation=elf_i386 ;;
esac
bytes=$(echo "$layout" | tr -cd 0-9)
set -e
gcc "-m$bits" "-DLAYOUT=${bytes:-0}" "$@" -c "$here/$source.S" -o "$linked.o"
ld -m $emulation -T "$here/link.ld" "$linked.o" -o "$linked"
gcc "-m$bits" "-DLAYOUT=${bytes:-0}" -DOBJECT "$@" -c "$here/$source.S" -o "$object"
rm "$linked.o"
