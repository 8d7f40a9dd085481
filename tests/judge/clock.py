# SPDX-License-Identifier: MIT
"""Whether a cycle is a cycle: chains against each other, and NOP costs over many processes."""
import math
import statistics
import subprocess

import lib

# A run beside which the core was shared says nothing of the ruler, and is taken again, so often.
RUNS_PER_KEPT = 10
# Shared: independent instructions cost more than the best seen by this share.  The counter's step
# alone moves them by 2 %; another thread on the core by 30 % and more.
SHARED = 1.03


def within(values, centre, tolerance):
    return sum(abs(value / centre - 1) <= tolerance for value in values)


def figures(program):
    """One process: {"xor": 1.00001, "imul": 3.0002, "nop1": 0.1667, "nop5": 0.1668}."""
    words = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    return {name: float(value) for name, value in zip(words[::2], words[1::2])}


def watched(clock, alone):
    """One run, and what independent instructions cost meanwhile, by code that is not the ruler's."""
    with subprocess.Popen([alone], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watch:
        run = figures(clock)
        return float(watch.communicate()[0]), run


def runs_alone(j, n, load):
    """@n runs under a load, beside which no other thread was on this core."""
    clock, alone = j.tool("judge_clock"), j.tool("judge_alone")
    taken, kept = [], []
    while len(kept) < n:
        if len(taken) == RUNS_PER_KEPT * n:
            raise lib.Skip(f"{load}: another thread was on this core beside {len(taken) - len(kept)} "
                           f"of {len(taken)} runs")
        taken.append(watched(clock, alone))
        best = min(cost for cost, _ in taken)
        kept = [run for cost, run in taken if cost <= SHARED * best]
    print(f"{load}: {len(taken) - len(kept)} of {len(taken)} runs taken again, as the core was shared",
          flush=True)
    return kept[:n]


def judge(j):
    j.need_trust()
    n = j.count(20, 50)
    need = math.ceil(0.95 * n)
    runs = {}
    for load, cpus in j.loads():
        with j.load(*cpus):
            runs[load] = runs_alone(j, n, load)
    # The value that all processes, quiet or loaded, must agree on.
    grand = {name: statistics.median(run[name] for some in runs.values() for run in some)
             for name in ("nop1", "nop5")}

    for load, some in runs.items():
        good = within([run["xor"] for run in some], 1, 0.0005)
        j.row(f"xor/add, {load}", f"1 +- 0.05 % in {need} of {n}", f"{good} of {n}", good >= need)
        good = sum(abs(run["imul"] / round(run["imul"]) - 1) <= 0.001 for run in some)
        j.row(f"imul/add, {load}", f"integer +- 0.1 % in {need} of {n}", f"{good} of {n}", good >= need)
        for name, centre in grand.items():
            values = [run[name] for run in some]
            good = within(values, centre, 0.001)
            j.row(f"{name}, {load}", f"{centre:.4f} +- 0.1 % in {need} of {n}", f"{good} of {n}",
                  good >= need)
            worst = max(abs(value / centre - 1) for value in values)
            j.row("", "+- 0.3 % in all", f"{100 * worst:.3f} % at worst", worst <= 0.003)
