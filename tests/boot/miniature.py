#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Boot the operating system in miniature: no task sees another's state, whatever its sites hold, and
where something unsafe is forced it is found, with the names of both.
usage: miniature.py altpick-miniature.elf
"""
import re
import shutil
import subprocess
import sys

DONE, FAILED = 33, 35  # of QEMU: 2 n + 1 of enum boot_leave
SECONDS = 30  # a boot takes half of one; the machine may be busy
PASSES = ["miniature: PASSED: no task saw another's state", "altpick: done"]
LEAKS = ["miniature: FAILED: a task saw what is not its own", "altpick: done"]
DEFAULTS = "miniature: timings are no costs here: defaults are applied"
ALL = r"miniature: sites: (\d+), applied \1, unknown 0, lacking 0"  # a compiler may inline some
DISPATCH = r"  after  85c0740eb8fffdffff83caff\.\."


def sees(part, register, new="new "):
    return rf"miniature: {new}task \d+ sees bits of task \d+ in {part}, register {register}: a5"


# CPU, words, status, lines (regular expressions) that must be there.
CASES = [
    ("max", "", DONE, PASSES + [DEFAULTS, ALL, DISPATCH, "looks .* at x87, xmm, ymm$", r" 0 #NM"]),
    ("qemu64", "", DONE, PASSES + [DEFAULTS, ALL, "looks .* at x87, xmm$"]),
    ("EPYC", "", DONE, PASSES + [DEFAULTS, ALL, "looks .* at x87, xmm, ymm$"]),
    ("max", "lazy", DONE, PASSES + [r"lazy: .* [1-9]\d+ #NM"]),
    # What is forced is found: where registers are left by the code of 2002, and by a lost #NM.
    ("max", "force=2002", FAILED, LEAKS + [sees("xmm", 8), sees("ymm", 0)]),
    ("qemu64", "force=2002", FAILED, LEAKS + [sees("xmm", 8)]),
    ("max", "force=lazy-skip", FAILED, LEAKS + [sees("(x87|xmm|ymm)", r"\d+", "(new )?")]),
    ("max", "pick=fpu.init.body:fxrstor", FAILED, LEAKS + [sees("ymm", 0)]),
    # Other code at the sites: as decided, and as it is left where the CPU lacks something.
    ("max", "pick=xstate.save.all:xsaveopt.all", DONE,
     PASSES + [ALL, r"  after  b8fffdffff31d2480fae37", r"  after  dbe3db4718b8fffdffff31d2\.\."]),
    ("max", "lazy pick=xstate.save.all:xsave.all", DONE, PASSES + [ALL, r"  after  b8fffdffff31d2480fae27"]),
    ("max", "pick=xstate.save.all:xsaves.all", DONE,
     PASSES + [r"xstate\.save +32 bytes, lacking", r"xstate\.restore +32 bytes, lacking", "lacking 2$"]),
    ("max", "pick=fpu.init.body:clear-avx-mem", DONE, PASSES + [ALL, r"  after  dbe30fefc00fefc90fefd20f\.\."]),
    ("max", "pick=fpu.init.body:clear-avx512-mem", DONE,
     PASSES + [r"fpu\.init\.body +190 bytes, lacking", "lacking 1$"]),
    ("EPYC", "pick=refcount.implementation:full switches=1000", DONE, PASSES + [ALL, "miniature: 100. switches"]),
]
# What is wrong on the command line starts nothing.
WRONG = [("lazy switches=99", "what is 'switches=99'?"),
         ("switches=500 switches=600", "what is 'switches=600'?"),
         ("pick=no-such:clear", "there is no such item to pick for"),
         ("pick=fpu.init.body:no-such", "that is no candidate for it")]


def boot(image, cpu, words):
    """Status of QEMU (None: it did not end) and the lines of COM1."""
    run = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", cpu, "-m", "64", "-display", "none",
           "-net", "none", "-no-reboot", "-monitor", "none", "-serial", "stdio",
           "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-kernel", image, "-append", words]
    try:
        done = subprocess.run(run, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=SECONDS)
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode("latin1").split("\r\n")
    return done.returncode, done.stdout.decode("latin1").split("\r\n")


def check(image, cpu, words, status, patterns):
    was, lines = boot(image, cpu, words)
    missing = [p for p in patterns if not any(re.search(p, line) for line in lines)]
    if was == status and not missing:
        return True
    print(f"{cpu} '{words}': status {was}, not {status}" if was != status else f"{cpu} '{words}'")
    print("\n".join([f"  missing: {p}" for p in missing] + ["  | " + line for line in lines[-30:]]))
    return False


def main():
    if not shutil.which("qemu-system-x86_64"):
        print("skipped: there is no qemu-system-x86_64")
        return 77
    right = [check(sys.argv[1], *case) for case in CASES]
    right += [check(sys.argv[1], "max", words, FAILED, [re.escape(line), "miniature: cannot go on: "])
              for words, line in WRONG]
    print(f"{sum(right)} of {len(right)}")
    return 0 if all(right) else 1


sys.exit(main())
