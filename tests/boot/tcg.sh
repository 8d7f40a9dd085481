#!/bin/sh
# Boot a Debian kernel in QEMU's translator, dressed up as a real Haswell, with nothing but PROGRAM
# and the libraries it is linked with, and print what it wrote.
#
#   tcg.sh PROGRAM RUNS [SCRIPT]
#
# SCRIPT is a file of commands, one a line (tests/boot/init.c); PROGRAM is /bin/<its name> there.
# By default PROGRAM alone runs.  RUNS is the number of boots.  Exits 0 when every boot reached the
# end of its script, 1 when one did not, 77 where this cannot be tried.  The environment may name
# another CPU model (ALTPICK_TCG_CPU), more options for QEMU (ALTPICK_TCG_ARGS), the seconds that a
# boot may take (ALTPICK_TCG_TIMEOUT_S), and files that are to be in the same places there
# (ALTPICK_TCG_FILES), with the libraries of programs.
set -u
program=${1:?PROGRAM} runs=${2:?RUNS} script=${3:-}
here=$(dirname "$0")
limit=${ALTPICK_TCG_TIMEOUT_S:-180}
# What the translator cannot hide must be enough.
model=${ALTPICK_TCG_CPU:-Haswell,tcg-cpuid=off,-hypervisor,vendor=GenuineIntel}

for tool in qemu-system-x86_64 cpio timeout; do
    command -v $tool >/dev/null || { echo "tcg.sh: no $tool" >&2; exit 77; }
done
kernel=$("$here/kernel.sh") || exit $?
work=$(mktemp -d "${TMPDIR:-/tmp}/altpick-tcg.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

root=$work/root
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" &&
    ${CC:-cc} -static -O1 -std=gnu11 -o "$root/init" "$here/init.c" &&
    cp "$program" "$root/bin/" || exit 1
put() { # FILE: where it is here
    mkdir -p "$root${1%/*}" && cp -L "$1" "$root$1"
}
# Each library where the program looks for it; a static program has none.
for library in $(ldd "$program" 2>/dev/null | grep -o '/[^ ]*'); do
    put "$library" || exit 1
done
for file in ${ALTPICK_TCG_FILES:-}; do
    for library in $file $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*'); do
        put "$library" || exit 1
    done
done
if [ -n "$script" ]; then
    cp "$script" "$root/script"
else
    echo "/bin/$(basename "$program")" >"$root/script"
fi || exit 1
(cd "$root" && find . | cpio --quiet -o -H newc) >"$work/initramfs" || exit 1

# -nographic: the console is standard output.  ALTPICK_TCG_ARGS is words, hence no quotes.
boot() {
    timeout "$limit" qemu-system-x86_64 -accel tcg -cpu "$model" ${ALTPICK_TCG_ARGS:-} \
        -m 512 -nographic -no-reboot -kernel "$kernel" -initrd "$work/initramfs" \
        -append 'console=ttyS0 quiet loglevel=0 panic=-1' </dev/null 2>"$work/stderr" |
        tr -d '\r' | sed -n 's/^.*@@ run/@@ run/; /^@@ run/,$p' >"$work/console"
    cat "$work/console"
    grep -q '^@@ done$' "$work/console"
}

i=0
while [ $((i += 1)) -le "$runs" ]; do
    boot || { echo "tcg.sh: boot $i of $runs did not finish in $limit s" >&2
              cat "$work/stderr" >&2; exit 1; }
done
