#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Soak: many probes under every disturbance, and nothing decided otherwise than when it is quiet."""
import argparse
import contextlib
import fnmatch
import json
import pathlib
import random
import shlex
import subprocess
import sys
import typing

import disturb
import lib
from soak_report import Outcome, Planted, Quiet, Run, add_rows, evidence, percents, print_table

# (glob over items, why): shown but not emitted, so that no output depends on what is decided.
LEFT_OUT = ()

TIMEOUT_S = 300
PROBES_A_PLANT = 3  # each plants tens of contests, so that fewer runs of them will do
SHORT_PROBES, SHORT_ONLY = 3, "nop.text-poke"
# The policy for which a probe itself looks whether more samples are worth it.
POLICY = ("--target", "this-cpu", "--rebuild-world")


class Options(typing.NamedTuple):
    probes: int
    seed: int
    only: typing.Optional[str] = None  # glob over questions
    scenario: str = "*"
    left_out: tuple = LEFT_OUT
    keep: typing.Optional[pathlib.Path] = None  # all profiles, not only those that tell of a failure


def first_line(ended):
    """Why a run failed, in one line."""
    if ended.returncode is None:
        return f"no end in {TIMEOUT_S} s"
    lines = ended.stderr.strip().splitlines()
    errors = [line for line in lines if not line.startswith("altpick: warning: ")] or lines
    return f"exit {ended.returncode}: {errors[0] if errors else 'nothing on standard error'}"


def read_decisions(j, profile, left_out):
    """{item: entry of `show --json`} without those that are left out."""
    result = j.run("show", "--json", *POLICY, profile)
    if result.returncode != 0:
        raise ValueError(f"show: exit {result.returncode}: {result.stderr.strip()}")
    keys = ("winner", "verdict", "gain_of", "gain_over", "gain_ppm", "gain_low_ppm", "gain_high_ppm")
    return {entry["item"]: {key: entry.get(key) for key in keys}
            for entry in lib.objects(json.loads(result.stdout), "verdict")
            if not any(fnmatch.fnmatchcase(entry["item"], glob) for glob, _ in left_out)}


def read_planted(text):
    items = {}
    for line in text.splitlines():
        item, must, verdict, lost, *ppm = line.split("\t")
        items[item] = Planted(must, verdict, lost == "lost", percents(*map(int, ppm)))
    return items


class Soak:
    """The runs of all scenarios."""

    def __init__(self, j, options, directory):
        self.j, self.options, self.directory = j, options, directory
        self.load = j.tool("judge_load")
        self.planted = j.tool("judge_planted")
        directory.mkdir(parents=True, exist_ok=True)
        if not options.keep:
            for stale in directory.glob("*.json"):
                stale.unlink()
        self.log = open(directory / "runs.jsonl", "w", encoding="utf-8")

    def close(self):
        self.log.close()

    def random_of(self, scenario, kind, number):
        """The same for the same seed, whatever else was run."""
        return random.Random(f"{self.options.seed} {scenario.name} {kind} {number}")

    def record(self, scenario, kind, run):
        items = {name: entry if isinstance(entry, dict) else entry._asdict()
                 for name, entry in run.items.items()}
        line = {"scenario": scenario.name, "kind": kind, **run._asdict(), "items": items,
                "profile": run.profile and run.profile.name}
        print(json.dumps(line), file=self.log, flush=True)
        return run

    def probe(self, scenario, number):
        rng = self.random_of(scenario, "probe", number)
        seed = rng.getrandbits(31) + 1
        profile = self.directory / f"{scenario.name.replace(' ', '-')}-{number}.json"
        profile.unlink(missing_ok=True)
        only = ["--only", self.options.only] if self.options.only else []
        command = [*disturb.launcher(scenario, self.j.cpu), str(self.j.altpick), "probe", *only,
                   "--cpu", str(self.j.cpu), "--seed", str(seed), "-o", str(profile)]
        ended = disturb.run(command, scenario, rng, TIMEOUT_S)
        items, error = {}, None if ended.returncode == 0 else first_line(ended)
        if not error:
            try:
                items = read_decisions(self.j, profile, self.options.left_out)
            except (ValueError, KeyError, subprocess.SubprocessError) as reason:
                error = repr(reason)
        return self.record(scenario, "probe", Run(number, seed, shlex.join(command), ended.wall_s,
                                                  ended.stops, error, items, profile))

    def plant(self, scenario, number):
        rng = self.random_of(scenario, "planted", number)
        seed = rng.getrandbits(31) + 1
        only = [self.options.only] if self.options.only else []
        command = [*disturb.launcher(scenario, self.j.cpu), str(self.planted), str(seed), *only]
        ended = disturb.run(command, scenario, rng, TIMEOUT_S)
        items, error = {}, None if ended.returncode == 0 else first_line(ended)
        if not error:
            items = read_planted(ended.stdout)
        return self.record(scenario, "planted", Run(number, seed, shlex.join(command), ended.wall_s,
                                                    ended.stops, error, items))

    def runs(self, scenario):
        """(probes, planted runs), in turn, so that whatever else happens meets both."""
        probes, planted = [], []
        with disturb.disturbed(scenario, self.load, self.j.cpu):
            for number in range(self.options.probes):
                probes.append(self.probe(scenario, number))
                if number % PROBES_A_PLANT == 0:
                    planted.append(self.plant(scenario, number))
                if sys.stderr.isatty():
                    end = "\n" if number + 1 == self.options.probes else ""
                    print(f"\r{scenario.name}: {number + 1}", end=end, file=sys.stderr, flush=True)
        return probes, planted

    def drop_profiles(self, report):
        """Keep what tells of a failure."""
        telling = {found.run.number for found in report.against}
        for run in report.probes:
            if not self.options.keep and run.number not in telling and not run.error:
                run.profile.unlink(missing_ok=True)


def soak_one(j, runner, scenario, outcome):
    try:
        probes, planted = runner.runs(scenario)
    except disturb.CannotRun as why:
        outcome.cannot[scenario.name] = str(why)
        print(f"{scenario.name:<28} cannot run here: {why}", flush=True)
        return
    except disturb.LoadEnded as why:
        j.row(scenario.name, "loaded all the time", str(why), False)
        return
    outcome.quiet = outcome.quiet or Quiet(probes, planted)
    report = outcome.quiet.report(scenario, probes, planted)
    outcome.reports.append(report)
    add_rows(j, report)
    for line in evidence(report):
        print(f"  {line}", flush=True)
    runner.drop_profiles(report)


def soak(j, options, outcome):
    """Run all scenarios, the quiet one first.  Without it there is nothing to compare with."""
    directory = options.keep or j.build / "soak"
    runner = Soak(j, options, directory)
    print(f"seed {options.seed}; evidence in {directory}", flush=True)
    try:
        for scenario in disturb.SCENARIOS:
            if scenario.name == disturb.QUIET or fnmatch.fnmatch(scenario.name, options.scenario):
                soak_one(j, runner, scenario, outcome)
            if not outcome.quiet.machine:
                return
    finally:
        runner.close()


def judge(j):
    """The short form is of the quickest question."""
    j.need_trust()
    seed = random.SystemRandom().getrandbits(31)
    soak(j, Options(j.count(SHORT_PROBES, 100), seed, None if j.long else SHORT_ONLY), Outcome())


def left_out(text):
    glob, _, why = text.partition("=")
    if not why:
        raise argparse.ArgumentTypeError("GLOB=WHY: say why")
    return glob, why


def parse():
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("probes", nargs="?", type=int, default=100, help="in each scenario (100)")
    parser.add_argument("--only", metavar="GLOB", help="questions")
    parser.add_argument("--scenario", metavar="GLOB", default="*", help="besides quiet")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(31))
    parser.add_argument("--leave-out", metavar="GLOB=WHY", type=left_out, action="append", default=[],
                        help="items that are not looked at")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path, help="keep all profiles there")
    args = parser.parse_args()
    if args.probes < 1:
        parser.error("at least one probe is needed")
    return args.build, Options(args.probes, args.seed, args.only, args.scenario,
                               LEFT_OUT + tuple(args.leave_out), args.keep and args.keep.resolve())


def main():
    """The table goes to standard output, also of what was done before a signal; all else to error."""
    build, options = parse()
    lib.end_by_exit()
    j, outcome = lib.Judge(build, True), Outcome()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            j.need_trust()
            soak(j, options, outcome)
    except lib.Skip as skip:
        print(f"skipped: {skip}", file=sys.stderr)
        return 77
    finally:
        j.close()
        if outcome.quiet:
            print_table(options, j, outcome)
    return 0 if all(row[3] for row in j.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
