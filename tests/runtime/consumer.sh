#!/bin/sh
# Build a program that patches itself in the ways that programs are linked, and run it.
# usage: consumer.sh COMPILER 64|32 HERE INCLUDE RUNTIME HEADER_TESTS HEADER OBJECT OTHER_OBJECT
compiler=$1 bits=$2 here=$3 include=$4 runtime=$5 headers=$6
header=$(realpath "$7") object=$(realpath "$8") other=$(realpath "$9")
command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "FAIL: $compiler -m$bits $*"; cat said 2>/dev/null; exit 1; }

# A 32-bit program has no library here: it is linked without, and started by start32.c.
machine=-m64 main=$headers/main.c link='' kinds='-pie -no-pie -static-pie'
[ "$bits" = 64 ] || {
    machine='-m32 -ffreestanding -fno-stack-protector' main=$headers/start32.c
    link='-nostdlib -static -Wl,--build-id=none' kinds=-static
}
# A second set of decisions, under other names.
objcopy --redefine-sym altpick_patch_table=other_patch_table \
    --redefine-sym altpick_patch_table_bytes=other_patch_table_bytes \
    --keep-global-symbol=other_patch_table --keep-global-symbol=other_patch_table_bytes \
    "$other" other.o || fail objcopy

for linker in '' -fuse-ld=lld; do
    [ -z "$linker" ] || command -v ld.lld >/dev/null || continue
    for level in -O0 -O2 '-O2 -flto'; do
        case $compiler$linker$level in gcc-fuse-ld=lld*lto) continue ;; esac
        for kind in $kinds; do
            pic=-fPIE
            case $kind in -no-pie | -static) pic=-fno-pie ;; esac
            for source in "$here/consumer.c" "$runtime/patch.c" "$main" "$here/handmade.S"; do
                name=$(basename "$source")
                # shellcheck disable=SC2086
                $compiler $machine $level $pic -Wall -Wextra -Werror -Wno-unused-command-line-argument \
                    -mno-red-zone -ffreestanding -I"$include" -I"$runtime" \
                    "-DALTPICK_EMITTED=\"$header\"" -c "$source" -o "${name%.*}.o" 2>said ||
                    fail "$level $pic $source"
            done
            # shellcheck disable=SC2086
            $compiler $machine $linker $level $link $kind consumer.o patch.o handmade.o other.o \
                "$object" "$(basename "${main%.c}").o" -o program >said 2>&1 || fail "$linker $level $kind"
            ./program
            status=$?
            [ $status -eq 0 ] || { [ "$bits" = 32 ] && [ $status -eq 126 ]; } ||
                fail "$linker $level $kind: the program says $status"
        done
    done
done
