# SPDX-License-Identifier: MIT
"""Whether a cycle is a cycle: chains against each other, and NOP costs over many processes."""
import math
import statistics
import subprocess

import lib


def within(values, centre, tolerance):
    return sum(abs(value / centre - 1) <= tolerance for value in values)


def figures(program):
    """One process: {"xor": 1.00001, "imul": 3.0002, "nop1": 0.1667, "nop5": 0.1668}."""
    words = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    return {name: float(value) for name, value in zip(words[::2], words[1::2])}


def judge(j):
    j.need_trust()
    program = j.tool("judge_clock")
    n = j.count(20, 50)
    need = math.ceil(0.95 * n)
    runs = {}
    for load, cpus in j.loads():
        with j.load(*cpus):
            runs[load] = j.runs_alone(n, load, lambda: figures(program))
    runs = {load: some for load, some in runs.items() if some}
    if not runs:
        raise lib.Skip("another thread was on this core all the time")
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
