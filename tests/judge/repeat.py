# SPDX-License-Identifier: MIT
"""Whether measuring again gives the same decisions, quiet and loaded."""
import collections
import json
import re

import lib

UNDECIDED_PERCENT = {"quiet": 5}
UNDECIDED_LOADED_PERCENT = 20
CLAIM_NOTHING = ("undecided", "unmeasured")  # verdicts


def decisions(j, profile):
    """{item: (choice, verdict)} of a kept profile."""
    result = j.run("show", "--json", "--target", "this-cpu", profile)
    assert result.returncode == 0, result.stderr
    return {entry["item"]: (entry["winner"], entry["verdict"])
            for entry in lib.objects(json.loads(result.stdout), "verdict")}


def order(j, profile):
    """What kernel-fpu.begin can reset, by the mean speed that is kept, fastest first."""
    result = j.run("show", "--json", profile)
    assert result.returncode == 0, result.stderr
    for question in lib.objects(json.loads(result.stdout), "derived"):
        if question["question"] == "kernel-fpu.begin":
            rows = question["derived"][1]["rows"]
            return tuple(row["name"] for row in
                         sorted(rows, key=lambda row: -float(row["cells"][0]["value"])))
    return ()


def forms(j):
    """[(format, flavour or None)] of everything that can be emitted."""
    result = j.run("list", "formats")
    assert result.returncode == 0, result.stderr
    rows = (re.split(r"  +", line) for line in result.stdout.splitlines()[1:])
    return [(row[0], None if flavour == "-" else flavour)
            for row in rows if row[0] for flavour in row[1].split(", ")]


def emit(j, profile, form, flavour):
    """What a kept profile gives in one form, as bytes."""
    path = j.path("repeat.out")
    result = j.run("emit", "-f", form, *(("--flavour", flavour) if flavour else ()), "-o", path,
                   "--target", "this-cpu", profile)
    assert result.returncode == 0, result.stderr
    return path.read_bytes()


def tune(j):
    """The header, every form of the same decisions, the decisions, and an order."""
    header, profile = j.path("repeat.h"), j.path("repeat.json")
    result = j.run("tune", "-f", "header", "-o", header, "--keep", profile, "--target", "this-cpu")
    assert result.returncode == 0, result.stderr
    outputs = {form: emit(j, profile, *form) for form in forms(j)}
    assert outputs["header", "c"] == header.read_bytes(), "emit and tune differ"
    return header.read_bytes(), outputs, decisions(j, profile), order(j, profile)


def majority(runs):
    """{item: choice} of most runs."""
    votes = collections.defaultdict(collections.Counter)
    for items in runs:
        for item, (choice, _) in items.items():
            votes[item][choice] += 1
    return {item: count.most_common(1)[0][0] for item, count in votes.items()}


def judge(j):
    j.need_trust()
    n = j.count(5, 30)
    usual_header = usual = usual_outputs = None
    for load, cpus in j.loads():
        with j.load(*cpus):
            runs = j.runs_alone(n, load, lambda: tune(j))
        if not runs and load == "quiet":
            raise lib.Skip("another thread was on this core all the time")
        if not runs:
            continue
        headers = collections.Counter(header for header, *_ in runs)
        if load == "quiet":
            usual_header = headers.most_common(1)[0][0]
            usual = majority(items for _, _, items, _ in runs)
            usual_outputs = {form: collections.Counter(outputs[form] for _, outputs, *_ in runs)
                             .most_common(1)[0][0] for form in runs[0][1]}

        same = headers[usual_header]
        j.row(f"same header, {load}", f"{n} of {n}", f"{same} of {n}, {len(headers)} seen", same == n)
        for form, usual_output in usual_outputs.items():
            same = sum(outputs[form] == usual_output for _, outputs, *_ in runs)
            name = " ".join(part for part in form if part)
            j.row(f"  same {name}", f"{n} of {n}", f"{same} of {n}", same == n)
        orders = collections.Counter(order_ for *_, order_ in runs)
        (usual_order, same), = orders.most_common(1)
        j.row("  same order of FPU resets", f"{n} of {n}",
              f"{same} of {n}: {' < '.join(usual_order)}", same == n)
        verdicts = [(item, *entry) for _, _, items, _ in runs for item, entry in items.items()]
        open_ = sum(verdict == "undecided" for _, _, verdict in verdicts)
        bar = UNDECIDED_PERCENT.get(load, UNDECIDED_LOADED_PERCENT)
        j.row("  undecided items", f"<= {bar} %", lib.percent(open_, len(verdicts)),
              verdicts and 100 * open_ <= bar * len(verdicts))
        against = {item for item, choice, verdict in verdicts
                   if verdict not in CLAIM_NOTHING and choice != usual.get(item)}
        j.row("  against quiet majority", "none", ", ".join(sorted(against)) or "none", not against)
