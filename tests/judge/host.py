# SPDX-License-Identifier: MIT
"""What a hostile host may deny: a clear message or a result that says it is degraded, never a crash."""
import lib


def failures(result):
    """The lines that say why it failed; what was degraded before is warnings."""
    return [line for line in result.stderr.splitlines() if not line.startswith("altpick: warning: ")]


def one_clear_line(result):
    return result.returncode == 1 and len(failures(result)) == 1


def warnings(profile):
    if not profile.exists():
        return []
    return [text for machine in lib.objects(lib.read_json(profile), "warnings")
            for text in machine["warnings"]]


def judge_outputs(j, valid):
    """Output that cannot be written: exit 1 and one line."""
    emit = ("emit", "-f", "header", valid)
    commands = {
        "emit -o in no folder": (*emit, "-o", "/nonexistent/x.h"),
        "emit -o a folder": (*emit, "-o", j.scratch),
        "emit -o /dev/full": (*emit, "-o", "/dev/full"),
        "probe -o in no folder": ("probe", "--time-limit", "0.2", "-o", "/nonexistent/x.json"),
    }
    for name, command in commands.items():
        result = j.run(*command)
        j.row(name, "exit 1, one line", f"exit {result.returncode}, {len(failures(result))} lines",
              one_clear_line(result) or (command[0] == "probe" and result.returncode == 3))
    for command in (emit, ("list", "candidates")):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = j.run(*command, stdout=full)
        j.row(f"{command[0]} > /dev/full", "exit 1, one line",
              f"exit {result.returncode}, {len(failures(result))} lines", one_clear_line(result))


def judge_denied(j, name, launcher):
    """Something denied to a probe: one clear line, or a profile that warns."""
    profile = j.path("host.json")
    profile.unlink(missing_ok=True)
    result = j.run("probe", "--time-limit", "0.5", "-o", profile, before=launcher)
    if result.returncode == 77:
        return
    warned = warnings(profile)
    told = one_clear_line(result) or (result.returncode in (0, 3) and warned)
    j.row(name, "one clear line or a warning", f"exit {result.returncode}, {len(warned)} warnings", told)


def judge(j):
    valid = j.path("valid.json")
    j.run("probe", "-o", valid)
    judge_outputs(j, valid)
    deny = j.tool("judge_deny")
    for what in ("exec-memory", "memfd", "affinity"):
        judge_denied(j, f"denied: {what}", [deny, what])

    result = j.run("probe", "--time-limit", "0.5", "-o", j.path("host.json"), before=["taskset", "-c", j.cpu])
    j.row("one CPU", "exit 0 (3 untrusted)", f"exit {result.returncode}", result.returncode in (0, 3))
