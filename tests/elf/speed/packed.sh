#!/usr/bin/env bash
# Inspect a large image in every packing, with little memory that is not a file's.
# usage: packed.sh ALTPICK LINKED
altpick=$(realpath "$1") linked=$(realpath "$2")
for tool in gzip xz zstd lz4 prlimit; do
    command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
limit=$((40 << 20)) # bytes of private writable memory, which RLIMIT_DATA counts
fail() { echo "FAIL: $*"; cat said 2>/dev/null; exit 1; }

# What follows the section headers of an ELF file is no part of it.
python3 - "$linked" <<'END' || exit 1
import random, sys
noise = random.Random(1).randbytes(1 << 20)
with open("plain", "wb") as out:
    out.write(open(sys.argv[1], "rb").read())
    for i in range(60):
        out.write(noise)
END
gzip -1c plain >plain.gzip
xz -c --lzma2=preset=0,dict=128MiB plain >plain.xz
zstd -q -1 --long=27 -c <plain >plain.zstd
lz4 -q -1 -l -c plain >plain.lz4

# bzImages of them, as Linux builds them.
python3 - <<'END' || exit 1
import os, struct
for name in ("gzip", "xz", "zstd", "lz4"):
    payload = open("plain." + name, "rb").read()
    if name != "gzip":
        payload += struct.pack("<I", os.path.getsize("plain"))
    setup = bytearray(5 * 512)
    setup[0x1f1] = 4
    setup[0x1fe:0x206] = b"\x55\xaa\xeb\x66HdrS"
    setup[0x206:0x208] = struct.pack("<H", 0x20f)
    setup[0x248:0x250] = struct.pack("<II", 0, len(payload))
    open("boot." + name, "wb").write(setup + payload)
END

prlimit --data=$limit xz -dc plain.xz >/dev/null 2>&1 &&
    fail 'the limit does not count: xz has a dictionary of 128 MiB'
built_in=$("$altpick" --version | sed -n 's/^packed images: //p')
"$altpick" inspect --no-census plain >expected || fail plain
for name in gzip xz zstd lz4; do
    for file in plain.$name boot.$name; do
        prlimit --data=$limit "$altpick" inspect --no-census $file >out 2>said
        status=$?
        case ", $built_in," in
        *", $name,"*) [ $status -eq 0 ] || fail "$file: status $status" ;;
        *) [ $status -eq 1 ] || fail "$file: status $status"
            grep -q "packed with $name, which this build cannot read" said || fail "$file"
            continue ;;
        esac
        head -1 out | grep -q "inflated from $name$" || fail "$file: $(head -1 out)"
        sed 1d out >rest
        sed 1d expected | cmp -s - rest || fail "$file: not what the plain file has"
    done
done
exit 0
