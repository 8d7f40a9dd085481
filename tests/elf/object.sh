#!/bin/sh
# Look at an emitted object with every tool that a build may use on it, link it, run the result.
# usage: object.sh elf64|elf32 OBJECT HEADER DECISIONS ELF_TESTS_DIR HEADER_TESTS_DIR
flavour=$1 object=$(realpath "$2") header=$(realpath "$3") decisions=$(realpath "$4") here=$5 headers=$6
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "FAIL: $*"; cat said 2>/dev/null; exit 1; }

# silent COMMAND...: it succeeds and has nothing to say.
silent() {
    "$@" >out 2>said && [ ! -s said ] || fail "$*"
    ! grep -qi 'warning\|error\|corrupt' out || fail "$*: $(grep -i 'warning\|error\|corrupt' out)"
}
silent "$here/read_object.py" "$object" "$flavour" "$decisions"
silent readelf -aW "$object"
silent objdump -d "$object"
silent nm "$object"
silent strip -o stripped.o "$object"

case $flavour in
elf64) mode='' emulation=elf_x86_64 main=main.c kinds='-static -static-pie -pie -no-pie -shared' ;;
elf32) mode='-m32 -fno-stack-protector' emulation=elf_i386 main=start32.c kinds='-static -no-pie' ;;
esac
for linker in ld ld.lld; do
    command -v $linker >/dev/null || { echo "$linker is not installed"; continue; }
    silent $linker -m $emulation -r "$object" -o again.o
    silent "$here/read_object.py" "$object" "$flavour" "$decisions"
done
# An executable stack would be asked for by an object without .note.GNU-stack.
# shellcheck disable=SC2086
for compiler in 'gcc' 'gcc -fuse-ld=lld' 'clang' 'clang -fuse-ld=lld'; do
    command -v ${compiler%% *} >/dev/null || continue
    case $compiler in *lld) command -v ld.lld >/dev/null || continue ;; esac
    for kind in $kinds; do
        link=$kind pic=-fPIE
        case $kind in
        -shared) pic=-fPIC ;;
        -no-pie | -static) pic=-fno-pie ;;
        esac
        [ $flavour = elf64 ] || link='-nostdlib -static -Wl,--build-id=none'
        silent ${compiler%% *} $mode $pic -O2 -Wall -Wextra -Werror -DALTPICK_EMITTED="\"$header\"" \
            -c "$here/used_elf.c" -o used.o
        silent ${compiler%% *} $mode $pic -c "$headers/$main" -o main.o
        silent $compiler $mode $link main.o used.o "$object" -o program
        readelf -lW program | grep -q 'GNU_STACK.* RWE' && fail "$compiler $kind: executable stack"
        [ "$kind" != -shared ] || continue
        ./program
        status=$?
        [ $status -eq 0 ] || { [ $flavour = elf32 ] && [ $status -eq 126 ]; } ||
            fail "$compiler $kind: the program says $status"
    done
done
