#!/bin/sh
# altpick probe --ring0=kvm from outside: on a machine whose KVM runs ring 0 on the CPU it measures;
# elsewhere it says so, exits with 3, and leaves a valid profile of ring 3.
# usage: vm_probe.sh ALTPICK SCRATCH
altpick=$(realpath "$1") scratch=$2
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1

fail() {
    echo "FAIL: $*"
    sed 's/^/    err: /' err | head -5
    exit 1
}

start=$(date +%s)
timeout 60 "$altpick" probe --ring0=kvm --only nop.text-poke --time-limit 2 -o profile.json 2>err
got=$?
took=$(($(date +%s) - start))
if grep -q 'no virtual machine: \|built without the boot program' err; then
    [ $got -eq 1 ] || fail "status $got without a virtual machine"
    [ ! -e profile.json ] || fail 'a profile without a virtual machine'
    echo "skipped: $(cat err)"
    exit 77
fi
[ "$took" -lt 20 ] || fail "took $took s of a limit of 2"
"$altpick" show profile.json >show 2>>err || fail 'the profile is not valid'
case $got in
0)
    grep -q '"ring": 0,' profile.json || fail 'status 0 and not of ring 0'
    ;;
3)
    grep -q '"ring": 3,' profile.json || fail 'status 3 and not of ring 3'
    grep -q '"ring 0 was not measured: .*' profile.json || fail 'the profile does not say why'
    grep -q '^altpick: .*; \(this profile is of\|timing in\) ring 3' err || fail 'nobody says why'
    [ "$(grep -c '^altpick: ' err)" -eq "$(wc -l <err)" ] || fail 'stray lines'
    ;;
*)
    fail "status $got"
    ;;
esac
echo "status $got after $took s: $(tail -1 err)"
