#!/bin/sh
# Link records of a list with records of <altpick/site.h>, and let the runtime patch both.
# usage: listed.sh COMPILER 64|32 HERE INCLUDE RUNTIME HEADER_TESTS EMIT_FIXTURE OBJECT
compiler=$1 bits=$2 here=$3 include=$4 runtime=$5 headers=$6
emit=$(realpath "$7") object=$(realpath "$8")
command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "FAIL: $compiler -m$bits $*"; cat said 2>/dev/null; exit 1; }

cat >list <<END
listed_inc 40 refcount.inc -   pad=37
listed_gap 24 nop.fill.$bits - pad=24
END
"$emit" default elf "elf$bits" altpick list >table.o || fail 'no table'

# A 32-bit program has no library here: it is linked without, and started by start32.c.
machine=-m64 main=main link='' kinds='-pie -no-pie -static-pie' emulation=elf_x86_64
[ "$bits" = 64 ] || {
    machine='-m32 -ffreestanding -fno-stack-protector' main=start32
    link='-nostdlib -static -Wl,--build-id=none' kinds=-static emulation=elf_i386
}
# try OPTION... -- OBJECT...: link these, and run what comes out.
try() {
    options=''
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    # shellcheck disable=SC2086
    $compiler $machine $link $kind $options "$@" patch.o "$main.o" "$object" -o program >said 2>&1 ||
        fail "$kind $options $*"
    [ ! -s said ] || fail "$kind $options $*: not silent"
    ./program
    status=$?
    [ $status -eq 0 ] || { [ "$bits" = 32 ] && [ $status -eq 126 ]; } ||
        fail "$kind $options $*: the program says $status"
}
tried=0
for kind in $kinds; do
    pic=-fPIE
    case $kind in -no-pie | -static) pic=-fno-pie ;; esac
    for source in "$here/listed.c" "$here/listed.S" "$runtime/patch.c" "$headers/$main.c"; do
        name=$(basename "$source")
        [ "$name" != listed.S ] || name=assembly.S
        # shellcheck disable=SC2086
        $compiler $machine $pic -O2 -Wall -Wextra -Werror -Wno-unused-command-line-argument -mno-red-zone \
            -ffunction-sections -I"$include" -I"$runtime" -c "$source" -o "${name%.*}.o" 2>said || fail "$source"
    done
    for linker in ld ld.lld; do
        command -v $linker >/dev/null || continue
        use=''
        [ $linker = ld ] || use=-fuse-ld=lld
        # The table on either side of the records that a compiler made, or one object with them.
        $linker -m $emulation -r listed.o table.o assembly.o -o merged.o >said 2>&1 || fail "$linker -r"
        for gc in '' '-Wl,--gc-sections' '-Wl,--gc-sections -Wl,-z,start-stop-gc' \
            '-Wl,--gc-sections -Wl,-z,nostart-stop-gc'; do
            # shellcheck disable=SC2086
            {
                try $use $gc -- listed.o assembly.o table.o
                try $use $gc -- table.o assembly.o listed.o
                try $use $gc -- merged.o
            }
            tried=$((tried + 1))
        done
    done
done
[ $tried -gt 0 ] || exit 77
