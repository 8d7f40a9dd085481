#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run every fuzz target for its share of the time; print a table; exit 1 on a finding.

usage: run.py BUILD_DIR SECONDS [TARGET]...

SECONDS is CPU time of all targets together; as many run side by side as there are CPUs.  What a target
finds on its way stays in BUILD_DIR/fuzz/TARGET; findings, as crash-*, too.
"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

INPUT_MAX_BYTES = 16384
MEMORY_MAX_MB = 2048


def targets(build):
    prefix = os.path.join(build, "tests/fuzz/fuzz-")
    return sorted(path.removeprefix(prefix) for path in glob.glob(prefix + "*")
                  if os.access(path, os.X_OK) and os.path.isfile(path))


def run(build, name, seconds):
    """(name, executions, edges covered, inputs kept, findings) of one target."""
    work = os.path.abspath(os.path.join(build, "fuzz", name))
    os.makedirs(work, exist_ok=True)
    start = [folder for folder in (os.path.join(build, "tests/fuzz/corpus", name),
                                   os.path.join(build, "tests/fuzz/seeds", name))
             if os.path.isdir(folder)]
    log = os.path.join(build, "fuzz", name + ".log")
    with open(log, "w", encoding="utf-8") as file:
        done = subprocess.run(
            [os.path.abspath(os.path.join(build, "tests/fuzz/fuzz-" + name)),
             f"-max_total_time={seconds}", f"-max_len={INPUT_MAX_BYTES}", f"-rss_limit_mb={MEMORY_MAX_MB}",
             "-timeout=20", f"-artifact_prefix={work}/", "-print_final_stats=1", work]
            + [os.path.abspath(folder) for folder in start],
            stdout=file, stderr=subprocess.STDOUT, timeout=seconds + 300)
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    executions = re.search(r"stat::number_of_executed_units: (\d+)", text)
    covered = re.findall(r"cov: (\d+)", text)
    found = [path for kind in ("crash", "timeout", "oom", "leak")
             for path in glob.glob(f"{work}/{kind}-*")]
    if done.returncode and not found:
        found = [log]
    return (name, int(executions[1]) if executions else 0, int(covered[-1]) if covered else 0,
            len(os.listdir(work)), found)


def main():
    build, seconds = sys.argv[1], int(sys.argv[2])
    names = sys.argv[3:] or targets(build)
    unknown = set(names) - set(targets(build))
    if unknown or not names:
        sys.exit(f"fuzz: no such target: {', '.join(unknown) or 'any'}")
    share = max(1, seconds // len(names))
    print(f"{len(names)} targets, {share} s each, {os.cpu_count()} side by side\n")
    print(f"{'target':12} {'executions':>12} {'edges':>8} {'inputs':>8}  findings")
    total, found = 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job in [pool.submit(run, build, name, share) for name in names]:
            name, executions, edges, inputs, findings = job.result()
            print(f"{name:12} {executions:12,} {edges:8,} {inputs:8,}  {len(findings) or 'none'}",
                  flush=True)
            total += executions
            found += findings
    print(f"{'together':12} {total:12,}")
    for path in found:
        print(path)
    sys.exit(1 if found else 0)


main()
