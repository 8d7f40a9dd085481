#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold `altpick view` and `altpick inspect` against kernels of Debian 12 and against Xen: what they print while they
patch themselves, what their memory holds afterwards, and every module. One row a figure, exit 1 when one fails."""
import argparse
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

import elf
import fetch
import second
import sites
import tables

# name: package, architecture, boot options, CPU models, least number of sites in the log
KERNELS = {
    "6.1": ("linux-image-amd64", "amd64", "debug-alternative", ("qemu64", "max"), 3000),
    "6.12": ("linux-image-6.12-amd64", "amd64", "debug-alternative=1", ("qemu64", "max"), 5000),
    "6.1-686": ("linux-image-686-pae", "i386", "debug-alternative", ("qemu32",), 500),
}
# Fewer modules than this are not the whole package.
LEAST_MODULES = 3900


class Judge:
    """Where things are and the rows found so far."""

    def __init__(self, altpick, cache, reuse):
        self.altpick, self.cache, self.reuse = altpick.resolve(), cache.resolve(), reuse
        self.packages = fetch.Packages(self.cache)
        self.logs = self.cache / "logs"
        self.logs.mkdir(exist_ok=True)
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="altpick-conformance."))
        self.rows = []

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def path(self, name):
        return self.scratch / name

    def boot_files(self, name, cpu):
        return self.logs / f"{name}-{cpu}.log", self.logs / f"{name}-{cpu}.memory"

    def row(self, name, bar, result, passed):
        self.rows.append(bool(passed))
        print(f"{name:<32} {bar:<34} {result:<44} {'pass' if passed else 'FAIL'}", flush=True)

    @staticmethod
    def note(text):
        print(f"    {text}", flush=True)

    def run(self, *arguments):
        return subprocess.run([str(self.altpick), *map(str, arguments)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=120,
                              check=False)


def kernel(judge, name):
    package, arch, options, cpus, least = KERNELS[name]
    folder = judge.packages.get(package, arch)
    image = fetch.only(folder, "boot/vmlinuz-*")
    file = judge.path(f"vmlinux-{name}")
    file.write_bytes(fetch.vmlinux(image))
    truth = tables.linux_table(elf.Elf(file.read_bytes()))
    for what, path in (("vmlinux", file), ("vmlinuz", image)):
        tables.judge_image(judge, f"{name} {what}", path, truth)
    for cpu in cpus:
        booted = sites.judge_kernel(judge, name, image, file, cpu, options, least)
    second.judge_random(judge, name, booted)


def modules(judge):
    for name, (package, arch, *_) in KERNELS.items():
        tables.judge_modules(judge, name, judge.packages.get(package, arch), LEAST_MODULES)


def xen(judge):
    folder = judge.packages.get("xen-hypervisor-4.17-amd64-dbg")
    file = fetch.only(folder, "usr/lib/debug/boot/xen-syms-*-amd64")
    truth = tables.xen_table(file)
    tables.judge_image(judge, "Xen 4.17 xen-syms", file, truth)
    # What is booted has neither sections nor symbols, but the same table.
    shipped = fetch.only(judge.packages.get("xen-hypervisor-4.17-amd64"), "boot/xen-*-amd64.gz")
    tables.judge_image(judge, "Xen 4.17 xen.gz", shipped, truth)


PARTS = {**{name: kernel for name in KERNELS}, "xen": xen, "modules": modules}


def attempt(judge, name):
    try:
        if PARTS[name] is kernel:
            kernel(judge, name)
        else:
            PARTS[name](judge)
    except (OSError, ValueError, KeyError, AssertionError, subprocess.SubprocessError) as error:
        judge.row(name, "runs to its end", repr(error)[:200], False)
        traceback.print_exc()


def main():
    names = list(PARTS)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--altpick", required=True, type=pathlib.Path, help="the program to judge")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="folder of packages and boot logs")
    parser.add_argument("--reuse", action="store_true", help="use the logs of an earlier run instead of booting")
    parser.add_argument("name", nargs="*", default=names, help="one of: " + ", ".join(names))
    args = parser.parse_args()
    unknown = [name for name in args.name if name not in names]
    if unknown:
        parser.error(f"no part called {unknown[0]}; there are: {', '.join(names)}")

    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: sys.exit(128 + number))  # through every `finally`
    judge = Judge(args.altpick, args.cache, args.reuse)
    try:
        for name in args.name:
            attempt(judge, name)
    finally:
        judge.close()
    print(f"{sum(judge.rows)} of {len(judge.rows)} bars met")
    sys.exit(0 if judge.rows and all(judge.rows) else 1)


if __name__ == "__main__":
    main()
