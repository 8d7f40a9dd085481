#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""altpick-leak.elf on machines that QEMU translates: clean, every planted leak found and named.

bare.py IMAGE.  Exits 77 where there is no QEMU.
"""
import re
import shutil
import subprocess
import sys

DONE, CLEAN, LEAK, FAILED, UNFIT = "altpick: done", 33, 41, 35, 37
errors = []


def boot(model, words):
    command = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", model, "-M", "q35", "-m", "128",
               "-display", "none", "-monitor", "none", "-net", "none", "-no-reboot",
               "-serial", "stdio", "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
               "-kernel", sys.argv[1], "-append", words]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=30,
                              check=False)
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace").splitlines()
    return done.returncode, done.stdout.decode(errors="replace").replace("\r", "").splitlines()


def check(holds, lines, *words):
    if not holds:
        errors.append(" ".join(str(w) for w in words) + "".join("\n    | " + l for l in lines[-40:]))


FOUND = re.compile(r"^(LEAK|LEFT) (.+?): (.+?) saw in (\S+) \((.+), bytes (\d+)-(\d+)\)\n      "
                   r"(?:bits of )?(.+?) instead of ", re.M)
SCENES = {"cpuid", "port", "msr", "cr0", "cr3", "cr4", "pause", "tsc", "interrupt", "halt", "switch"}


def clean(model, parts, absent=()):
    status, lines = boot(model, "rounds=24")
    text = "\n".join(lines)
    check(status == CLEAN and DONE in lines and "result: clean" in lines, lines, model, status)
    seen = next((l for l in lines if l.startswith("looked at: ")), "").split()[2:]
    check(seen == parts, lines, model, "looks at", seen)
    for part in absent:
        check(f"not looked at: {part} (" in text, lines, model, "does not say that it lacks", part)
    played = {l.split()[0] for l in lines if re.search(r" clean, \d+ times$", l)}
    check(played >= SCENES, lines, model, "played", played)


def planted(words, scenes, part, registers, owners):
    """@owners: (who saw, whose bits) that must be found, and no others."""
    status, lines = boot("max", "rounds=12 " + words)
    found = list(FOUND.finditer("\n".join(lines)))
    entry = words.startswith("plant=entry")
    check(status == (CLEAN if entry else LEAK) and DONE in lines, lines, words, status)
    check({m[1] for m in found} == {"LEFT" if entry else "LEAK"}, lines, words)
    check({m[2] for m in found} == scenes, lines, words, "found in", {m[2] for m in found})
    check(part is None or {(m[4], m[5]) for m in found} == {(part, registers)}, lines, words)
    check({(m[3], m[8]) for m in found} == owners, lines, words, {(m[3], m[8]) for m in found})


NOBODY, HANDLER = "a task without state", "interrupt handler"
SWITCHED = {("first", "second"), ("second", "first")}
HANDLED = {("first", HANDLER), (NOBODY, HANDLER)}

if not shutil.which("qemu-system-x86_64"):
    print("bare.py: no qemu-system-x86_64")
    sys.exit(77)

X87 = ["x87-control", "x87-status", "x87-tags", "x87"]
clean("max", X87 + ["mxcsr", "xmm", "ymm", "bnd"], ["x87-pointers", "zmm", "tile"])
clean("qemu64", X87 + ["mxcsr", "xmm"], ["ymm"])
clean("Skylake-Server", X87 + ["mxcsr", "xmm", "ymm"], ["opmask", "zmm", "hi16-zmm"])

planted("plant=switch:ymm", {"switch"}, "ymm", "ymm0-ymm15", SWITCHED)
planted("plant=switch:ymm7", {"switch"}, "ymm", "ymm7", SWITCHED)
planted("plant=switch:mxcsr", {"switch"}, "mxcsr", "mxcsr", SWITCHED)
planted("plant=switch:st2", {"switch"}, "x87", "st2", SWITCHED)
planted("plant=switch:xmm", {"switch"}, "xmm", "xmm0-xmm15", SWITCHED)
planted("plant=switch:lazy", {"switch"}, None, None, {("second", "first")})
planted("plant=switch:all", {"switch"}, None, None, SWITCHED)
planted("plant=handler:xmm3", {"interrupt", "halt"}, "xmm", "xmm3", HANDLED)
planted("plant=handler:ymm15", {"interrupt", "halt"}, "ymm", "ymm15", HANDLED)
planted("plant=handler:fcw", {"interrupt", "halt"}, "x87-control", "fcw", HANDLED)
planted("plant=entry:xmm", {"entry"}, "xmm", "xmm0-xmm15", {(NOBODY, "the former owner")})

for bad in ("plant=ymm", "rounds=0", "rounds=1x", "leak", "plant=switch:zmm3"):
    status, lines = boot("max", bad)
    check(status == FAILED and not any(l.startswith("result") for l in lines), lines, bad, status)
status, lines = boot("n270", "")
check(status == UNFIT and "long mode" in "\n".join(lines), lines, "no long mode", status)

for error in errors:
    print(error)
sys.exit(1 if errors else 0)
