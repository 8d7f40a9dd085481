#!/bin/sh
# What a user sees: exit statuses, streams, and outputs that failures leave alone.
# usage: cli.sh ALTPICK TESTS_DIR SCRATCH
altpick=$(realpath "$1") golden=$(realpath "$2")/golden scratch=$3
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1
unset SOURCE_DATE_EPOCH
bad=0

fail() {
    echo "FAIL: $*"
    sed 's/^/    out: /' out | head -5
    sed 's/^/    err: /' err | head -5
    bad=$((bad + 1))
}

# run STATUS ARGUMENT...: streams are left in out and err
run() {
    want=$1
    shift
    "$altpick" "$@" >out 2>err </dev/null
    got=$?
    last="altpick $*"
    [ $got -eq "$want" ] || fail "$last: exit status $got, not $want"
    grep -v '^altpick: \|^see altpick ' err >stray && fail "$last: stray line: $(head -1 stray)"
}
out_is_empty() { [ ! -s out ] || fail "$last: data on standard output"; }
err_is_empty() { [ ! -s err ] || fail "$last: something on standard error"; }
out_has() { grep -q -e "$1" out || fail "$last: no '$1' on standard output"; }
err_has() { grep -q -e "$1" err || fail "$last: no '$1' on standard error"; }
is_mail() {
    awk 'length > 100 || /[^ -~]/ { exit 1 }' out || fail "$last: wider than 100 or not ASCII"
}

# Usage.
run 0 --help; out_has '^usage: altpick'; err_is_empty; is_mail
run 0 --version; out_has '^altpick [0-9]'; out_has '^packed images: '; err_is_empty
for command in probe show why emit tune list known claims doctor inspect patch view; do
    run 0 $command --help; out_has "^usage: altpick $command "; err_is_empty; is_mail
done
run 2; out_is_empty; err_has 'command is needed'; err_has '^see altpick --help$'
run 2 shwo; out_is_empty; err_has "did you mean 'show'"
run 2 --verson; err_has "did you mean '--version'"
run 2 show --jsno p; out_is_empty; err_has "did you mean '--json'"
err_has '^see altpick show --help$'
run 2 show -x p; err_has "unknown option '-x'"
run 2 show; err_has 'operand is missing'
run 2 show a b; err_has 'too many operands'
run 2 show --machine; err_has 'needs NAME'
run 2 show --json=1 p; err_has 'takes no argument'
run 2 probe --boot-tables
for limit in 0.04 3601 -1 1e3 1. .5 '' 0.0500 nan; do
    run 2 probe --time-limit "$limit"; out_is_empty
done
for cpu in -1 x 1.5 '' 99999999999; do run 2 probe --cpu "$cpu"; done
run 2 probe --seed 4294967296
run 2 probe --only 'zz*'; err_has 'nop.fill.64'
run 2 emit x.json; err_has 'formats: .*header'
run 2 emit -f heder x.json; err_has 'formats: .*header'
run 2 emit -f header --flavour zz x.json; err_has 'flavours: c'
run 2 emit -f elf --layout linux14; err_has 'needs --sites'
run 2 emit -f elf --sites x.list; err_has 'needs --layout'
run 2 emit -f elf --layout linux15 --sites x.list; err_has 'layouts: linux12, linux13, linux14, xen14, altpick'
run 2 emit -f header --layout linux14 --sites x.list; err_has 'layouts: none'
run 2 tune -f gas --layout linux14 --sites x.list -o x.o; err_has 'layouts: none'
run 2 tune -f header; err_has '-o FILE is needed'
run 2 tune -f header -o x.h --fallback=other
run 2 show --tie-margin 99 x.json
run 2 show --target moon x.json

# What exists.
run 0 list questions; out_has '^nop.fill.64 '; err_is_empty; is_mail
run 0 list candidates; out_has ' 0f1f440000$'; is_mail
run 0 list candidates nop.fill.64; out_has '^nop.fill.64 '
run 0 list formats; out_has '^header '; is_mail
run 0 list items; out_has '^refcount.dec_and_test  *64, 32  *[0-9]* bytes'; out_has '^nop.fill.32  *32  *fills'; is_mail
run 0 list layouts; out_has '^linux14  *14  *.altinstructions  *elf  *Linux'; is_mail
run 0 list machines; out_has "^K15_Vishera "; out_has "^AMD-F10h-2015 "; out_has "^PIII-800-2002 "; is_mail; err_is_empty
run 2 list; run 2 list questions more; run 2 list machins; err_has "did you mean .machines"
run 2 list candidates nop.fil.64; err_has "did you mean 'nop.fill.64'"

# CPUs with published figures.
run 0 known Zambezi8C -o known.json; out_is_empty; err_has 'warning: .*published figures'
run 0 show known.json; is_mail; err_has 'undecided'
run 0 why nop.fill.64.12 known.json; is_mail
run 0 emit -f header -o known.h known.json
run 0 emit -f header -o named.h --machine zambezi8c
cmp -s known.h named.h || fail 'a named CPU and its profile differ'
run 0 known 00600f12 21-1-2 AMD-F15h-2015; out_has '"name": "AMD-F15h-2015"'
[ "$(grep -c '^      "name"' out)" -eq 2 ] || fail "$last: not each CPU once"
cp out pair.json
run 4 emit -f header pair.json; err_has 'machine is needed'
run 0 emit -f header --machine AMD-F15h-2015 pair.json
run 0 why nop.fill.64.5 --machine AMD-F15h-2015 pair.json; out_has '0f1f.5, clear'; is_mail
run 4 known Conroe; out_is_empty; err_has 'names 2 CPUs: .*-Conroe, '
run 4 known Zambezi8C Silvermnt -o none.json; err_has "did you mean 'Silvermont'"
[ ! -e none.json ] || fail 'known wrote in spite of an unknown name'
run 4 emit -f header --machine nobody; out_is_empty; err_has "called 'nobody'"
run 2 known; err_has 'operand is missing'

# Claims.
run 0 claims; is_mail; err_is_empty
out_has '^nop-2015.p6-wins: true by the figures of the thread$'
out_has '^nop-2015.five-bytes: untestable '
out_has 'published .*false .*worst:'
run 0 claims --json; out_has '"exceptions"'
run 0 claims known.json pair.json; is_mail; out_has '^nop-2015.p6-wins: .* here$'
run 0 claims --machine AMD-F15h-2015 pair.json
[ "$(grep -c '^  here ' out)" -eq "$(grep -c ' here$' out)" ] || fail "$last: not one machine"
out_has '^fpu-init-2002.cold-slower: '; out_has '^kernel-fpu-2021.avx-keeps-67: '
out_has '^refcount-2017.full-costs-1.76: '; out_has '^lazy-fpu-2015.vzeroall-helps: '
out_has 'thread  *-  .*fast 1.38 and 1.00, full 9.45'
run 4 claims --machine nobody pair.json; out_is_empty
run 1 claims missing.json; out_is_empty

# Is this machine fit?  Either way the findings are data.
"$altpick" doctor >out 2>err </dev/null
fit=$? last=doctor
[ $fit -eq 0 ] || [ $fit -eq 3 ] || fail "doctor: exit status $fit"
is_mail; out_has '^this machine is '; out_has '^trust  *[a-z]'; out_has '^pmu  *ok'
[ $fit -eq 3 ] || err_is_empty
run $fit doctor --json; out_has '"format": "altpick-doctor"'; out_has '"version": 1'
for member in name level found means 'do'; do
    [ "$(grep -c "^      \"$member\": \"." out)" -eq 11 ] || fail "$last: not 11 times $member"
done
run 1 doctor --cpu 999; out_is_empty; err_has 'CPU 999'
run 2 doctor --cpu x; run 2 doctor x; err_has 'too many operands'

# Patch tables: of this very program, which has none, and of what is no image.
cp "$altpick" program; head -c 3000 program >cut.o; head -c 40 program >stub
run 0 inspect program; is_mail; err_is_empty
out_has '^program: x86-64 '; out_has '^  patch tables  *none$'; out_has '^  code  *[0-9]* bytes, '
run 0 inspect --no-census program; ! grep -q '^  code' out || fail "$last: a census"
run 0 inspect --json program; out_has '^  "file": "program",$'; out_has '^  "tables": \[\],\{0,1\}$'
for file in cut.o stub cli-missing directory.d empty.elf; do
    mkdir -p directory.d; : >empty.elf
    run 1 inspect $file; out_is_empty; err_has "^altpick: $file: "
    [ "$(wc -l <err)" -eq 1 ] || fail "$last: not one line"
done
run 1 inspect program cut.o program stub; err_has '^altpick: 2 of 4 files could not'
[ "$(grep -c '^program: ' out)" -eq 2 ] || fail "$last: a failure hides other files"
[ "$(wc -l <err)" -eq 3 ] || fail "$last: not a line for each failure and one for all"
run 1 inspect --json program cut.o; python3 -c '
import json
first, second = json.load(open("out"))
assert first["tables"] == [] and "census" in first and second["error"].startswith("cut.o: ")' ||
    fail "$last: not an array of two"
run 2 inspect; err_has 'operand is missing'
run 2 inspect --layout linux15 program; out_is_empty; err_has 'none of linux12, .*, altpick$'
run 2 inspect --layout linux15 program cut.o; out_is_empty

# Bad profiles and policies: one line with the place, nothing written.
echo keep >kept.h
head -c 100 "$golden/profile.json" >cut.json
echo '{"altpick": 1' >open.json
: >empty.json
head -c 4000 /dev/zero | tr '\0' '[' >deep.json
sed 's/"version": *1/"version": 999/' "$golden/profile.json" >newer.json
sed 's/"trust": *"[a-z-]*"/"trust": 7/' "$golden/profile.json" >type.json
mkdir -p directory.json
for file in cut open empty deep newer type directory missing; do
    for command in 'show' 'why nop.fill.64' 'emit -f header -o kept.h'; do
        run 1 $command $file.json; out_is_empty
        err_has "^altpick: $file.json:[ 0-9]"
        [ "$(wc -l <err)" -eq 1 ] || fail "$last: not one line"
    done
    run 1 show --policy $file.json "$golden/profile.json"; out_is_empty
    run 1 show --previous $file.json "$golden/profile.json"; out_is_empty
done
echo '{"target": "moon"}' >policy.json
run 1 emit -f header -o kept.h --policy policy.json "$golden/profile.json"
[ "$(cat kept.h)" = keep ] || fail 'an output was touched by a failure'

# Profiles that do not fit.
run 4 emit -f header --machine nobody "$golden/profile.json"; err_has 'no machine called nobody'
run 4 emit -f header "$golden/profile.json"; err_has 'machine is needed'
run 4 why nop.fill.64 "$golden/profile.json"
run 0 show "$golden/profile.json"; is_mail; out_has 'unknown '

# SOURCE_DATE_EPOCH asks for reproducible output.
export SOURCE_DATE_EPOCH=1
run 3 tune -f header -o epoch.h; out_is_empty; err_has 'commit a profile'
[ ! -e epoch.h ] || fail 'tune wrote with SOURCE_DATE_EPOCH set'
run 0 tune -f header -o epoch.h --fallback=default; out_is_empty; err_has 'warning'
unset SOURCE_DATE_EPOCH
[ -s epoch.h ] || fail 'tune wrote no default'

# Without a profile: the recommended forms.
run 0 emit -f header; out_has ALTPICK_NOP5; err_is_empty
cmp -s out epoch.h || fail 'emit without a profile differs from the fallback of tune'
run 0 emit -f header --max-nop 5; out_has '^#define ALTPICK_NOP_MAX 5'; err_is_empty
run 0 emit -f header --strict; err_has 'warning'
run 4 emit -f header --pin nop.fill.64.5=90.5; out_is_empty; err_has 'without a profile'
run 4 emit -f header --require nop.fill.64.5=one-instruction; out_is_empty

# Tables of sites: nothing is written where a line is wrong.
echo 'a_site 40 refcount.inc 3*32+1 # 33 bytes' >sites.list
run 0 emit -f elf --layout linux14 --sites sites.list -o sites.o; out_is_empty; err_is_empty
"$altpick" emit -f elf --layout linux14 --sites - <sites.list 2>err | cmp -s - sites.o ||
    fail 'sites from standard input differ'
run 2 emit -f elf --layout linux14 --sites - -; err_has 'both profile and sites'
run 2 emit -f elf --layout linux14 --sites sites.list -o sites.list; err_has 'overwrite sites.list, which --sites reads'
run 2 tune -f elf --layout linux14 --sites sites.list -o x.o --keep sites.list; err_has 'overwrite'
run 1 emit -f elf --layout linux14 --sites missing.list -o sites.o; err_has 'missing.list: '
cp sites.o kept.o
for line in 's 32 refcount.inc 1' 's 40 refcount.in 1' 's 40 refcount.inc 65536' '5 40 refcount.inc 1' \
    's 40 refcount.inc' 's 40 refcount.inc 1 pad=1' 's 40 refcount.inc 1 maybe'; do
    { cat sites.list; echo; echo "$line"; } >bad.list
    run 1 emit -f elf --layout linux14 --sites bad.list -o kept.o; out_is_empty; err_has ' bad.list:3: '
    [ "$(wc -l <err)" -eq 1 ] || fail "$last: not one line"
    run 1 tune -f elf --layout linux14 --sites bad.list -o new.o --fallback=default --time-limit 0.05
    err_has ' bad.list:3: '
    [ ! -e new.o ] || fail "$last: something was written"
done
# What no decision makes right is told before anything is measured.
for line in 's 3 refcount.inc 1' 's 40 refcount.in 1' 's 3 nop.text-poke.2 1' 's 9 nop.fill.32 1'; do
    echo "$line" >bad.list
    start=$(date +%s)
    run 1 tune -f elf --layout linux14 --sites bad.list -o new.o --time-limit 60; err_has ' bad.list:1: '
    [ $(($(date +%s) - start)) -lt 10 ] || fail "$last: was told after measuring"
done
cmp -s sites.o kept.o || fail 'an object was touched by a failure'
SOURCE_DATE_EPOCH=1 "$altpick" tune -f elf --layout linux14 --sites sites.list -o tuned.o \
    --fallback=default 2>err || fail 'tune of sites'
cmp -s sites.o tuned.o || fail 'emit of sites without a profile differs from the fallback of tune'

# A profile out of a serial log, as it was; the rest is tests/unit/test_serial_log.c.
serial_log() { # PROFILE: what a boot program sends
    python3 -c 'import sys, zlib
text = open(sys.argv[1], "rb").read()
end = b"-----END ALTPICK PROFILE----- %d bytes, crc32 %08x\n" % (len(text), zlib.crc32(text))
log = b"boots\n-----BEGIN ALTPICK PROFILE-----\n" + text + end + b"altpick: done\n"
sys.stdout.buffer.write(log.replace(b"\n", b"\r\n"))' "$1"
}
serial_log "$golden/profile.json" >com1.log
run 0 probe --from-serial com1.log -o got.json; out_is_empty
cmp -s got.json "$golden/profile.json" || fail "$last: not the bytes that were sent"
run 0 probe --from-serial com1.log
cmp -s out "$golden/profile.json" || fail "$last: not the bytes that were sent"
"$altpick" probe --from-serial - <com1.log 2>err | cmp -s - "$golden/profile.json" ||
    fail 'probe --from-serial -: not the bytes that were sent'
sed 's/"trust": "guest"/"trust": "translated"/' "$golden/profile.json" >translated.json
serial_log translated.json >translated.log
run 3 probe --from-serial translated.log -o got.json; out_is_empty; err_has 'trustworthy (translated)'
cmp -s got.json translated.json || fail "$last: not written"
sed 's/"family": 6/"family": -6/' "$golden/profile.json" >bad.json
serial_log bad.json >bad.log
run 1 probe --from-serial bad.log -o kept.json; err_has 'bad.log: /machines/0/cpu/family: '
sed 's/"ring": 3/"ring" 3/' "$golden/profile.json" >bad.json
serial_log bad.json >bad.log
line=$(grep -n '"ring" 3' bad.log | head -1 | sed 's/:.*//')
run 1 probe --from-serial bad.log -o kept.json; err_has " bad.log:$line:"
printf '{\n  "format": "altpick-profile",\n  "version": 1,\n  "machines": []\n}\n' >bad.json
serial_log bad.json >bad.log
run 1 probe --from-serial bad.log -o kept.json; err_has 'bad.log:3: the profile has no machine'
head -c 3000 com1.log >bad.log
run 1 probe --from-serial bad.log -o kept.json; out_is_empty; err_has ' bad.log:2: .* cut off in line '
run 1 probe --from-serial bad.log; out_is_empty
run 1 probe --from-serial missing.log; err_has 'missing.log: '
[ ! -e kept.json ] || fail 'a file was written of a bad log'
for option in '--only fpu.init' '--time-limit 1' --thorough '--cpu 0' '--seed 1' '--samples s' --boot-table; do
    # shellcheck disable=SC2086 # words
    run 2 probe --from-serial com1.log $option; out_is_empty; err_has "measures nothing: ${option%% *} "
done
cp com1.log same.log
run 2 probe --from-serial same.log -o same.log; err_has 'overwrite'
cmp -s com1.log same.log || fail "$last: the log was overwritten"
run 2 tune -f header -o x.h --from-serial com1.log

# Ring 0, before there is any virtual machine; the rest is tests/boot/kvm.
run 2 probe --ring0=xen; out_is_empty; err_has "'xen' is not 'kvm'"
run 2 probe --ring0; err_has '--ring0 needs kvm'
run 2 tune -f header -o x.h --ring0=kvm
run 2 probe --ring0=kvm --only 'zz*'; err_has 'no question matches'
for option in '--samples s' --thorough --boot-table '--selftest-shuffle 1'; do
    # shellcheck disable=SC2086 # words
    run 2 probe --ring0=kvm $option; out_is_empty; err_has "does not go with ${option%% *}"
done
run 2 probe --ring0=kvm --from-serial com1.log; err_has 'measures nothing: --ring0 '

# A failure is one line, whatever was worth a warning before it.
run 1 probe --time-limit 0.2 -o missing/profile.json; out_is_empty
[ "$(wc -l <err)" -eq 1 ] || fail "$last: not one line"

# Standard output that cannot be written.
"$altpick" --version >&- 2>err && fail 'altpick --version to nothing succeeded'
[ "$(wc -l <err)" -eq 1 ] || fail 'altpick --version to nothing: not one line'
if [ -w /dev/full ]; then
    for words in --help --version 'list questions' 'show --help'; do
        "$altpick" $words >/dev/full 2>err
        [ $? -eq 1 ] || fail "altpick $words to /dev/full did not exit 1"
        grep -q '^altpick: standard output: ' err || fail "altpick $words to /dev/full: no message"
    done
fi

# A limit on the size of files is an error like a full disk, and leaves nothing behind.
(ulimit -f 1; exec "$altpick" emit -f header -o limited.h) >out 2>err
status=$? last='altpick emit with a limit on file sizes'
[ $status -eq 1 ] || fail "$last: exit status $status, not 1"
err_has '^altpick: limited.h: '
[ -z "$(ls limited.h* 2>/dev/null)" ] || fail "$last: a file is left"

# From here on with this machine's own profile.
"$altpick" probe --time-limit 0.2 -o own.json >out 2>err
status=$?
if [ $status -eq 3 ]; then
    echo 'this machine cannot be measured: the rest is skipped'
    [ -s own.json ] || fail 'no profile was written'
    [ $bad -eq 0 ]
    exit
fi
[ $status -eq 0 ] || fail "probe: exit status $status"
last=probe; out_is_empty
grep -q "$(printf '\r')" err && fail 'progress although standard error is no terminal'
run 0 show own.json; is_mail; out_has '^nop.fill.64: '
run 0 show --json own.json; out_has '"verdict"'
run 0 show --brief own.json; is_mail; out_has '^  item  *winner'
! grep -q 'every candidate' out || fail 'show --brief shows candidates'
for item in 5 longest jump-from; do
    run 0 why nop.fill.64.$item own.json; is_mail; out_has 'distance to the margin: '
done
run 0 why nop.fill.64 own.json; is_mail
run 0 why nop.text-poke.5 own.json; is_mail; out_has '^nop.text-poke.5: 0f1f.5, pinned'
out_has 'lea32.5: lacks no-register-write'
run 1 why nop.text-poke.5 --pin nop.text-poke.5=fdisi.5 own.json; err_has 'lacks cannot-fault'
run 1 why fpu.init.body --pin fpu.init.body=clear-2002-stack own.json
err_has 'contradicts .*no-leak:xmm'
run 1 show --max-nop 7 --pin nop.fill.64.10=0f1f.10 own.json; err_has 'longer than the policy allows'
run 0 emit -f header --pin nop.fill.64.longest=15 own.json; out_has '^#define ALTPICK_NOP_MAX 15'
run 0 emit -f header --require nop.fill.64.5=one-instruction own.json
run 0 emit -f header --target this-cpu --require nop.fill.64=one-instruction own.json
run 4 emit -f header --require nop.fill.64=one-instruction own.json; err_has 'nop.fill.64.11: no candidate'
run 1 probe --cpu 999 --time-limit 0.2 -o none.json; err_has 'CPU 999'
run 2 probe --samples - -o none.json; err_has 'needs a file'
run 2 tune -f header -o same --keep same; err_has 'same file'
run 2 tune -f header -o same --keep ./same; err_has 'same file' # which is not there yet
run 2 probe -o same --samples "../$(basename "$PWD")/same"; err_has 'same file'
[ ! -e same ] || fail 'written'
ln -s missing dangling
run 1 emit -f header -o dangling; err_has 'leads nowhere'
[ ! -e missing ] || fail 'a dangling link was followed'
run 0 probe --boot-table --only fpu.init
out_has '^Cost of: fpu.init fxrstor, hot, unfenced  *: *[0-9.]* cycles$'
out_has '^Cost of: fpu.init fxrstor, hot, fenced  *: *[0-9.]* cycles$'
out_has '^Cost of: fpu.init fxrstor, cold, fenced  *: *[0-9.]* cycles$'
run 0 show --rebuild-world own.json; is_mail
# That some leave registers behind is what fpu.init finds out.
grep '"contradicted"' own.json | grep -qv '"no-leak:' && fail 'a built-in candidate broke its promise'
grep -q '"no-register-write": "checked"' own.json || fail 'nothing was checked'
run 4 why nop.fill.64.nothing own.json
run 4 why nothing own.json
run 1 show --pin nop.fill.64.5=nothing own.json; out_is_empty; err_has '0f1f.5'
run 1 show --pin nop.fill.64.99=0f1f.5 own.json; out_is_empty; err_has 'nop.fill.64.longest'
run 1 show --pin nop.fill.46.5=0f1f.5 own.json; out_is_empty; err_has 'no question'
run 1 emit -f header --require nop.fil.64=one-instruction own.json; out_is_empty; err_has 'no question'
run 0 show --weight nop.fil.64.hot=2 own.json; err_has 'warning: weight'

# An object on a terminal would be garbage.
if command -v script >/dev/null; then
    script -qec "$altpick emit -f elf" tty.out >/dev/null </dev/null && fail 'an object went to a terminal'
    grep -q 'not for a terminal' tty.out || fail 'an object went to a terminal without a word'
fi

# The profile is what was measured: nothing may take its place.
cp own.json same.json; ln -s same.json link.json
run 2 emit -f header -o link.json same.json; err_has 'overwrite'
cmp -s own.json same.json || fail 'emit changed its input'
ln same.json hard.json
for option in --policy --previous --sites; do
    run 2 emit -f elf --layout linux14 $option same.json -o hard.json own.json; err_has "which $option reads"
    run 2 tune -f header $option same.json -o hard.json; err_has "which $option reads"
done
run 2 patch --previous same.json -o hard.json program own.json; err_has 'which --previous reads'
run 2 patch -o hard.json program same.json; err_has 'overwrite same.json'
cp own.json x.json; run 2 tune -f header -o x.h --keep x.json --policy x.json; [ ! -e x.h ] || fail 'written'
cmp -s own.json same.json || fail 'an output took the place of an input'
run 2 emit -f header -f json; err_has 'given twice'; run 2 emit -o a -f header -o b; err_has 'given twice'
# An empty one, as of an unset variable of a build.
run 2 emit -f header -o ''; err_has "--output needs"; run 2 show ''; err_has 'argument 1 is empty'
run 0 known -o K15_Vishera K15_Vishera; run 0 known -o K15_Vishera K15_Vishera

# Every name of the list finds its machine.
run 0 list machines
for name in $(sed 1d out | cut -d' ' -f1); do names="$names $name"; done
for name in $names; do run 0 known "$name"; done
run 0 why nop.fill.64.5 --pin nop.fill.64.5=90.5 own.json; out_has '90.5, pinned'

run 0 emit -f header own.json; cp out first.h
run 0 emit -f header -o second.h own.json; out_is_empty
cmp -s first.h second.h || fail 'emit is not deterministic'
"$altpick" emit -f header - <own.json >third.h 2>err || fail 'emit from standard input'
cmp -s first.h third.h || fail 'emit from standard input differs'
run 4 emit -f header own.json own.json; err_has 'machine is needed'
run 1 emit -f header -o missing/x.h own.json; err_has '^altpick: missing/x.h: '
run 1 emit -f header -o directory.json own.json
[ -z "$(ls missing 2>/dev/null)" ] || fail 'a directory appeared'
"$altpick" emit -f header own.json >/dev/full 2>err && fail 'emit to /dev/full succeeded'
run 1 emit -f header -o /dev/full own.json; err_has '^altpick: /dev/full: '

run 0 tune --time-limit 0.2 -f header -o tuned.h --keep kept.json; out_is_empty
run 0 emit -f header -o again.h kept.json
cmp -s tuned.h again.h || fail 'tune and emit of its profile differ'
export SOURCE_DATE_EPOCH=1
run 0 tune --allow-native --time-limit 0.2 -f header -o native.h
unset SOURCE_DATE_EPOCH
[ -s native.h ] || fail 'tune --allow-native wrote nothing'
for left in *.h.?????? *.json.??????; do
    [ -e "$left" ] && fail 'a temporary file is left'
done

# Undecided items: a warning, and with --strict a failure that writes nothing.
if "$altpick" show own.json 2>&1 >/dev/null | grep -q 'are undecided'; then
    rm -f strict.h
    run 3 emit --strict -f header -o strict.h own.json; err_has 'are undecided'; out_is_empty
    [ ! -e strict.h ] || fail 'emit --strict wrote an undecided output'
fi
[ $bad -eq 0 ]
