#!/bin/sh
# Compile an emitted header in every way a consumer may, without a warning, link it from two files
# and run it.  usage: matrix.sh COMPILER STANDARD 64|32 USED_SOURCE HEADER SOURCE_DIR
compiler=$1 standard=$2 bits=$3 used=$4 header=$(realpath "$5") source=$6
command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }
case $standard in c++*) language=c++ ;; *) language=c ;; esac
warnings='-Wall -Wextra -Wpedantic -Wunused -Wconversion -Wshadow -Wundef -Werror'
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# A 32-bit program has no library here: it is linked without, and started by start32.c.
mode='' main=main.c link=''
[ "$bits" = 64 ] || { mode='-m32 -fno-pie -fno-stack-protector'; main=start32.c; }
[ "$bits" = 64 ] || link='-nostdlib -static -Wl,--build-id=none'

# Runs the program; a kernel that cannot start 32-bit programs is no failure.
run() {
    "$1"
    status=$?
    [ $status -eq 0 ] || { [ "$bits" = 32 ] && [ $status -eq 126 ]; }
}

for level in -O0 -O2; do
    for environment in "" -ffreestanding; do
        for file in unused "$used"; do
            # shellcheck disable=SC2086
            "$compiler" $mode -x $language -std=$standard $warnings $level $environment \
                -DALTPICK_EMITTED="\"$header\"" -c "$source/$file.c" -o "$scratch/$file.o" ||
                { echo "failed: $compiler -std=$standard $level $environment $file.c"; exit 1; }
        done
        # Not even memcpy: a consumer may have no library at all.
        needs=$(nm -u "$scratch/$used.o" | awk '{print $2}' |
                grep -v -E 'unused|_GLOBAL_OFFSET_TABLE_')
        [ -z "$needs" ] || { echo "$compiler $level $environment needs: $needs"; exit 1; }
        # shellcheck disable=SC2086
        "$compiler" $mode $link -x c "$source/$main" -x none "$scratch/unused.o" \
            "$scratch/$used.o" -o "$scratch/used" && run "$scratch/used" ||
            { echo "wrong result: $compiler -std=$standard $level $environment"; exit 1; }
    done
done

# Kernels: no vector registers, no red zone, an address space of their own; and code that uses more.
for options in '-mgeneral-regs-only' '-mno-sse -mno-mmx' '-mno-80387 -mno-sse' '-mavx2' '-mavx512f' \
    '-fPIC -O0' '-mcmodel=kernel -mno-red-zone -fno-pie -mgeneral-regs-only'; do
    case $bits$options in 32*cmodel*) continue ;; esac
    # shellcheck disable=SC2086
    "$compiler" $mode -x $language -std=$standard $warnings -O2 $options -ffreestanding \
        -DALTPICK_EMITTED="\"$header\"" -c "$source/$used.c" -o "$scratch/kernel.o" ||
        { echo "failed: $compiler -std=$standard $options $used.c"; exit 1; }
done

# Nothing is for 16-bit code.
printf '#define ALTPICK_BITS 16\n#include "%s"\n' "$header" >"$scratch/bits.c"
# shellcheck disable=SC2086
"$compiler" $mode -x $language -std=$standard -c "$scratch/bits.c" -o "$scratch/bits.o" \
    2>"$scratch/err" && { echo '16 bits were taken'; exit 1; }
grep -q 'ALTPICK_BITS must be 64 or 32' "$scratch/err" || { cat "$scratch/err"; exit 1; }

# The Linux flavours are for assembler files too.
if [ "$used" = used_linux ] && [ $language = c ]; then
    # shellcheck disable=SC2086
    printf '#include "%s"\nASM_NOP1\nASM_NOP5\nASM_NOP8\nALTPICK_ASM_KERNEL_FPU_BEGIN_SSE\n' "$header" |
        "$compiler" $mode -Werror -x assembler-with-cpp -c - -o "$scratch/asm.o" ||
        { echo "failed: $compiler $mode of an assembler file"; exit 1; }
    bytes=$(objdump -h "$scratch/asm.o" | awk '$2 == ".text" { print $3 }')
    case $bits in 64) expected=00000011 ;; *) expected=00000015 ;; esac
    [ "$bytes" = $expected ] || { echo "wrong size: $bytes"; exit 1; }
fi
