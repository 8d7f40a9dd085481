#!/bin/sh
# Build a program with sites in every way that an image may be built, list its records, run it.
# usage: sites.sh COMPILER 64|32 HERE INCLUDE RUNTIME HEADER_TESTS
compiler=$1 bits=$2 here=$3 include=$4 runtime=$5 headers=$6
command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "FAIL: $compiler -m$bits $linker $*"; cat said listed 2>/dev/null; exit 1; }

warnings='-Wall -Wextra -Wpedantic -Wundef -Wshadow -Werror'
includes="-I$include -I$runtime"
# A 32-bit program has no library here: it is linked without, and started by start32.c.
machine=-m64 main=$headers/main.c link='' flags=0
[ "$bits" = 64 ] || {
    machine='-m32 -ffreestanding -fno-stack-protector' main=$headers/start32.c flags=1
    link='-nostdlib -static -Wl,--build-id=none'
}

compile() { # OUTPUT SOURCE OPTION...
    output=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler $machine $warnings $includes "$@" -c "$source" -o "$output" 2>said || fail "$source $*"
}
build_all() { # OPTION...: of the compiler
    compile sites.o "$here/sites.c" "$@"
    compile elsewhere.o "$here/sites.c" -DELSEWHERE "$@"
    compile assembly.o "$here/sites_asm.S"
    compile use.o "$here/use_sites.c" "$@"
    compile none.o "$here/use_sites.c" -DNO_SITES "$@"
    compile patch.o "$runtime/patch.c" "$@"
    compile main.o "$main" "$@"
}
link_all() { # OUTPUT OPTION... -- OBJECT...
    output=$1
    shift
    options=''
    while [ "$1" != -- ]; do options="$options $1"; shift; done
    shift
    # shellcheck disable=SC2086
    $compiler $machine $linker $link $options "$@" -o "$output" >said 2>&1 || fail "link $options $*"
    [ ! -s said ] || fail "link $options is not silent"
}
run() { # PROGRAM: a kernel that cannot start 32-bit programs is no failure
    "./$1"
    status=$?
    [ $status -eq 0 ] || { [ "$bits" = 32 ] && [ $status -eq 126 ]; } || fail "$how: $1 says $status"
}
# Records of code that is there are there; of code that was dropped there is none.
check() { # PROGRAM
    "$here/read_sites.py" "$1" >listed 2>said || fail "$how: unreadable"
    nm "$1" >symbols 2>/dev/null
    for record in "nop.fill.$bits 255 0 $flags" "nop.fill.$bits 1 0 $flags" \
        "nop.text-poke.2 2 2 $flags" "nop.text-poke.5 5 5 $flags" "test.elsewhere 40 " \
        "test.assembly 21 " "nop.fill.$bits 37 0 $flags"; do
        grep -q "^$record" listed || fail "$how: no record: $record"
    done
    [ "$bits" = 32 ] || grep -q "^test.code32 9 1 1" listed || fail "$how: no record of 32-bit code"
    [ "$(grep -c "^test.inlined 33 [4-9] $flags" listed)" -ge 1 ] || fail "$how: test.inlined"
    for name in in-c elsewhere; do
        function=unused_$(echo $name | tr - _)
        is=$(grep -c " $function\$" symbols) has=$(grep -c "^unused.$name " listed)
        [ "$is" = "$has" ] || fail "$how: $function: $is functions, $has records"
    done
}
objects='sites.o elsewhere.o assembly.o use.o patch.o main.o'
program() { # HOW OPTION... of the linker
    how=$1
    shift
    # shellcheck disable=SC2086
    link_all program "$@" -- $objects
    check program
    run program
    link_all none "$@" -- none.o patch.o main.o
    run none
}

gc='-Wl,--gc-sections' dropping='-Wl,--gc-sections -Wl,-z,start-stop-gc'
count=0
for linker in '' -fuse-ld=lld; do
    [ -z "$linker" ] || command -v ld.lld >/dev/null || continue
    for level in -O0 -O2; do
        pie='' no_pie=''
        [ "$bits" = 32 ] || { pie='-pie'; no_pie='-no-pie'; }
        build_all $level -std=c11 -fno-pie -ffunction-sections
        program "no-pie $level" $no_pie
        [ "$bits" = 32 ] || program "static $level" -static
        # shellcheck disable=SC2086
        { program "no-pie, gc $level" $no_pie $gc; program "no-pie, dropping $level" $no_pie $dropping; }
        [ "$bits" = 32 ] || ! grep -q unused_ symbols || fail "$how: nothing was dropped"
        for again in ld ld.lld; do
            command -v $again >/dev/null && [ $level = -O2 ] || continue
            emulation=elf_x86_64
            [ "$bits" = 64 ] || emulation=elf_i386
            $again -m $emulation -r sites.o elsewhere.o assembly.o -o merged.o || fail "$again -r"
            objects='merged.o use.o patch.o main.o'
            # shellcheck disable=SC2086
            { program "$again -r $level" $no_pie; program "$again -r, gc $level" $no_pie $gc
              program "$again -r, dropping $level" $no_pie $dropping; }
            objects='sites.o elsewhere.o assembly.o use.o patch.o main.o'
        done
        if [ "$bits" = 64 ]; then
            build_all $level -std=c99 -fPIE -ffunction-sections
            # shellcheck disable=SC2086
            { program "pie $level" $pie; program "pie, gc $level" $pie $gc
              program "pie, dropping $level" $pie $dropping; program "static-pie $level" -static-pie; }
            build_all $level -std=c11 -mcmodel=kernel -mno-red-zone -mgeneral-regs-only -fno-pie
            program "kernel $level" $no_pie
            # Where kernels are linked.  It cannot run here.
            base=-Wl,-Ttext-segment=0xffffffff81000000
            [ -z "$linker" ] || base=-Wl,--image-base=0xffffffff81000000
            how="high kernel $level"
            # shellcheck disable=SC2086
            link_all high -nostdlib -static -Wl,--build-id=none $base -Wl,-e,use_everything -- \
                sites.o elsewhere.o assembly.o use.o patch.o
            check high
            # shellcheck disable=SC2086
            link_all none -nostdlib -static -Wl,--build-id=none $base -Wl,-e,use_everything -- \
                none.o patch.o
        fi
        count=$((count + 1))
    done
    # lld cannot read gcc's intermediate language.
    case $compiler$linker in gcc-fuse-ld=lld) continue ;; esac
    for level in -O0 -O2; do
        build_all $level -std=c11 -flto -fno-pie
        # shellcheck disable=SC2086
        { program "lto $level" $no_pie -flto $level; program "lto, dropping $level" $no_pie -flto $level $dropping; }
        [ "$bits" = 32 ] && continue
        # A site is copied into several parts, each assembled alone.
        parts='-flto=2 -flto-partition=max'
        [ "$compiler$linker" = gcc ] || parts=-flto=thin
        # shellcheck disable=SC2086
        { build_all $level -std=c11 $parts -fno-pie; program "lto in parts $level" $no_pie $parts $level; }
        build_all $level -std=c11 -flto -fPIE
        # shellcheck disable=SC2086
        program "lto, pie $level" $pie -flto $level
    done
done
[ $count -gt 0 ] || exit 77

# C++, and what assemblers refuse.
cxx=g++
[ "$compiler" = gcc ] || cxx=clang++
for standard in c++11 c++17 c++20; do
    command -v $cxx >/dev/null || continue
    for options in -O0 '-O2 -fPIC -ffreestanding' '-O2 -fno-pie -mno-red-zone -mgeneral-regs-only'; do
        # shellcheck disable=SC2086
        $cxx $machine $warnings $includes -x c++ -std=$standard $options -c "$here/sites.c" -o sites.o 2>said ||
            fail "$standard $options"
    done
    # shellcheck disable=SC2086
    [ "$bits" = 32 ] || $cxx -m64 -std=$standard -mcmodel=kernel -fno-pie -mno-red-zone -mgeneral-regs-only -O2 \
        $warnings $includes -x c++ -c "$here/sites.c" -o sites.o 2>said || fail "$standard, kernel"
done
refused() { # CODE ROOM
    printf '#include "altpick/site.h"\nvoid f(void);\nvoid f(void) { __asm__ volatile(ALTPICK_SITE("x", "%s", %s) : :); }\n' \
        "$1" "$2" >long.c
    # shellcheck disable=SC2086
    ! $compiler $machine $includes -c long.c -o long.o 2>said || fail "accepted: '$1' in $2 bytes"
}
refused '.skip 34' 33
refused '' 256
refused '' 0
