#!/bin/sh
# Compile an emitted header in every way a consumer may, without a warning, link it from two files
# and run it.  usage: matrix.sh COMPILER STANDARD HEADER SOURCE_DIR
compiler=$1 standard=$2 header=$(realpath "$3") source=$4
command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }
case $standard in c++*) language=c++ ;; *) language=c ;; esac
warnings='-Wall -Wextra -Wpedantic -Wunused -Wconversion -Wshadow -Wundef -Werror'
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

for level in -O0 -O2; do
    for environment in "" -ffreestanding; do
        for file in unused used; do
            # shellcheck disable=SC2086
            "$compiler" -x $language -std=$standard $warnings $level $environment \
                -DALTPICK_EMITTED="\"$header\"" -c "$source/$file.c" -o "$scratch/$file.o" ||
                { echo "failed: $compiler -std=$standard $level $environment $file.c"; exit 1; }
        done
        # Not even memcpy: a consumer may have no library at all.
        needs=$(nm -u "$scratch/used.o" | awk '{print $2}' |
                grep -v -E 'unused|_GLOBAL_OFFSET_TABLE_')
        [ -z "$needs" ] || { echo "$compiler $level $environment needs: $needs"; exit 1; }
        "$compiler" -x c "$source/main.c" -x none "$scratch/unused.o" "$scratch/used.o" \
            -o "$scratch/used" && "$scratch/used" ||
            { echo "wrong result: $compiler -std=$standard $level $environment"; exit 1; }
    done
done
