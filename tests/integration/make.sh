#!/bin/sh
# Build and run the Makefile consumer in a copy.  usage: make.sh ALTPICK COMPILER SOURCE_DIR SCRATCH
altpick=$(realpath "$1") compiler=$2 source=$3 scratch=$4
for tool in make "$compiler"; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
rm -rf "$scratch" && mkdir -p "$scratch" && cp -r "$source/." "$scratch" && cd "$scratch" || exit 1
# What a build of altpick exports must not reach the consumer's.
unset MAKEFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS
make clean && make check ALTPICK="$altpick" CC="$compiler" CFLAGS='-O2 -Wall -Wextra -Werror' ||
    exit 1
make -q pad ALTPICK="$altpick" || { echo "a second make would build again"; exit 1; }
make clean && [ ! -e altpick.h ] && [ ! -e pad ]
