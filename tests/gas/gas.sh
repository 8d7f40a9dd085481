#!/bin/sh
# Fill every gap to 200 bytes, and some longer ones, with the macros of an emitted include; check it.
# usage: gas.sh as|clang 64|32 INCLUDE CHECK HEADER
assembler=$1 bits=$2 include=$(realpath "$3") check=$4 header=$(realpath "$5")
command -v "$assembler" >/dev/null || { echo "$assembler is not installed"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
gaps="$(seq 0 200) 1000 4096"

{
    printf '.include "%s"\n' "$include" "$include"
    for gap in $gaps; do echo "altpick_nop $gap"; done
    # As an expression of labels, and under the names that say which code.
    printf '.skip 6, 0xcc\n1:\n.fill 6, 1, 0xcc\n2:\naltpick_nop (2b-1b)\n'
    echo 'altpick_text_poke2'
    echo 'altpick_text_poke5'
    echo "altpick_nop$bits 33"
} >"$scratch/gaps.s"

# Included by the preprocessor too.
printf '#include "%s"\naltpick_nop 5\n' "$include" >"$scratch/cpp.S"

assemble() { # SOURCE OBJECT
    case $assembler in
    as) if [ "${1##*.}" = S ]; then cpp -P "$1" >"$1.s" && set -- "$1.s" "$2"; fi
        as --fatal-warnings "--$bits" --defsym ALTPICK_BITS="$bits" "$1" -o "$2" ;;
    *) "$assembler" "-m$bits" -Werror -Wa,-defsym,ALTPICK_BITS="$bits" -c "$1" -o "$2" ;;
    esac
}
assemble "$scratch/gaps.s" "$scratch/gaps.o" && assemble "$scratch/cpp.S" "$scratch/cpp.o" || exit 1
[ "$(nm -u "$scratch/gaps.o")" = '' ] || { echo 'undefined symbols'; exit 1; }
objcopy -O binary -j .text "$scratch/gaps.o" "$scratch/gaps.bin" || exit 1
# shellcheck disable=SC2086
"$check" "$bits" "$scratch/gaps.bin" $gaps || exit 1

# Bodies: the bytes that the C header lists, one after the other.
bodies='kernel_fpu_begin_sse kernel_fpu_begin_x87 kernel_fpu_begin_efi refcount_add refcount_inc
refcount_inc_not_zero refcount_dec refcount_dec_and_test refcount_sub_and_test'
[ "$bits" = 32 ] || bodies="fpu_init $bodies"
{
    printf '.include "%s"\n' "$include"
    for body in $bodies; do echo "altpick_$body"; done
} >"$scratch/bodies.s"
{
    printf '#define ALTPICK_BITS %s\n#include "%s"\n' "$bits" "$header"
    printf '__attribute__((section(".bodies"))) const unsigned char bodies[] = {\n'
    for body in $bodies; do echo "ALTPICK_CODE_$(echo "$body" | tr '[:lower:]' '[:upper:]'),"; done
    printf '};\n'
} >"$scratch/listed.c"
assemble "$scratch/bodies.s" "$scratch/bodies.o" &&
    objcopy -O binary -j .text "$scratch/bodies.o" "$scratch/bodies.bin" &&
    cc -c "$scratch/listed.c" -o "$scratch/listed.o" &&
    objcopy -O binary -j .bodies "$scratch/listed.o" "$scratch/listed.bin" &&
    [ -s "$scratch/listed.bin" ] && cmp "$scratch/bodies.bin" "$scratch/listed.bin" || exit 1
if [ "$bits" = 32 ]; then
    printf '.include "%s"\naltpick_fpu_init\n' "$include" >"$scratch/bad.s"
    assemble "$scratch/bad.s" "$scratch/bad.o" 2>/dev/null && { echo '32-bit fpu.init'; exit 1; }
fi

# Nothing is for 16-bit code.
printf '.set ALTPICK_BITS, 16\n.include "%s"\n' "$include" >"$scratch/bits.s"
case $assembler in as) plain=as ;; *) plain="$assembler -c" ;; esac
$plain "$scratch/bits.s" -o "$scratch/bits.o" 2>"$scratch/err" && { echo '16 bits were taken'; exit 1; }
grep -q 'ALTPICK_BITS must be 64 or 32' "$scratch/err" || { cat "$scratch/err"; exit 1; }

# What is no gap is refused.
printf '.include "%s"\naltpick_nop -1\n' "$include" >"$scratch/bad.s"
assemble "$scratch/bad.s" "$scratch/bad.o" 2>/dev/null && { echo 'a gap below 0 was filled'; exit 1; }
exit 0
