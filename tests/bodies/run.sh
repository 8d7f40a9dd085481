#!/bin/sh
# Compile everything that runs of an emitted header in many ways, and run it between a filled state
# and a look at what is left of it.
# usage: run.sh CHECK HERE HEADER [OBJECT|INCLUDE.inc] [decided]
check=$1 here=$2 header=$(realpath "$3")
shift 3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
object='' decided=''
for argument; do
    case $argument in
    decided) decided=decided ;;
    *) object=$(realpath "$argument") ;;
    esac
done
emitted="-DALTPICK_EMITTED=\"$header\""

compile() { # OPTION...
    # shellcheck disable=SC2086
    "$@" -fPIC -Wall -Wextra -Werror "$emitted" -c "$here/module.c" -o "$scratch/module.o" || return 1
    case $object in
    '')
        "$1" -fPIC -O2 -Wall -Wextra -Werror "$emitted" -c "$here/module32.c" \
            -o "$scratch/more.o" ;;
    *.inc)
        "$1" "-DALTPICK_INCLUDE=\"$object\"" -c "$here/gas.S" -o "$scratch/more.o" ;;
    *) cp "$object" "$scratch/more.o" ;;
    esac
}

elf='' ran=0
[ -z "$object" ] || elf=-DALTPICK_TEST_ELF
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "$compiler is not installed"; continue; }
    for options in -O0 -O2 '-O2 -mno-red-zone -mgeneral-regs-only' '-O2 -mno-sse' \
        '-O2 -mavx512f -mavx512bw -mavx512vl' '-Os -fno-omit-frame-pointer'; do
        # shellcheck disable=SC2086
        compile $compiler $options $elf &&
            $compiler -shared "$scratch/module.o" "$scratch/more.o" -o "$scratch/module.so" &&
            "$check" "$scratch/module.so" $decided ||
            { echo "failed: $compiler $options"; exit 1; }
        ran=$((ran + 1))
    done
done
[ $ran -gt 0 ] || exit 77
