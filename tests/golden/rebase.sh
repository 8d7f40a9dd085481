#!/bin/sh
# Make what generators print now the expected files.
# usage: rebase.sh EMIT_FIXTURE VERSION GOLDEN_DIR FIXTURE:FORMAT:FLAVOUR:SUFFIX...
emit=$1 version=$2 golden=$3
shift 3
for form; do
    # shellcheck disable=SC2046
    "$golden/compare.sh" rebase "$emit" "$version" "$golden" $(echo "$form" | tr : ' ') || exit 1
done
