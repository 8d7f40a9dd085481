# SPDX-License-Identifier: MIT
"""Malformed profiles and policies: exit 1, one line with the place, and the output is left alone."""
import copy
import json
import re

POLICY = {
    "format": "altpick-policy",
    "version": 1,
    "target": "this-cpu",
    "tie_margin_percent": 5,
    "max_nop": 11,
    "strict": False,
    "weights": {"nop.fill.64": {"hot": 2}},
    "require": {"nop.fill.64.5": ["one-instruction"]},
    "pin": {"nop.fill.64.5": "0f1f.5"},
}
UNTOUCHED = "what was here before\n"
OVERSIZED_BYTES = 17 << 20


def broken_syntax(text):
    """(what, bytes): what no JSON reader may accept."""
    data = text.encode()
    yield "empty", b""
    for part in range(1, 20):
        yield f"truncated at {part}/20", data[: len(data) * part // 20]
    yield "last brace missing", data.rstrip()[:-1]
    yield "junk behind", data + b"x"
    yield "a second document", data + data
    yield "duplicate key", data.replace(b"{", b'{"version": 1, "version": 1,', 1)
    yield "NUL byte in a string", data.replace(b'": "', b'": "\0', 1)
    yield "NUL byte between values", data.replace(b",", b",\0", 1)
    yield "escaped NUL", data.replace(b'": "', b'": "\\u0000', 1)
    yield "NUL byte behind", data + b"\0"
    yield "not UTF-8", data.replace(b'": "', b'": "\xff', 1)
    yield "a comment", data.replace(b"{", b"{/* */", 1)
    yield "a comma too many", data.replace(b"{", b"{,", 1)
    yield "single quotes", data.replace(b'"', b"'")
    yield "an infinite number", data.replace(b'"version": 1', b'"version": 1e999')
    yield "a huge integer", data.replace(b'"version": 1', b'"version": 99999999999999999999999')
    for opening in (b"[", b'{"a":'):
        yield f"deep nesting of {opening.decode()}", opening * 100000
    yield "binary", bytes(range(256)) * 16


def places(value, path=()):
    """Every place in @value; two members speak for a long list of the like."""
    yield path
    if isinstance(value, dict):
        for key in list(value)[: 2 if len(value) > 20 else None]:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


def at(document, path):
    for step in path:
        document = document[step]
    return document


def changed(document, path, value):
    if not path:
        return value
    document = copy.deepcopy(document)
    at(document, path[:-1])[path[-1]] = value
    return document


def wrong_values(value):
    """(what, value) of another type, or absurd in its own."""
    kinds = {"null": None, "boolean": True, "number": 7, "text": "no such thing",
             "array": [None], "object": {"x": None}}
    for what, wrong in kinds.items():
        alike = isinstance(value, (int, float)) and what == "number" and not isinstance(value, bool)
        if not alike and type(wrong) is not type(value):
            yield what, wrong
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield "negative", -1
        yield "too large", 1 << 62
    if isinstance(value, list):
        yield "array of null", [None]
    if isinstance(value, str):
        yield "long text", "x" * 5000


def broken_content(document):
    """(what, document): good JSON with one wrong value."""
    for path in places(document):
        if not path:
            continue
        for what, value in wrong_values(at(document, path)):
            yield f"/{'/'.join(map(str, path))}: {what}", changed(document, path, value)
    for what in (None, True, 7, "x", []):
        yield f"top is {what!r}", what
    yield "newer version", {**document, "version": document["version"] + 1}
    yield "no version", {key: value for key, value in document.items() if key != "version"}


def corpus(document):
    for what, data in broken_syntax(json.dumps(document, indent=2)):
        yield what, data
    for what, value in broken_content(document):
        yield what, json.dumps(value).encode()
    yield "oversized", b"[" + b" " * OVERSIZED_BYTES + b"]"


PLACE = re.compile(r"bad\.json:(\d+:\d+:| /\S*| larger than)")


def complaint(j, data, arguments):
    """What is wrong with how altpick takes @data, or None."""
    bad, output = j.path("bad.json"), j.path("output.h")
    bad.write_bytes(data)
    output.write_text(UNTOUCHED, encoding="ascii")
    before = set(j.scratch.iterdir())
    result = j.run("emit", "-f", "header", "-o", output, *arguments(bad))
    lines = result.stderr.splitlines()
    if result.returncode != 1:
        return f"exit {result.returncode}"
    if len(lines) != 1:
        return f"{len(lines)} lines: {result.stderr[:300]!r}"
    if not PLACE.search(lines[0]):
        return f"no place: {lines[0][:200]!r}"
    if result.stdout or output.read_text(encoding="ascii") != UNTOUCHED or set(j.scratch.iterdir()) != before:
        return "output was touched"
    return None


def judge_kind(j, kind, document, arguments):
    tried, wrong = 0, []
    for what, data in corpus(document):
        tried += 1
        found = complaint(j, data, arguments)
        if found:
            wrong.append(f"{what}: {found}")
    for line in wrong[: len(wrong) if j.long else 20]:
        print(f"  {kind}: {line}", flush=True)
    j.row(f"malformed {kind}", "exit 1, one line, the place", f"{tried - len(wrong)} of {tried}", not wrong)


def judge(j):
    valid = j.path("valid.json")
    result = j.run("probe", "--only", "nop.fill.64", "-o", valid)
    assert result.returncode in (0, 3), result.stderr
    profile = json.loads(valid.read_text(encoding="utf-8"))

    good = j.path("policy.json")
    good.write_text(json.dumps(POLICY), encoding="ascii")
    result = j.run("emit", "-f", "header", "-o", j.path("good.h"), "--policy", good, valid)
    j.row("a good policy", "exit 0", f"exit {result.returncode} {result.stderr.strip()[:60]}",
          result.returncode == 0)
    judge_kind(j, "profile", profile, lambda bad: (bad,))
    judge_kind(j, "policy", POLICY, lambda bad: ("--policy", bad, valid))
