#!/bin/sh
# altpick itself inside a virtual machine that QEMU translates and that claims to be bare metal.
# usage: untrusted.sh ALTPICK [BOOTS]
set -u
program=${1:?ALTPICK} boots=${2:-1}
here=$(dirname "$0")
work=$(mktemp -d "${TMPDIR:-/tmp}/altpick-untrusted.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
run=/bin/$(basename "$program")

cat >"$work/script" <<END
$run probe -o /tmp/profile.json
cat /tmp/profile.json
$run tune -f header -o /tmp/none.h --keep /tmp/none.json
cat /tmp/none.h
$run tune -f header -o /tmp/default.h --fallback=default
cat /tmp/default.h
END

i=0
while [ $((i += 1)) -le "$boots" ]; do
    "$here/tcg.sh" "$program" 1 "$work/script" >"$work/console" 2>&1
    status=$?
    [ $status -ne 77 ] || { cat "$work/console"; exit 77; }
    # The exit statuses in their order: probe, cat, tune, cat (there is no such file), tune, cat.
    statuses=$(sed -n 's/^@@ exit //p' "$work/console" | tr '\n' ' ')
    trust=$(sed -n 's/^ *"trust": "\(.*\)",/\1/p' "$work/console")
    case "$status $statuses$trust" in
        "0 3 0 3 1 0 0 translated" | "0 3 0 3 1 0 0 interpreted") ;;
        *) cat "$work/console"; echo "untrusted.sh: boot $i: $statuses$trust"; exit 1 ;;
    esac
    if grep -q '"cycles"' "$work/console" || ! grep -q '^#define ALTPICK_NOP15' "$work/console"; then
        echo "untrusted.sh: boot $i: a cost was measured, or the default was not written"
        exit 1
    fi
done
echo "$boots of $boots boots: $trust, no cost, nothing written but the default"
