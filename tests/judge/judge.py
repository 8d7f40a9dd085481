#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judge a build against the bars of docs/measuring.md: one row a figure, exit 1 when one fails."""
import argparse
import importlib
import subprocess
import sys

import lib

# In the order of the table.  Each is a module with judge(j).
CHECKS = ["truth", "speed", "clock", "repeat", "power", "trust", "limits", "badinput", "host"]
# Only when named: its long form has a table of its own, and takes longer than all of these.
ON_REQUEST = ["soak"]


# A short form may be spoiled by another tenant of the same core; three times in a row it is ours.
SHORT_TRIES = 3


def try_check(j, name):
    """Run a check; in its short form again, without the rows of before, while a bar is missed."""
    before = len(j.rows)
    for attempt in range(1 if j.long else SHORT_TRIES):
        if attempt:
            print(f"{name}: again, to see whether a neighbour was the reason", flush=True)
        del j.rows[before:]
        importlib.import_module(name).judge(j)
        if all(row[3] for row in j.rows[before:]):
            return


def run_check(j, name):
    j.begin()
    try:
        try_check(j, name)
    except lib.Skip as skip:
        print(f"{name:<28} skipped: {skip}", flush=True)
        return False
    except (AssertionError, KeyError, ValueError, OSError, subprocess.SubprocessError) as error:
        j.row(name, "runs to its end", repr(error), False)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build directory")
    parser.add_argument("--long", action="store_true", help="all repetitions")
    parser.add_argument("name", nargs="*", default=CHECKS, help="one of: " + ", ".join(CHECKS + ON_REQUEST))
    args = parser.parse_args()
    unknown = [name for name in args.name if name not in CHECKS + ON_REQUEST]
    if unknown:
        parser.error(f"no check called {unknown[0]}; there are: {', '.join(CHECKS + ON_REQUEST)}")

    lib.end_by_exit()
    j = lib.Judge(args.build, args.long)
    try:
        ran = [run_check(j, name) for name in args.name]
    finally:
        j.close()
    if not any(ran):
        return 77
    failed = sum(not row[3] for row in j.rows)
    print(f"{len(j.rows) - failed} bars met, {failed} missed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
