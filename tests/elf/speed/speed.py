#!/usr/bin/env python3
"""How fast `altpick inspect` is, against its bars; prints a line each and fails where one is missed.

usage: speed.py ALTPICK CENSUS_SPEED
ALTPICK_KERNEL names the vmlinux of a Debian 6.1 kernel or one like it, ALTPICK_MODULES a folder of
its modules, ALTPICK_PACKED packed images between colons.  Without them only the census is measured,
on altpick itself."""
import os
import pathlib
import resource
import subprocess
import sys

REPEATS = 9
MEMORY_KIB = 40 << 10


def cpu_seconds(command):
    """CPU time of @command, of which a busy neighbour takes none."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def limit():
    """All of what is measured runs with no more writable private memory than is allowed."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_KIB << 10, MEMORY_KIB << 10))


def best(command, repeats=REPEATS):
    return min(cpu_seconds(command) for _ in range(repeats))


def main():
    altpick, census = sys.argv[1:]
    kernel, modules = os.environ.get("ALTPICK_KERNEL"), os.environ.get("ALTPICK_MODULES")
    packed = [p for p in os.environ.get("ALTPICK_PACKED", "").split(":") if p]
    missed = subprocess.run([census, kernel or altpick], check=False).returncode != 0
    if kernel:
        ms = 1e3 * best([altpick, "inspect", "--no-census", kernel])
        print(f"tables of {kernel} without census: {ms:.1f} ms (at most 20)")
        missed |= ms > 20
    if modules:
        files = sorted(str(p) for p in pathlib.Path(modules).rglob("*.ko"))
        rate = len(files) / best([altpick, "inspect", *files], 3)
        print(f"{len(files)} modules: {rate:.0f} files/s (at least 2000)")
        missed |= rate < 2000
    for file in packed:
        print(f"{file}: {best([altpick, 'inspect', file], 2):.2f} s")
    if kernel or modules or packed:
        print(f"all with at most {MEMORY_KIB >> 10} MiB of private memory")
    else:
        print("no kernel: ALTPICK_KERNEL, ALTPICK_MODULES and ALTPICK_PACKED name what to measure")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
