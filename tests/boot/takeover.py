#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs takeover.elf in QEMU's translator and judges what it prints.

usage: takeover.py IMAGE

Whatever candidates do, the state of the CPU is the same before and after, every other candidate is
still run, and a budget is overrun by one step at most.  Budgets are in instructions: the counter
counts them there (-icount), so that the same run takes the same time on any machine.
Exits 77 where there is no QEMU.
"""
import shutil
import subprocess
import sys

DONE = "altpick: done"
STACK_BYTES = 4096 # of the caller's, that boot.h says a probe takes

# What each candidate of faulty.c ends with.
ENDS = {
    "ud2": "#UD", "int3": "#BP", "divide": "#DE", "non-canonical": "#GP", "unmapped": "#PF",
    "jump-away": "#GP", "segment": "#GP", "stack": "#DF", "direction": "#UD",
    "task-switched": "#NM", "no-sse": "#UD", "interrupts": "#UD",
}

# What leaves the flags NT and AC set, interrupts off, or no stack segment, and ends.
FINE = ["fine", "nested-task", "no-stack-segment"]

# Title, CPU model, words, whether it is about the budget.
RUNS = [
    ("faults", "max", "budget=400000", False),
    ("faults with interrupts on and CR0.TS set", "max", "budget=400000 ts interrupts", False),
    ("faults with the nested-task flag set", "max", "budget=400000 nested", False),
    ("faults and a loop", "max", "budget=400000 deadline", False),
    ("faults without OSXSAVE", "max", "budget=400000 no-xcr0 ts", False),
    ("faults with XCR0 as after reset", "max", "budget=400000 had-xcr0=1 xcr0=0", False),
    ("faults without XSAVE", "qemu64,-xsave", "budget=400000", False),
    ("AVX-512 advertised, absent", "Skylake-Server", "budget=400000 all-fpu", False),
    ("a breakpoint of the caller's", "max", "budget=400000 breakpoint", False),
    ("hooks that leave RFLAGS.IF alone", "max", "budget=400000 hooks", False),
    ("no IDT worth the name", "max", "budget=400000 no-idt many-faults", True),
    ("more faults than a question survives", "max", "budget=400000 many-faults", True),
    ("1 ms", "max", "budget=1000", True),
    ("5 ms", "max", "budget=5000", True),
    ("50 ms", "max", "budget=50000", True),
    ("50 ms of FPU", "max", "budget=50000 all-fpu", True),
    ("50 ms of all", "max", "budget=50000 every-question", True),
    # Less than one batch of all takes; more than half a second, so more than a batch.
    ("20 ms of all", "max", "budget=20000 every-question", True),
    ("0.6 s of all", "max", "budget=600000 every-question", True),
]

# The same where XCR0 does not take what is asked for: half of MPX, with the other half enabled before
# or not.
REFUSED = [
    ("XCR0 with half of MPX", "max", "budget=20000 xcr0=11 had-xcr0=27"),
    ("XCR0 with a half of MPX that was off", "max", "budget=20000 xcr0=11"),
    ("XCR0 with what the CPU has not", "qemu64", "budget=20000 xcr0=263"),
]


def run(image, model, words):
    command = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", model, "-M", "q35", "-m", "128",
               "-display", "none", "-monitor", "none", "-net", "none", "-no-reboot",
               "-serial", "stdio", "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
               "-icount", "shift=0", "-kernel", image, "-append", words]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace").splitlines() + ["no end within 60 s"]
    return done.stdout.decode(errors="replace").replace("\r", "").splitlines()


def number(lines, name):
    return next((int(line.split()[1]) for line in lines if line.startswith(name + " ")), None)


def statuses(lines, question):
    rows = [line.split(" ", 4) for line in lines if line.startswith("candidate " + question + " ")]
    return {row[2]: (row[3], row[4]) for row in rows}


def judge_faults(lines, words):
    faulty = statuses(lines, "faulty")
    for name, vector in ENDS.items():
        if faulty.get(name) != ("faulted", "faulted: " + vector):
            yield f"{name}: {faulty.get(name)}, not {vector}"
    for name in FINE:
        if faulty.get(name) != ("unmeasured", "-"):
            yield f"{name}: {faulty.get(name)}"
    if "deadline" in words and faulty.get("halt-in-a-loop", ("",))[0] != "timed-out":
        yield f"the loop: {faulty.get('halt-in-a-loop')}"
    if not statuses(lines, "nop.text-poke"):
        yield "the next question was not run"
    for name, (status, reason) in statuses(lines, "nop.text-poke").items():
        if (status, reason) != ("unmeasured", "-"):
            yield f"nop.text-poke, {name}: {status}, {reason}"


def judge_budget(lines, words):
    budget_ticks = int(words.split("budget=")[1].split()[0]) * 1000 # a tick is a nanosecond
    spent, step = number(lines, "spent"), number(lines, "step")
    if spent is None or step is None:
        yield "no figures of the time spent"
    elif spent > budget_ticks + step:
        yield f"spent {spent} of {budget_ticks} ticks, and a step is {step}"


def judge_caller(lines, words):
    """What the caller's handlers and hooks are promised, and its stack."""
    quiet = not any(word in words for word in ("interrupts", "deadline", "hooks", "breakpoint"))
    if quiet and not 0 < (number(lines, "stack") or 0) <= STACK_BYTES:
        yield f"took {number(lines, 'stack')} bytes of the caller's stack"
    if "breakpoint" in words and not number(lines, "breakpoints"):
        yield "the caller's handler of #DB was not called"
    if "hooks" in words and (number(lines, "closed") or not number(lines, "open")):
        yield f"interrupts were closed at {number(lines, 'closed')} calls of progress"
    if "many-faults" in words and number(lines, "faults") != 30 + 30 + 64:
        yield f"{number(lines, 'faults')} faults were survived"


def judge(lines, words, is_budget):
    if DONE not in lines:
        yield "it did not come to its end"
        return
    if "state same" not in lines:
        yield "the state of the CPU is not what it was"
    if "outcome timing environment is not trustworthy" not in lines:
        yield "a translator passed for a CPU"
    if any(" measured " in line for line in lines if line.startswith("candidate ")):
        yield "a translator's timing became a cost"
    if "interrupts" in words and not number(lines, "interrupts"):
        yield "no interrupt came through"
    yield from judge_budget(lines, words)
    yield from judge_caller(lines, words)
    if not is_budget:
        yield from judge_faults(lines, words)


def judge_refused(lines):
    if DONE not in lines:
        yield "it did not come to its end"
    if "state same" not in lines:
        yield "the state of the CPU is not what it was"
    if "outcome CPU or kernel lacks something that is required" not in lines:
        yield "it was not refused"


def main():
    if not shutil.which("qemu-system-x86_64"):
        print("takeover.py: no qemu-system-x86_64")
        return 77
    bad = 0
    for title, model, words, is_budget in RUNS:
        lines = run(sys.argv[1], model, words)
        faults = list(judge(lines, words, is_budget))
        bad += bool(faults)
        took = number(lines, "spent") or 0
        print(f"{'bad ' if faults else 'good'} {title}: {took} ticks, step {number(lines, 'step')}")
        for fault in faults:
            print("     " + fault)
        if faults:
            print("\n".join("     | " + line for line in lines[-60:]))
    for title, model, words in REFUSED:
        lines = run(sys.argv[1], model, words)
        faults = list(judge_refused(lines))
        bad += bool(faults)
        print(f"{'bad ' if faults else 'good'} {title}")
        for fault in faults:
            print("     " + fault)
        if faults:
            print("\n".join("     | " + line for line in lines[-60:]))
    return 1 if bad else 0


sys.exit(main())
