#!/bin/sh
# Ask for the verdict many times: on this machine idle and with every CPU busy, in QEMU's user-mode
# translator, and in virtual machines that QEMU translates.
#
#   judge_trust.sh TRUST_MAIN [RUNS [BOOTS]]
#
# RUNS of each of the first three (20), BOOTS virtual machines that each ask five times (4).  Prints
# the figures of each place and a closing line "N passed, N failed".  What is not installed is
# skipped; exits 77 when that leaves nothing but this machine.
set -u
program=${1:?TRUST_MAIN} runs=${2:-20} boots=${3:-4}
here=$(dirname "$0")
work=$(mktemp -d "${TMPDIR:-/tmp}/altpick-judge.XXXXXX") || exit 1
loads=
finish() {
    for pid in $loads; do kill "$pid" 2>/dev/null; done
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 elsewhere=0

# Count the verdict lines of file $1, which must be $3, all of the kind $2.
count() {
    good=$(grep -cE "^($2): " "$1")
    passed=$((passed + good))
    failed=$((failed + $3 - good))
    printf '%s: %d of %d are %s\n' "$(basename "$1")" "$good" "$3" "$2"
    grep -E '^[a-z-]+: ' "$1" | grep -vE "^($2): "
}

repeat() {
    n=0
    while [ $((n += 1)) -le "$runs" ]; do "$@"; done
}

repeat "$program" >"$work/idle"
for _ in $(seq "$(nproc)"); do
    yes >/dev/null &
    loads="$loads $!"
done
repeat "$program" >"$work/loaded"
for pid in $loads; do kill "$pid"; done
loads=
count "$work/idle" 'native|guest' "$runs"
count "$work/loaded" 'native|guest' "$runs"

if command -v qemu-x86_64 >/dev/null; then
    repeat "$here/qemu_user.sh" "$program" >"$work/qemu-user"
    count "$work/qemu-user" 'translated|interpreted' "$runs"
    elsewhere=1
fi

for _ in 1 2 3 4 5; do echo "/bin/$(basename "$program")"; done >"$work/script"
"$here/tcg.sh" "$program" "$boots" "$work/script" >"$work/qemu-tcg"
status=$?
if [ $status -ne 77 ]; then
    count "$work/qemu-tcg" 'translated|interpreted' $((5 * boots))
    elsewhere=1
fi

# Places that were skipped are empty.
touch "$work/qemu-user" "$work/qemu-tcg"
# Least and greatest of each figure in each place.
awk 'FNR == 1 { place[++places] = FILENAME; sub(/.*\//, "", place[places]) }
     /^  [A-Za-z]/ {
         value = $NF; name = $0; sub(/ +[0-9.-]+$/, "", name)
         if (!(name in seen)) { seen[name] = 1; row[++rows] = name }
         key = name SUBSEP places
         if (!(key in low) || value < low[key]) low[key] = value
         if (!(key in high) || value > high[key]) high[key] = value
     }
     END {
         printf "%-22s", "ticks"
         for (p = 1; p <= places; p++) printf "%22s", place[p]
         for (r = 1; r <= rows; r++) {
             printf "\n%-22s", row[r]
             for (p = 1; p <= places; p++) printf "%22s", low[row[r], p] " .. " high[row[r], p]
         }
         print ""
     }' "$work/idle" "$work/loaded" "$work/qemu-user" "$work/qemu-tcg"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] || exit 1
[ $elsewhere -eq 1 ] || exit 77
