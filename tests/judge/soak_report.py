# SPDX-License-Identifier: MIT
"""What the runs of a soak tell: bars, the table, and evidence."""
import collections
import datetime
import os
import pathlib
import statistics
import typing

import disturb
import lib

UNDECIDED_PERCENT = {disturb.QUIET: 5}
UNDECIDED_LOADED_PERCENT = 20
SHORT_UNDECIDED_PERCENT = 50
CLAIM_NOTHING = ("undecided", "unmeasured")
NO_CONTEST = ("unmeasured", "pinned", "only-eligible")  # verdicts that no timing can change
EVIDENCE_MAX = 20  # runs of one scenario that it is printed of; all of it is in runs.jsonl


class Run(typing.NamedTuple):
    """One probe, or one run of the planted contests."""
    number: int
    seed: int
    command: str
    wall_s: float
    stops: int
    error: typing.Optional[str]  # its first line, None: it did what it should
    items: dict  # name: what `show --json` says of it, or Planted
    profile: typing.Optional[pathlib.Path] = None


class Planted(typing.NamedTuple):
    """One line of judge_planted."""
    must: str  # tie or lose
    verdict: str
    lost: bool
    interval: str

    def outcome(self):
        """right, open (nothing claimed) or wrong."""
        if self.verdict in CLAIM_NOTHING:
            return "open"
        right = self.lost if self.must == "lose" else self.verdict == "tie"
        return "right" if right else "wrong"


class Against(typing.NamedTuple):
    """A firm decision that differs from what most quiet probes chose."""
    run: Run
    item: str
    majority: str

    def winner(self):
        return self.run.items[self.item]["winner"]


class Report(typing.NamedTuple):
    """All that is told of one scenario."""
    scenario: disturb.Scenario
    probes: list
    planted: list
    against: list
    contests: set  # items that timing decides
    planted_contests: set

    def decided_runs(self):
        return [run for run in self.probes if not run.error]

    def undecided(self):
        """{item: in how many probes}, and how many there could be."""
        runs = self.decided_runs()
        count = collections.Counter(
            item for run in runs for item in self.contests
            if run.items.get(item, {"verdict": "unmeasured"})["verdict"] in CLAIM_NOTHING)
        return count, len(runs) * len(self.contests)

    def varying(self):
        """{item: Counter of winners} where the winner is not the same in all probes."""
        winners = collections.defaultdict(collections.Counter)
        for run in self.decided_runs():
            for item, entry in run.items.items():
                winners[item][entry["winner"]] += 1
        return {item: count for item, count in winners.items() if len(count) > 1}

    def planted_outcomes(self, outcome):
        """[(run, contest)] of those that came out so."""
        return [(run, name) for run in self.planted if not run.error
                for name in sorted(self.planted_contests)
                if (run.items[name].outcome() if name in run.items else "open") == outcome]


def percents(gain_ppm, low_ppm, high_ppm):
    return f"{gain_ppm / 1e4:.1f} % [{low_ppm / 1e4:.1f}, {high_ppm / 1e4:.1f}]"


def most(runs, value):
    """{name: value(entry)} of most runs."""
    votes = collections.defaultdict(collections.Counter)
    for run in runs:
        for name, entry in run.items.items():
            votes[name][value(entry)] += 1
    return {name: count.most_common(1)[0][0] for name, count in votes.items()}


class Quiet:
    """What the quiet runs say, which is what all others are compared with."""

    def __init__(self, probes, planted):
        self.machine = next((machine_of(run) for run in probes if not run.error), None)
        self.winner = most(probes, lambda entry: entry["winner"])
        self.contests = {item for item, verdict in most(probes, lambda entry: entry["verdict"]).items()
                         if verdict not in NO_CONTEST}
        self.planted_contests = {name for name, verdict
                                 in most(planted, lambda entry: entry.verdict).items()
                                 if verdict != "unmeasured"}
        self.planted_unmeasured = {name for run in planted for name in run.items} - self.planted_contests

    def report(self, scenario, probes, planted):
        against = [Against(run, item, self.winner.get(item)) for run in probes
                   for item, entry in run.items.items()
                   if entry["verdict"] not in CLAIM_NOTHING and entry["winner"] != self.winner.get(item)]
        return Report(scenario, probes, planted, against, self.contests, self.planted_contests)


def machine_of(run):
    """The machine in words, from a profile."""
    machine = lib.read_json(run.profile)["machines"][0]
    cpu, measured = machine["cpu"], machine["measured"]
    return (f"{cpu['brand']}, family {cpu['family']} model {cpu['model']}, {measured['trust']}, "
            f"altpick {measured['altpick']}")


def add_rows(j, report):
    """The bars of one scenario."""
    name = report.scenario.name
    n, failed = len(report.probes), sum(bool(run.error) for run in report.probes)
    j.row(name, "no probe fails", f"{failed} of {n}", failed == 0)
    count, of = report.undecided()
    add_undecided(j, "  undecided", UNDECIDED_PERCENT.get(name, UNDECIDED_LOADED_PERCENT),
                  sum(count.values()), of)
    against = collections.Counter(found.item for found in report.against)
    j.row("  against quiet majority", "none", names(against) or "none", not against)

    failed = sum(bool(run.error) for run in report.planted)
    wrong = collections.Counter(contest for _, contest in report.planted_outcomes("wrong"))
    j.row("  planted", "losers lose, twins tie", f"{failed} fail, wrong: {names(wrong) or 'none'}",
          not failed and not wrong)
    add_undecided(j, "  planted, undecided",
                  UNDECIDED_PERCENT.get(name, UNDECIDED_LOADED_PERCENT),
                  len(report.planted_outcomes("open")),
                  (len(report.planted) - failed) * len(report.planted_contests))


def add_undecided(j, name, percent, open_, of):
    """A few probes tell no rate: the short form only sees whether most are decided."""
    percent = percent if j.long else SHORT_UNDECIDED_PERCENT
    j.row(name, f"<= {percent} %", f"{lib.percent(open_, of)}, {open_} of {of}",
          of and 100 * open_ <= percent * of)


def names(count):
    return ", ".join(f"{name} x{n}" for name, n in sorted(count.items()))


class Outcome:
    """What is known so far."""

    def __init__(self):
        self.quiet, self.reports, self.cannot = None, [], {}


HEADINGS = ("load", "probes", "failed", "undecided", "against the quiet majority",
            "winner not the same in all", "wall time, median and maximum", "planted: wrong, undecided")


def cells(report):
    walls = [run.wall_s for run in report.decided_runs()]
    count, of = report.undecided()
    against = collections.Counter((found.item, found.winner(), found.majority) for found in report.against)
    wrong = len(report.planted_outcomes("wrong")) + sum(bool(run.error) for run in report.planted)
    open_ = len(report.planted_outcomes("open"))
    return (report.scenario.name, len(report.probes), sum(bool(run.error) for run in report.probes),
            lib.percent(sum(count.values()), of),
            ", ".join(f"`{item}` {winner}, not {majority}: {n}"
                      for (item, winner, majority), n in sorted(against.items(), key=str)) or "none",
            ", ".join(f"`{item}` ({tally(count)})" for item, count in sorted(report.varying().items()))
            or "none",
            f"{statistics.median(walls):.2f} s, {max(walls):.2f} s" if walls else "-",
            f"{wrong}, {lib.percent(open_, len(report.planted) * len(report.planted_contests))}")


def tally(count):
    return ", ".join(f"{winner} {n}" for winner, n in count.most_common())


def print_table(options, j, outcome):
    quiet = outcome.quiet
    sibling, known = disturb.sibling_of(j.cpu)
    beside = ("no other CPU allowed" if sibling is None else
              f"sibling CPU {sibling}{'' if known else ' (which core it is on is not told)'}")
    print(f"{datetime.date.today()}: {quiet.machine}, {len(os.sched_getaffinity(0))} CPUs; measured on "
          f"CPU {j.cpu}, {beside}; {options.probes} probes and {len(outcome.reports[0].planted)} planted runs each, seed "
          f"{options.seed}; {len(quiet.contests)} items that figures decide, "
          f"{len(quiet.planted_contests)} planted contests.\n")
    print("| " + " | ".join(HEADINGS) + " |")
    print("|---" * len(HEADINGS) + "|")
    for report in outcome.reports:
        print("| " + " | ".join(map(str, cells(report))) + " |")
    for name, why in outcome.cannot.items():
        print(f"| {name} | 0 | cannot run here: {why} |" + " |" * (len(HEADINGS) - 3))
    print()
    told = {report.scenario.name for report in outcome.reports} | set(outcome.cannot)
    for scenario in disturb.SCENARIOS:
        if scenario.name not in told:
            print(f"* Not run to its end: {scenario.name}.")
    for glob, why in options.left_out:
        print(f"* Left out: `{glob}`: {why}.")
    for name in sorted(quiet.planted_unmeasured):
        print(f"* Not measured here: `{name}`.")
    for report in outcome.reports:
        errors = collections.Counter(run.error for run in report.probes + report.planted if run.error)
        for error, n in errors.most_common():
            print(f"* Failed, {report.scenario.name}, {n} times: {error}")
        count, _ = report.undecided()
        if count:
            print(f"* Undecided, {report.scenario.name}: "
                  + ", ".join(f"`{item}` {n}" for item, n in count.most_common()) + ".")


def evidence(report):
    """Lines that let each failure be looked at and made again."""
    complaints = collections.defaultdict(list)
    for kind, runs in (("probe", report.probes), ("planted", report.planted)):
        for run in runs:
            if run.error:
                complaints[kind, run.number, run.command].append(run.error)
    for found in report.against:
        entry = found.run.items[found.item]
        gain = percents(*(entry[key] or 0 for key in ("gain_ppm", "gain_low_ppm", "gain_high_ppm")))
        complaints["probe", found.run.number, found.run.command].append(
            f"{found.item} is {entry['winner']}, {entry['verdict']}, not {found.majority} "
            f"({entry['gain_of']} over {entry['gain_over']}: {gain})")
    for run, contest in report.planted_outcomes("wrong"):
        entry = run.items[contest]
        complaints["planted", run.number, run.command].append(
            f"{contest} must {entry.must}: {entry.verdict}, {'lost' if entry.lost else 'kept'}, "
            f"{entry.interval}")
    for (kind, number, command), lines in list(complaints.items())[:EVIDENCE_MAX]:
        yield f"{report.scenario.name}, {kind} {number}: {command}"
        yield from (f"    {line}" for line in lines)
    if report.scenario.stops:
        stops = statistics.median(run.stops for run in report.probes)
        yield f"{report.scenario.name}: a probe was stopped {stops:.0f} times (median)"
