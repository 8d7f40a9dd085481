#!/bin/sh
# Link the smallest embedder of the library and fail when its code and data are too large.
#
#   size.sh LIBRARY SOURCE_ROOT LIMITED CC...
#
# Prints bytes of code and data for two questions (nop.fill.64 and refcount) and for all of them,
# with and without the writer of profiles.  Two questions with it must stay under 64 KiB.  LIMITED
# false only prints: a compiler that optimises less for size is none of the library's faults.
set -eu
library=${1:?LIBRARY} root=${2:?SOURCE_ROOT} limited=${3:?LIMITED}
shift 3
work=$(mktemp -d "${TMPDIR:-/tmp}/altpick-size.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# bytes OPTION...: of code, constants, data and zeroed data of the embedder compiled with them.
bytes() {
    "$@" -std=c11 -Os -ffreestanding -fno-builtin -fno-stack-protector -mno-red-zone \
        -mgeneral-regs-only -fno-asynchronous-unwind-tables -I"$root/tuner/include" \
        -c "$root/tests/boot/embedder.c" -o "$work/embedder.o"
    # Memory that a system gives is not the library's: two addresses.
    ld -static --gc-sections -e embedder_main --defsym=embedder_memory=0x1000000 \
        --defsym=embedder_code=0x2000000 -o "$work/embedder" "$work/embedder.o" "$library"
    size "$work/embedder" | awk 'NR == 2 { print $1 + $2 + $3 }'
}

two=$(bytes "$@")
echo "two questions, profile: $two bytes"
echo "two questions:          $(bytes "$@" -DNO_PROFILE) bytes"
echo "all questions, profile: $(bytes "$@" -DASK_ALL) bytes"
echo "all questions:          $(bytes "$@" -DASK_ALL -DNO_PROFILE) bytes"
[ "$limited" = false ] || [ "$two" -lt 65536 ] || {
    echo "size.sh: two questions and the profile take 64 KiB or more"
    exit 1
}
