# SPDX-License-Identifier: MIT
"""Whether --time-limit is kept."""


def judge(j):
    j.need_trust()
    for limit in j.count((0.2, 0.5, 1), (0.2, 0.5, 1, 2, 5, 60)):
        profile = j.path("limits.json")
        walls = []
        for _ in range(j.count(3, 5)):
            wall, result = j.timed("probe", "--time-limit", limit, "-o", profile)
            assert result.returncode == 0, result.stderr
            assert j.run("show", profile).returncode == 0, f"no readable profile after {limit} s"
            walls.append(wall)
        j.row(f"--time-limit {limit}", f"<= {1.1 * limit:.2f} s", f"{max(walls):.3f} s at worst",
              max(walls) <= 1.1 * limit)
