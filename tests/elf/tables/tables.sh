#!/bin/sh
# Compare what altpick says of an object and of a linked file with the expected file, and with what
# a reader without altpick's code finds.
# usage: tables.sh check|rebase ALTPICK HERE GOLDEN LAYOUT LINKED [OBJECT]
mode=$1 altpick=$(realpath "$2") here=$3 golden=$4 layout=$5 linked=$(realpath "$6")
object=${7:+$(realpath "$7")}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "FAIL: $*"; exit 1; }

cp "$linked" linked
[ -z "$object" ] || cp "$object" object
files=${object:+"object "}linked

# shellcheck disable=SC2086
"$altpick" inspect --entries $files >said || fail "altpick inspect --entries $files"
# The size of a file is the linker's affair.
sed 's/, [0-9]* bytes$/, some bytes/' said >text
awk 'length > 100 || /[^ -~]/ { exit 1 }' text || fail 'wider than 100 or not ASCII'
if [ "$mode" = rebase ]; then
    cp text "$golden"
else
    diff -u "$golden" text ||
        { echo "if this is meant: meson compile -C BUILD rebase-$(basename "$golden" .txt)"; exit 1; }
fi

for file in $files; do
    "$altpick" inspect --json --entries "$file" >"$file.json" || fail "altpick inspect --json $file"
    grep -q "\"layout\": \"$layout\"" "$file.json" || fail "$file: not taken for $layout"
    grep -q '"census"' "$file.json" || fail "$file: no census"
    "$altpick" inspect --layout "$layout" --no-census --json "$file" >json || fail "--layout $layout"
    ! grep -q '"census"\|"records": \[' json || fail 'more than was asked for'
done
# shellcheck disable=SC2086
python3 "$here/check_records.py" "$layout" linked $files || fail "$layout: another reader differs"
