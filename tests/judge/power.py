# SPDX-License-Identifier: MIT
"""Whether real differences are found and none are invented: planted losers and A/A on this CPU."""
import subprocess


def judge(j):
    program = j.tool("judge_power")
    j.need_trust()
    n = j.count(10, 100)
    seen = []
    for _ in range(n):
        words = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
        seen.append(dict(zip(words[::2], words[1::2])))
    for name, what, good, need in (("loser10", "10 % loser", "found", n - n // 100),
                                   ("loser25", "25 % loser", "found", n), ("aa", "equal code", "tie", n)):
        times = sum(run[name] == good for run in seen)
        j.row(what, f"{good} in {need} of {n}", f"{times} of {n}", times >= need)
