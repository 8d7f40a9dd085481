#!/bin/sh
# Values in registers live through the functions of an emitted header.
# usage: kept.sh HERE HEADER
here=$1 header=$(realpath "$2")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

try() { # WIDTH FLAG-OF-CPU OPTION...
    width=$1 flag=$2
    shift 2
    grep -qw "$flag" /proc/cpuinfo || { echo "no $flag here"; return; }
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        for level in -O1 -O2 -O3; do
            $compiler "$@" $level -Wall -Wextra -Werror "-DALTPICK_EMITTED=\"$header\"" \
                -DALTPICK_TEST_WIDTH="$width" "$here/kept.c" -o "$scratch/kept" &&
                "$scratch/kept" || { echo "failed: $compiler $level $*"; exit 1; }
        done
    done
}
try 16 sse2
try 32 avx2 -mavx2
try 64 avx512f -mavx512f -mprefer-vector-width=512
exit 0
