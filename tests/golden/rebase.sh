#!/bin/sh
# Make what generators print now the expected files.
# usage: rebase.sh EMIT_FIXTURE VERSION GOLDEN_DIR
for fixture in default rich; do
    "$3/compare.sh" rebase "$1" "$2" "$3" $fixture header c || exit 1
done
