#!/bin/sh
# The same tests by the KVM of a Debian kernel, on a CPU with AMD's virtualisation that QEMU
# translates: not the time that anything takes, but that guests begin, leave and end there as on this
# machine, where KVM may be another one, and that the programs come to their end in ring 0.
# usage: nested.sh ALTPICK GUEST_TESTS RUN BOOT_PROGRAM FILE...
set -u
altpick=$1 guest_tests=$(realpath "$2") run=$(realpath "$3") program=$(realpath "$4")
here=$(dirname "$0")/..
work=$(mktemp -d "${TMPDIR:-/tmp}/altpick-nested.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

paths=$("$here/kernel.sh" kvm) || exit $?
modules=$(echo "$paths" | grep '[.]ko$')
for module in $modules; do
    echo "insmod $module"
done >"$work/script"
cat >>"$work/script" <<END
$guest_tests
/bin/$(basename "$altpick") probe --ring0=kvm --only nop.text-poke --time-limit 1
$run $program 60 rehearse only=nop.text-poke,fpu.switch budget=2000000
END
files=
for file in $modules "$@"; do
    files="$files $(realpath "$file")"
done
ALTPICK_TCG_CPU=EPYC,+svm,+npt ALTPICK_TCG_FILES=$files ALTPICK_TCG_TIMEOUT_S=120 \
    "$here/tcg.sh" "$altpick" 1 "$work/script" >"$work/console" 2>&1
status=$?
[ $status -ne 77 ] || { cat "$work/console"; exit 77; }

fail() {
    grep -v '^ *[]"{}]' "$work/console" | grep -v '^\[ *\(RUN\|OK\)' | tail -n 80
    echo "FAIL: $*"
    exit 1
}
[ $status -eq 0 ] || fail 'the machine did not come to its end'
# Behind the modules: the tests of guests, the probe, the boot program.
statuses=$(sed -n 's/^@@ exit //p' "$work/console" | tail -n 3 | tr '\n' ' ')
[ "$statuses" = '0 3 0 ' ] || fail "statuses $statuses"
grep -q '^altpick: .*ring 0 is translated (.*timing in ring 3 is not trustworthy either' \
    "$work/console" || fail 'ring 0 was not judged'
grep -q '^this was a rehearsal' "$work/console" || fail 'no rehearsal'
grep -q '^fpu.switch.policy ' "$work/console" || fail 'no decision in ring 0'
grep -q '^0 faults of candidates' "$work/console" || fail 'faults of candidates'
grep -q '^left with 0x13$' "$work/console" || fail 'the boot program did not come to its end'
