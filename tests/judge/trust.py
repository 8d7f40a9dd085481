# SPDX-License-Identifier: MIT
"""Whether a real core is known from a program that plays one."""
import collections
import re
import shutil
import subprocess

import lib

REAL = {"native", "guest"}
FAKE = {"translated", "interpreted"}


def trust_of(profile):
    return next(lib.objects(lib.read_json(profile), "trust"))["trust"]


def tally(values):
    return ", ".join(f"{count} {value}" for value, count in collections.Counter(values).most_common())


def judge_real(j, load, cpus):
    n = j.count(5, 20)
    seen = []
    with j.load(*cpus):
        for _ in range(n):
            j.run("probe", "--time-limit", "0.2", "-o", j.path("trust.json"))
            seen.append(trust_of(j.path("trust.json")))
    j.row(f"trust here, {load}", f"native or guest in {n} of {n}", tally(seen), set(seen) <= REAL)


def judge_translator(j):
    emulator = shutil.which("qemu-x86_64")
    if not emulator:
        raise lib.Skip("no qemu-x86_64")
    n = j.count(3, 20)
    profile = j.path("qemu.json")
    seen, statuses, costs = [], [], 0
    for _ in range(n):
        profile.unlink(missing_ok=True)
        statuses.append(j.run("probe", "-o", profile, before=[emulator]).returncode)
        seen.append(trust_of(profile) if profile.exists() else "no profile")
        if profile.exists():
            costs += len(list(lib.objects(lib.read_json(profile), "cycles")))
    j.row("trust in a translator", f"translated in {n} of {n}, exit 3",
          f"{tally(seen)}, exit {tally(statuses)}", set(seen) <= FAKE and set(statuses) == {3})
    j.row("", "no cost reported", f"{costs}", costs == 0)
    judge_translated_tune(j, emulator)


def judge_translated_tune(j, emulator):
    header = j.path("qemu.h")
    arguments = ("tune", "-f", "header", "-o", header)
    result = j.run(*arguments, before=[emulator])
    j.row("tune in a translator", "exit 3, nothing written",
          f"exit {result.returncode}, {'written' if header.exists() else 'nothing written'}",
          result.returncode == 3 and not header.exists())
    result = j.run(*arguments, "--fallback=default", before=[emulator])
    default = header.exists() and "these are the defaults" in header.read_text(encoding="utf-8")
    warned = bool(result.stderr.strip())
    j.row("  --fallback=default", "exit 0, warning, default written",
          f"exit {result.returncode}, {'' if warned else 'no '}warning, {'default' if default else 'no default'}",
          result.returncode == 0 and warned and default)


def judge_boot(j):
    """Virtual machines whose processor is a program that claims to be a real one."""
    n = 20
    boots = subprocess.run([j.source / "tests" / "boot" / "tcg.sh", j.tool("boot/trust_main"), str(n)],
                           capture_output=True, text=True, errors="replace", check=False)
    if boots.returncode == 77:
        raise lib.Skip(boots.stderr.strip())
    seen = [line.split(":")[0] for line in boots.stdout.splitlines() if re.match(r"[a-z-]+: \w", line)]
    j.row("trust in an emulator", f"translated in {n} of {n}", tally(seen),
          len(seen) == n and set(seen) <= FAKE)


def judge(j):
    for load, cpus in j.loads()[::2]:
        judge_real(j, load, cpus)
    judge_translator(j)
    if j.long:  # tests/boot has the short form
        judge_boot(j)
