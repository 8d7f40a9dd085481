# SPDX-License-Identifier: MIT
"""How long a probe of one question takes."""
import statistics

MEDIAN_S = 0.6
MAX_S = 0.75


def judge(j):
    j.need_trust()
    seconds = []
    for _ in range(j.count(10, 30)):
        wall, result = j.timed("probe", "--only", "nop.fill.64", "-o", j.path("speed.json"))
        assert result.returncode == 0, result.stderr
        seconds.append(wall)
    median = statistics.median(seconds)
    j.row(f"probe time, {len(seconds)} runs", f"median <= {MEDIAN_S} s", f"{median:.3f} s",
          median <= MEDIAN_S)
    j.row("", f"max <= {MAX_S} s", f"{max(seconds):.3f} s", max(seconds) <= MAX_S)
