#!/bin/sh
# Write the seeds anew, then the stamp.  usage: seeds.sh SEEDS_PY STAMP OUT_DIR TESTS_DIR
set -e
rm -rf "$3"
python3 "$1" "$3" "$4"
: >"$2"
