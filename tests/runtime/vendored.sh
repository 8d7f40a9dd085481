#!/bin/sh
# The runtime alone in a folder: it is small, compiles as kernels compile, and needs no library.
# usage: vendored.sh RUNTIME
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cp "$1/patch.h" "$1/patch.c" "$scratch" && cd "$scratch" || exit 1
lines=$(cat patch.h patch.c | wc -l)
[ "$lines" -le 400 ] || { echo "$lines lines"; exit 1; }
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror'
ran=0
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for machine in '-m64 -fno-pie' '-m64 -fPIE' '-m32 -fno-pie' '-m32 -fPIE' \
        '-mcmodel=kernel -mno-red-zone -fno-pie'; do
        for level in -O0 -O1 -O2 -O3 -Os; do
            # shellcheck disable=SC2086
            $compiler $machine $level -std=c11 $warnings -ffreestanding -mgeneral-regs-only \
                -fno-stack-protector -c patch.c -o patch.o || exit 1
            needs=$(nm -u patch.o | awk '{ print $2 }' |
                grep -vxE '__(start|stop)_altpick_(sites|names)|_GLOBAL_OFFSET_TABLE_|__x86.get_pc_thunk.*')
            [ -z "$needs" ] || { echo "$compiler $machine $level needs $needs"; exit 1; }
            # Nothing that changes: what code is patched with may not be patched itself.
            variables=$(nm patch.o | awk '$2 ~ /[BbDd]/ { print $3 }' | grep -vx own_mark)
            [ -z "$variables" ] || { echo "variables: $variables"; exit 1; }
            ran=$((ran + 1))
        done
    done
    printf 'extern "C" {\n#include "patch.h"\n}\nint main() { return 0; }\n' >user.cc
    $compiler -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -c user.cc -o user.o || exit 1
done
[ $ran -gt 0 ] || exit 77
