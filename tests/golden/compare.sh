#!/bin/sh
# Compare what a generator prints with the expected file, or replace that.  The version is left out.
# usage: compare.sh check|rebase EMIT_FIXTURE VERSION GOLDEN_DIR FIXTURE FORMAT FLAVOUR|- SUFFIX
mode=$1 emit=$2 version=$3 fixture=$5 format=$6 flavour=$7
golden=$4/$(echo "$format-$flavour-$fixture.$8" | sed 's/---/-/')
new=$(mktemp) && again=$(mktemp) || exit 1
trap 'rm -f "$new" "$again"' EXIT
"$emit" "$fixture" "$format" "$flavour" >"$new" &&
    "$emit" "$fixture" "$format" "$flavour" | cmp - "$new" || exit 1
sed "s/altpick $version/altpick @VERSION@/; s/\"altpick\": \"$version\"/\"altpick\": \"@VERSION@\"/" "$new" >"$again"
if [ "$mode" = rebase ]; then
    cp "$again" "$golden" && chmod 644 "$golden"
else
    diff -u "$golden" "$again" ||
        { echo "if this is meant: meson compile -C BUILD rebase-golden"; exit 1; }
fi
