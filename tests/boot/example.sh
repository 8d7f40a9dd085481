#!/bin/sh
# Compile and link the example of docs/boot.md, with the flags that the page names.
#
#   example.sh LIBRARY SOURCE_ROOT CC...
set -eu
library=${1:?LIBRARY} root=${2:?SOURCE_ROOT}
shift 2
work=$(mktemp -d "${TMPDIR:-/tmp}/altpick-example.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

sed -n '/^```c$/,/^```$/{/^```/d;p}' "$root/docs/boot.md" >"$work/example.c"
grep -q altpick_boot_probe "$work/example.c" || {
    echo "example.sh: docs/boot.md has no example"
    exit 1
}
# What every system has, and this page says is needed.
cat >"$work/own.c" <<'END'
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t n) { (void) from; (void) n; return to; }
void *memmove(void *to, const void *from, size_t n) { (void) from; (void) n; return to; }
void *memset(void *to, int byte, size_t n) { (void) byte; (void) n; return to; }
int memcmp(const void *a, const void *b, size_t n) { (void) a; (void) b; return (int) n; }
END
for source in example own; do
    "$@" -std=c11 -Wall -Wextra -Werror -O2 -ffreestanding -fno-stack-protector -mno-red-zone \
        -mgeneral-regs-only -I "$root/tuner/include" -c "$work/$source.c" -o "$work/$source.o"
done
ld -static --gc-sections -e my_probe --defsym=my_pages=0 --defsym=my_code_pages=0 \
    --defsym=my_uart=0 --defsym=my_tsc_hz=0 --defsym=my_xcr0=0 \
    -o "$work/example" "$work/example.o" "$work/own.o" "$library"
