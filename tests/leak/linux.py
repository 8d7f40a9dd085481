#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""altpick-leak on Linux: clean here, every planted leak found and named, wrong usage refused.

linux.py PROGRAM.  What is planted is known from the command line alone: the program's own report is
held against that.
"""
import json
import os
import subprocess
import sys

PROGRAM = sys.argv[1]
CONTROL = "switch"
errors = []


def run(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def check(holds, *words):
    if not holds:
        errors.append(" ".join(str(w) for w in words))


def report(seconds, only, plant=None):
    words = ["--json", "--seconds", str(seconds)]
    words += ["--only", only] if only else []
    words += ["--plant", plant] if plant else []
    status, out, err = run(*words)
    check(err == "", words, "said on stderr:", err)
    document = json.loads(out)
    check(status == {"clean": 0, "leak": 1, "not-tested": 3}[document["result"]], words, status)
    return document


def findings(document, scene):
    return [f for s in document["scenes"] if s["scene"] == scene for f in s["findings"]]


def clean():
    """Nothing planted, nothing found; and something did happen in every scene."""
    document = report(1.4, None)
    check(document["result"] == "clean", "not clean:", json.dumps(document, indent=1)[:4000])
    check(len(document["scenes"]) >= 15, "scenes are missing")
    for scene in document["scenes"]:
        if scene["scene"] == "migrate" and len(os.sched_getaffinity(0)) == 1:
            check(scene["verdict"] == "not-tested", "moves on one CPU")
            continue
        check(scene["times"] > 0 and scene["looks"] > 0, "nothing happened in", scene["scene"])
    looked_at = [p for p in document["parts"] if p["looked_at"]]
    return {p["part"] for p in looked_at}, {p["register"] for p in looked_at}


def owners_of(found):
    return {(f["holder"], f.get("owner")) for f in found}


def planted(plant, scene, part, registers=None, pairs=None, seconds=0.06):
    """What is found is in this part and these registers, and belongs to whom it should."""
    for again in (1, 20): # on a busy machine not all may have had their turn
        document = report(seconds * again, scene, plant)
        found = findings(document, scene)
        # A second signal of the timer finds in its frame what the first one's handler left.
        found = [f for f in found if f["where"] != "signal frame"]
        if found and owners_of(found) >= (pairs or set()):
            break
    check(document["result"] == "leak" and found, plant, "in", scene, "was not found")
    for f in found:
        check(part is None or f["part"] == part, plant, "in", scene, "was found in", f["part"])
        check(registers is None or int(f["registers"], 16) == registers, plant, f)
    check(pairs is None or owners_of(found) == pairs, plant, scene, "names", owners_of(found))


BOTH = {("first", "second"), ("second", "first")}


def leaks(parts, registers):
    for part in sorted(parts):
        planted(f"switch:{part}", "yield", part if part != "x87" else None, pairs=BOTH)
        planted(f"switch:{part}", CONTROL, part if part != "x87" else None, pairs=BOTH)
    for name, part, bit in (("xmm3", "xmm", 3), ("ymm7", "ymm", 7), ("zmm5", "zmm", 5),
                            ("zmm16", "hi16-zmm", 0), ("zmm31", "hi16-zmm", 15), ("k2", "opmask", 2),
                            ("st6", "x87", 6), ("mxcsr", "mxcsr", 0), ("fcw", "x87-control", 0)):
        if part not in parts:
            continue
        planted(f"switch:{name}", "pipe", part, 1 << bit, BOTH)
        planted(f"switch:{name}", "threads", part, 1 << bit)
        planted(f"handler:{name}", "signal", part, 1 << bit)
    every = None  # parts
    planted("switch:lazy", "unused", every, pairs={("a task without state", "first")})
    planted("switch:lazy", CONTROL, every, pairs={("second", "first")})
    for scene in ("yield", "pipe", "futex", "sleep", "threads"):
        planted("switch:all", scene, every)
    planted("switch:all", "preempt", every, pairs=BOTH, seconds=0.15)
    planted("switch:xmm", "fork", "xmm", 0xffff, {("first", "second")})
    planted("switch:xmm", "ptrace", "xmm", 0xffff, {("first", "second")})
    if len(os.sched_getaffinity(0)) > 1:
        planted("switch:xmm", "migrate", "xmm", 0xffff, BOTH)
    planted("entry:all", "exec", every)
    for pointer in {"fip-env", "fop-env", "fdp-env"} & registers: # what saves may leave out
        planted("switch:" + pointer, CONTROL, "x87-pointers", pairs=BOTH)
        planted("handler:" + pointer, "signal", "x87-pointers")
        planted("entry:" + pointer, "exec", "x87-pointers")
    planted("entry:xmm", "exec", "xmm", 0xffff, {("a task without state", "first")})
    for scene in ("signal", "signal-stack", "signal-timer"):
        planted("handler:xmm", scene, "xmm", 0xffff,
                {("first", "handler"), ("handler", "nested handler")}, 0.1)


def not_everywhere():
    """A leak that is planted in one place is not seen in another."""
    for plant, scene, place in (("handler:xmm", "yield", "signal"), ("switch:xmm", "exec", "pipe"),
                                ("entry:xmm", "pipe", "exec")):
        document = report(0.2, scene + "," + place, plant)
        check(not findings(document, scene), plant, "was found in", scene)
        check(findings(document, place), plant, "was not found in", place)
        status, out, err = run("--seconds", "0.05", "--only", scene, "--plant", plant)
        check(status == 2 and out == "" and "has such a place" in err, plant, scene, status, err)
    document = report(0.05, "yield", "switch:lazy") # no task without state there
    check(document["result"] == "clean", "switch:lazy was found in yield")


def hidden(parts):
    """What cannot be looked at is not planted, and that is said."""
    for part in {"bnd", "tile", "apx", "zmm", "opmask"} - parts:
        status, out, err = run("--seconds", "0.05", "--plant", "switch:" + part)
        check(status == 3 and "cannot be looked at" in err and "result" not in out, part, status)


def usage():
    for words in (["--seconds", "0"], ["--seconds", "x"], ["--seconds", "1e3"], ["--seconds", "."],
                  ["--seconds", "99999999999"], ["--cpu", "-1"], ["--cpu", "1x"], ["--cpu", "4096"],
                  ["--only", "yield,,pipe"], ["--only", "yeld"], ["--only", ""], ["--plant", "ymm"],
                  ["--plant", "switch:ymm99"], ["--nonsense"], ["file"],
                  ["--plant", "switch:xmm", "--plant", "switch:xmm"]):
        status, out, err = run(*words)
        check(status == 2 and out == "" and err != "", words, "gave", status, repr(out), repr(err))
    for words in (["--help"], ["--version"], ["--list"]):
        status, out, err = run(*words)
        check(status == 0 and out != "" and err == "", words, "gave", status)
    status, _, err = run("--seconds", "0.05", "--cpu", "1023")
    check(status in (2, 3) and "CPU 1023" in err, "a CPU that is not there gave", status, err)
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([PROGRAM, "--seconds", "0.05", "--only", "switch"], stdout=full,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        check(done.returncode == 3, "a full disk gave", done.returncode)


def one_cpu():
    """Scenes for two CPUs are said not to be tested, and the rest counts."""
    done = subprocess.run([PROGRAM, "--seconds", "0.1", "--only", "yield,migrate"], timeout=60,
                          capture_output=True, text=True, check=False,
                          preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    check(done.returncode == 0 and "only one CPU" in done.stdout, "one CPU:", done.stdout)


def text():
    status, out, _ = run("--seconds", "0.05", "--only", "yield", "--plant", "switch:ymm7")
    if "ymm" in out.splitlines()[1]:
        check(status == 1 and "LEAK yield: first saw in ymm (ymm7, bytes 16-31)\n      bits of "
              "second instead of those of first" in out, "text:", out)
        check(out.endswith("result: LEAK\n"), "text ends:", out[-200:])


visible, visible_registers = clean()
leaks(visible, visible_registers)
hidden(visible)
not_everywhere()
usage()
one_cpu()
text()
for error in errors:
    print(error)
sys.exit(1 if errors else 0)
