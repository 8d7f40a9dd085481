#!/bin/sh
# Run the bodies of 32-bit code on an emulated CPU without SSE, and on one with it.
# usage: no_sse.sh HERE HEADER_TESTS_DIR HEADER
here=$1 headers=$2 header=$(realpath "$3")
command -v qemu-i386 >/dev/null || { echo 'qemu-i386 is not installed'; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

build() { # PROGRAM OPTION...
    program=$1
    shift
    "$@" -m32 -march=pentium -O2 -fno-pie -fno-stack-protector -nostdlib -static \
        -Wl,--build-id=none -Wall -Wextra -Werror "-DALTPICK_EMITTED=\"$header\"" \
        "$headers/start32.c" "$here/no_sse.c" -o "$scratch/$program" || exit 1
}
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    build without $compiler -DALTPICK_TEST_HAS_SSE=0
    build with $compiler -DALTPICK_TEST_HAS_SSE=1
    build bare $compiler -DALTPICK_TEST_HAS_SSE=1 -DALTPICK_TEST_BARE
    qemu-i386 -cpu pentium2 "$scratch/without" || { echo "$compiler: fails without SSE"; exit 1; }
    qemu-i386 -cpu pentium3 "$scratch/with" || { echo "$compiler: fails with SSE"; exit 1; }
    # The control: there is a CPU here that does not know LDMXCSR.
    qemu-i386 -cpu pentium2 "$scratch/bare" 2>"$scratch/said" &&
        { echo 'LDMXCSR runs without SSE'; exit 1; }
    grep -q 'Illegal instruction\|signal 4' "$scratch/said" || { cat "$scratch/said"; exit 1; }
done
exit 0
