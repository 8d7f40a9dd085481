#!/bin/sh
# A table of sites: read by every tool, linked by every linker with a consumer, applied by an engine.
# usage: sites.sh EMIT_FIXTURE FIXTURE LAYOUT elf64|elf32 DECISIONS HERE HEADER_TESTS_DIR
emit=$(realpath "$1") fixture=$2 layout=$3 flavour=$4 decisions=$(realpath "$5") here=$6 headers=$7
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "FAIL: $*"; cat said 2>/dev/null; exit 1; }

# silent COMMAND...: it succeeds and has nothing to say.
silent() {
    "$@" >out 2>said && [ ! -s said ] || fail "$*"
    ! grep -qi 'warning\|error\|corrupt' out || fail "$*: $(grep -i 'warning\|error\|corrupt' out)"
}
export PYTHONDONTWRITEBYTECODE=1
"$here/make_list.py" "$layout" "$flavour" "$fixture" >list || fail 'no list'
"$emit" "$fixture" elf "$flavour" "$layout" list >table.o || fail 'no object'
"$emit" "$fixture" elf "$flavour" "$layout" - <list | cmp - table.o || fail 'standard input differs'
silent "$here/read_sites.py" table.o "$layout" "$flavour" list "$decisions"
silent readelf -aW table.o
silent objdump -dr table.o
silent nm table.o
silent strip -o stripped.o table.o # of everything, with which no object can be linked
silent strip --strip-unneeded -o stripped.o table.o

case $flavour in
elf64) mode='' emulation=elf_x86_64 main=main.c kinds='-static -static-pie -pie -no-pie' ;;
elf32) mode='-m32 -ffreestanding -fno-stack-protector' emulation=elf_i386 main=start32.c kinds='-static' ;;
esac
[ "$fixture" = default ] || kinds=${kinds##* }
script='' runs=''
if [ "$layout" = altpick ]; then
    "$here/make_items.py" "$flavour" list "$decisions" >items.h || fail 'no items'
else
    script=-Wl,-T,$here/layout.ld
fi
[ "$fixture" != default ] || runs=-DRUN_FPU
for linker in ld ld.lld; do
    command -v $linker >/dev/null || { echo "$linker is not installed"; continue; }
    silent $linker -m $emulation -r table.o -o again.o
    readelf -rW table.o | grep -c PC32 >before
    readelf -rW again.o | grep -c PC32 | cmp - before || fail "$linker -r loses relocations"
done

# compile COMPILER PIC: each of the consumer's objects stands on another side of the table.
# shellcheck disable=SC2086
compile() {
    cc="$1 $mode $2 -I. -I$here -DALTPICK_TEST_LAYOUT=LAYOUT_$layout"
    silent $cc -c -DCONSUMER_FIRST "$here/consumer.S" -o first.o
    silent $cc -c -DCONSUMER_LAST "$here/consumer.S" -o last.o
    silent $cc -O1 -fno-builtin -Wall -Wextra -Werror -c "$here/engine.c" -o engine.o
    silent $cc -O1 -fno-builtin -Wall -Wextra -Werror $runs -c "$here/run.c" -o run.o
    silent $cc -c "$headers/$main" -o main.o
}

# try COMMAND...: link the objects with this, and run what comes out.
try() {
    silent "$@" -o program
    readelf -lW program | grep -q 'GNU_STACK.* RWE' && fail "$*: executable stack"
    ./program >printed
    status=$?
    if [ $flavour = elf32 ] && [ $status -eq 126 ]; then
        echo 'this system runs no 32-bit programs'
        return
    fi
    [ $status -eq 0 ] || { tail -1 printed; fail "$*: status $status"; }
    silent "$here/expect.py" printed "$layout" "$flavour" list "$decisions"
}

# shellcheck disable=SC2086
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for kind in $kinds; do
        pic=-fPIE link=$kind
        case $kind in
        -no-pie | -static) pic=-fno-pie ;;
        esac
        [ $flavour = elf64 ] || link='-nostdlib -static -Wl,--build-id=none'
        compile $compiler $pic
        for linker in '' -fuse-ld=lld; do
            [ -z "$linker" ] || command -v ld.lld >/dev/null || continue
            try $compiler $linker $mode $link $script main.o first.o table.o last.o engine.o run.o
        done
    done
done
# shellcheck disable=SC2086
for object in stripped.o again.o; do
    try $compiler $mode $link $script main.o first.o $object last.o engine.o run.o
done

# Sections that nothing refers to are dropped, but not a table that is looked for by its bounds.
# shellcheck disable=SC2086
if [ "$layout" = altpick ]; then
    compile gcc "-ffunction-sections $pic"
    for option in '' '-fuse-ld=lld -Wl,-z,start-stop-gc'; do
        [ -z "$option" ] || command -v ld.lld >/dev/null || continue
        try gcc $option -Wl,--gc-sections $mode $link main.o first.o table.o last.o engine.o run.o
    done
fi
exit 0
