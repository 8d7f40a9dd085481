#!/bin/sh
# Write the seeds anew and unpack the corpus beside them, then the stamp.  usage: seeds.sh SEEDS_PY STAMP OUT_DIR TESTS_DIR
set -e
rm -rf "$3" "$3/../corpus"
python3 "$1" "$3" "$4"
mkdir -p "$3/functions"
cp "$3"/image/* "$3/functions"
for form in linux-4.14 linux-6.2 linux-6.12 i386-6.1 xen few; do
    python3 "$4/functions/make_kernel.py" "$form" "$3/functions/$form" /dev/null
done
for corpus in "$4"/fuzz/corpus/*.zip; do
    python3 -m zipfile -e "$corpus" "$3/../corpus/$(basename "$corpus" .zip)"
done
: >"$2"
