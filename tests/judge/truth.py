# SPDX-License-Identifier: MIT
"""Whether decisions find the truth where it is known: whole probes replayed with published figures."""
import re
import subprocess


def replay(j, *arguments):
    """The replay's line of results; the machines it names go to standard error."""
    program = j.tool("replay/replay")
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    return result.stdout.strip()


def percents(line):
    return [float(figure) for figure in re.findall(r"\(([0-9.]+) %\)", line)]


def judge(j):
    nops = j.source / "probes" / "published" / "nops.tsv"
    truth = j.tool("truth/truth.tsv")
    every = j.count(8, 1)

    line = replay(j, "truth", every, j.count(1, 3), nops, truth)
    all_, other = percents(line)
    j.row("published machines, replayed", ">= 95 % of decisions", f"{all_} %", all_ >= 95)
    j.row("  where not the default", ">= 90 %", f"{other} %", other >= 90)
    _, other = percents(replay(j, "default-mutant", every, 1, nops, truth))
    j.row("  deciding the default always", "misses that bar", f"{other} %", other < 90)
    line = replay(j, "shuffle", every, 1, nops, truth)
    kept = re.search(r"bytes of (\d+) of (\d+) winners unchanged", line)
    kept, winners = map(int, kept.groups())
    j.row("  bytes shuffled behind names", "same bytes win", f"{kept} of {winners}",
          kept >= 0.999 * winners)

    runs = 1000
    false = int(re.search(r": (\d+) false winners", replay(j, "same", runs)).group(1))
    j.row("equal code, simulated", f"0 false winners in {runs}", f"{false}", false == 0)
    runs = j.count(100, 1000)
    found = re.search(r": (\d+) by 10 %, (\d+) by 25 %", replay(j, "power", runs))
    ten, more = map(int, found.groups())
    j.row("10 % loser, simulated", f"found in 99 % of {runs}", f"{ten}", ten >= 0.99 * runs)
    j.row("25 % loser, simulated", f"found in all but 1 of {runs}", f"{more}", more >= runs - 1)
