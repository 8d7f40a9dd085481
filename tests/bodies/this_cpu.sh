#!/bin/sh
# Measure this machine, emit what was decided for it alone, and run it as run.sh does.
# usage: this_cpu.sh ALTPICK CHECK HERE
altpick=$1 check=$2 here=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
"$altpick" probe -o "$scratch/profile.json" 2>"$scratch/said"
status=$?
[ $status -ne 3 ] || { cat "$scratch/said"; exit 77; }
[ $status -eq 0 ] || { cat "$scratch/said"; exit 1; }

emit() { # FORMAT FLAVOUR FILE
    "$altpick" emit -f "$1" ${2:+--flavour "$2"} --target this-cpu -o "$scratch/$3" \
        "$scratch/profile.json" 2>/dev/null || { echo "cannot emit $1 $2"; exit 1; }
}
emit header c emitted.h
emit header elf elf.h
emit elf elf64 emitted.o
emit gas '' emitted.inc
grep 'ALTPICK_FPU_INIT\|ALTPICK_KERNEL_FPU_BEGIN_... \|define ALTPICK_REFCOUNT ' "$scratch/emitted.h"
"$here/run.sh" "$check" "$here" "$scratch/emitted.h" decided &&
    "$here/run.sh" "$check" "$here" "$scratch/elf.h" "$scratch/emitted.o" decided &&
    "$here/run.sh" "$check" "$here" "$scratch/elf.h" "$scratch/emitted.inc" decided
