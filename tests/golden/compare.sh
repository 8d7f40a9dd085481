#!/bin/sh
# Compare what a generator prints with the expected file, or replace that.  The version is left out.
# usage: compare.sh check|rebase EMIT_FIXTURE VERSION GOLDEN_DIR FIXTURE FORMAT FLAVOUR
mode=$1 emit=$2 version=$3 golden=$4/$6-$7-$5.h
new=$(mktemp) && again=$(mktemp) || exit 1
trap 'rm -f "$new" "$again"' EXIT
"$emit" "$5" "$6" "$7" >"$new" && "$emit" "$5" "$6" "$7" | cmp - "$new" || exit 1
sed "s/altpick $version;/altpick @VERSION@;/" "$new" >"$again"
if [ "$mode" = rebase ]; then
    cp "$again" "$golden" && chmod 644 "$golden"
else
    diff -u "$golden" "$again" ||
        { echo "if this is meant: meson compile -C BUILD rebase-golden"; exit 1; }
fi
