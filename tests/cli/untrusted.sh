#!/bin/sh
# Under a translator: a profile without costs, exit status 3, nothing emitted but the default.
# usage: untrusted.sh ALTPICK SCRATCH
altpick=$(realpath "$1") scratch=$2
command -v qemu-x86_64 >/dev/null || { echo 'qemu-x86_64 is not installed'; exit 77; }
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1
unset SOURCE_DATE_EPOCH
bad=0

# run STATUS ARGUMENT...
run() {
    want=$1
    shift
    qemu-x86_64 "$altpick" "$@" >out 2>err </dev/null
    got=$?
    [ $got -eq "$want" ] && return
    echo "FAIL: altpick $*: exit status $got, not $want"
    cat err
    bad=1
}
fail() { echo "FAIL: $*"; bad=1; }

run 3 probe -o profile.json
grep -q 'not trustworthy (\(translated\|interpreted\))' err || fail 'probe does not say what it is'
grep -q '"cycles"' profile.json && fail 'a cost was measured by a translator'
grep -q '"declared"' profile.json || fail 'no guarantee is declared'
grep -q '"checked"\|"contradicted"' profile.json && fail 'something was run under a translator'
run 3 tune -f header -o tuned.h --keep kept.json
[ ! -e tuned.h ] && [ ! -e kept.json ] || fail 'tune wrote something'
run 0 tune -f header -o tuned.h --fallback=default
grep -q 'warning: .*default' err || fail 'the default came without a warning'
[ -s tuned.h ] || fail 'tune wrote no default'
run 0 show profile.json
run 3 emit -f header -o emitted.h profile.json
[ ! -e emitted.h ] || fail 'emit believed a translator'
run 3 doctor
grep -q 'not fit to measure on' out || fail 'doctor finds a translator fit'
grep -q '^trust  *bad  *found  *\(translated\|interpreted\)' out || fail 'doctor does not say why'
[ "$(grep -c 'found  not measured$' out)" -eq 3 ] || fail 'doctor timed a translator'
grep -q 'not trustworthy' err || fail 'doctor fails without a word'
exit $bad
