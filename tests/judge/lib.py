# SPDX-License-Identifier: MIT
"""What the checks share: running altpick, loading a CPU, and one row of the table for each result."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time


# Shared: independent instructions cost more than the best seen by this share.  The counter's step
# alone moves them by 2 %; another thread on the core by 30 % and more.
SHARED = 1.03
# How long one check tries, in all, for runs beside which the core was not shared.
PATIENCE_S, LONG_PATIENCE_S = 60, 600


class Skip(Exception):
    """The check says nothing on this system."""


class Judge:
    """Where things are, how long to look, and the rows found so far."""

    def __init__(self, build, long):
        self.build = pathlib.Path(build).resolve()
        self.source = pathlib.Path(__file__).resolve().parents[2]
        self.altpick = self.build / "altpick"
        self.long = long
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="altpick-judge."))
        self.rows = []
        self.begin()
        cpus = sorted(os.sched_getaffinity(0))
        # altpick measures on the last CPU that it may use.
        self.cpu, self.other_cpu = cpus[-1], cpus[0]

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def begin(self):
        """At the start of each check."""
        self.patience_ends = time.monotonic() + (LONG_PATIENCE_S if self.long else PATIENCE_S)

    def count(self, short, long):
        return long if self.long else short

    def path(self, name):
        return self.scratch / name

    def tool(self, name):
        """A test program of this build."""
        for program in (self.build / "tests" / name, self.build / "tests" / "judge" / name):
            if program.exists():
                return program
        raise Skip(f"{name} was not built")

    def row(self, name, bar, result, passed):
        self.rows.append((name, bar, result, bool(passed)))
        print(f"{name:<28} {bar:<34} {result:<36} {'pass' if passed else 'FAIL'}", flush=True)

    def run(self, *command, before=(), timeout=120, stdout=subprocess.PIPE, **options):
        """Run altpick with the arguments @command, under the launcher @before."""
        argv = [*map(str, before), str(self.altpick), *map(str, command)]
        return subprocess.run(argv, stdout=stdout, stderr=subprocess.PIPE, text=True, errors="replace",
                              timeout=timeout, stdin=subprocess.DEVNULL, check=False, **options)

    def timed(self, *command, **options):
        start = time.monotonic()
        result = self.run(*command, **options)
        return time.monotonic() - start, result

    def need_trust(self):
        """Skip where this machine's timings say nothing."""
        result = self.run("probe", "--time-limit", "0.2", "-o", self.path("trust.json"))
        if result.returncode == 3:
            raise Skip("timings are not trustworthy here: " + result.stderr.strip())

    def watched(self, run):
        """What run() returns, and what independent instructions cost meanwhile, by code that shares
        nothing with the ruler."""
        with subprocess.Popen([self.tool("judge_alone")], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as watch:
            result = run()
            return float(watch.communicate()[0]), result

    def runs_alone(self, n, load, run):
        """What @n runs return, each beside which no other thread was on this core.  One beside which
        one was says nothing of altpick, and is taken again.  Nothing where there is no time for it:
        then this load is not judged."""
        taken, kept = [], []
        while len(kept) < n:
            if time.monotonic() > self.patience_ends:
                print(f"{load}: not judged: another thread was on this core beside "
                      f"{len(taken) - len(kept)} of {len(taken)} runs", flush=True)
                return []
            taken.append(self.watched(run))
            best = min(cost for cost, _ in taken)
            kept = [result for cost, result in taken if cost <= SHARED * best]
        print(f"{load}: {len(taken) - len(kept)} of {len(taken)} runs taken again, as the core was "
              "shared", flush=True)
        return kept

    @contextlib.contextmanager
    def load(self, *cpus):
        """A busy process on each of @cpus, ended on every way out."""
        busy = [subprocess.Popen(["taskset", "-c", str(cpu), "yes"], stdout=subprocess.DEVNULL)
                for cpu in cpus]
        try:
            if busy:
                time.sleep(0.2)
            yield
        finally:
            for process in busy:
                process.kill()
            for process in busy:
                process.wait()

    def loads(self):
        """Name and CPUs of every kind of load under which results must not change."""
        kinds = [("quiet", ())]
        if self.other_cpu != self.cpu:
            kinds.append(("other CPU busy", (self.other_cpu,)))
            kinds.append(("both CPUs busy", (self.cpu, self.other_cpu)))
        return kinds


def end_by_exit():
    """Let signals end the program through every `finally`."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: sys.exit(128 + number))


def read_json(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def objects(value, key):
    """Every object inside @value, at any depth, that has the member @key."""
    if isinstance(value, dict):
        if key in value:
            yield value
        for inner in value.values():
            yield from objects(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner, key)


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"
