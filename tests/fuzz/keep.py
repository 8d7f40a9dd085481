#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Put what fuzzing found on its way into the corpus that every test run replays.

usage: keep.py BUILD_DIR SOURCE_DIR [TARGET]...

Of each target the fewest inputs that together reach all that is reached, each at most INPUT_MAX_BYTES
long, in SOURCE_DIR/corpus/TARGET.zip.  Run after run.py in the same BUILD_DIR.
"""
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

INPUT_MAX_BYTES = 3072


def keep(build, source, name):
    with tempfile.TemporaryDirectory() as scratch:
        start, few = os.path.join(scratch, "start"), os.path.join(scratch, "few")
        os.mkdir(start)
        os.mkdir(few)
        for path in glob.glob(os.path.join(build, "fuzz", name, "*")):
            if os.path.getsize(path) <= INPUT_MAX_BYTES:
                shutil.copy(path, start)
        subprocess.run([os.path.join(build, "tests/fuzz/fuzz-" + name), "-set_cover_merge=1", few, start],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        inputs = sorted(open(os.path.join(few, entry), "rb").read() for entry in os.listdir(few))
    with zipfile.ZipFile(os.path.join(source, "corpus", name + ".zip"), "w", zipfile.ZIP_DEFLATED) as out:
        for data in inputs:  # no date, so that equal inputs give equal files
            out.writestr(zipfile.ZipInfo(hashlib.sha1(data).hexdigest()), data, zipfile.ZIP_DEFLATED)
    print(f"{name}: {len(inputs)} inputs")


def main():
    build, source = sys.argv[1:3]
    for name in sys.argv[3:] or sorted(os.listdir(os.path.join(build, "fuzz"))):
        if os.path.isdir(os.path.join(build, "fuzz", name)):
            keep(build, source, name)


main()
