#!/bin/sh
# Sites in more than one object: inline functions of C++, and a library beside its program.
# usage: modules.sh CC CXX HERE INCLUDE RUNTIME TABLE_OBJECT
cc=$1 cxx=$2 here=$3 include=$4 runtime=$5 table=$(realpath "$6")
for tool in "$cc" "$cxx"; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "FAIL: $*"; cat said 2>/dev/null; exit 1; }
# silent COMMAND...
silent() { "$@" >said 2>&1 && [ ! -s said ] || fail "$*"; }

warnings='-Wall -Wextra -Wpedantic -Werror'
linkers=''
for linker in bfd lld; do
    command -v ld.$linker >/dev/null && linkers="$linkers $linker"
done
# shellcheck disable=SC2086
for level in -O0 -O2; do
    silent "$cxx" $warnings -std=c++11 $level -I"$include" -c "$here/two_files.cc" -o one.o
    silent "$cxx" $warnings -std=c++11 $level -I"$include" -DOTHER -c "$here/two_files.cc" -o two.o
    silent "$cc" $warnings $level -fPIC -I"$runtime" -c "$runtime/patch.c" -o patch.o
    for part in LIBRARY PROGRAM; do
        silent "$cc" $warnings $level -fPIC -I"$runtime" -I"$include" -D$part -c "$here/module.c" \
            -o $part.o
    done
    for linker in $linkers; do
        for gc in '' -Wl,--gc-sections '-Wl,--gc-sections -Wl,-z,start-stop-gc'; do
            silent "$cxx" -fuse-ld="$linker" $gc one.o two.o -o program
            ./program || fail "$linker $level $gc: the C++ program"
        done
        silent ld.$linker -r one.o two.o -o both.o
        silent "$cxx" -fuse-ld="$linker" both.o -o program
        ./program || fail "$linker $level: the C++ program of ld -r"
        # Each copy of patch.c has the sites of its own module.
        silent "$cc" -fuse-ld="$linker" -shared LIBRARY.o patch.o "$table" -o libmodule.so
        silent "$cc" -fuse-ld="$linker" PROGRAM.o patch.o "$table" -L. -lmodule -Wl,-rpath,. -o program
        ./program || fail "$linker $level: the library's sites"
    done
done
