# SPDX-License-Identifier: MIT
"""How long a probe of one question takes, and one of all."""
import statistics

MEDIAN_S = 0.6
MAX_S = 0.75
ALL_MEDIAN_S = 2.0
QUESTION_MEDIAN_S = {"fpu.init": 0.15, "kernel-fpu.begin": 0.1}


def walls(j, n, *words):
    seconds = []
    for _ in range(n):
        wall, result = j.timed("probe", *words, "-o", j.path("speed.json"))
        assert result.returncode == 0, result.stderr
        seconds.append(wall)
    return seconds


def judge(j):
    j.need_trust()
    seconds = walls(j, j.count(10, 30), "--only", "nop.fill.64")
    median = statistics.median(seconds)
    j.row(f"probe time, {len(seconds)} runs", f"median <= {MEDIAN_S} s", f"{median:.3f} s",
          median <= MEDIAN_S)
    j.row("", f"max <= {MAX_S} s", f"{max(seconds):.3f} s", max(seconds) <= MAX_S)
    for question, bar in QUESTION_MEDIAN_S.items():
        median = statistics.median(walls(j, j.count(10, 30), "--only", question))
        j.row(f"{question} alone", f"median <= {bar} s", f"{median:.3f} s", median <= bar)
    seconds = walls(j, j.count(5, 30))
    median = statistics.median(seconds)
    j.row(f"of all questions, {len(seconds)} runs", f"median <= {ALL_MEDIAN_S} s", f"{median:.3f} s",
          median <= ALL_MEDIAN_S)
