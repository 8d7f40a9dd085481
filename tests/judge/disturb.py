# SPDX-License-Identifier: MIT
"""What may disturb a measurement, and a run of a program under it.  Nothing outlives the harness."""
import contextlib
import ctypes
import os
import select
import signal
import subprocess
import tempfile
import time
import typing

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1
READY_S = 30
GAP_MS = (1, 100)  # between two stops
STOP_MS = (1, 50)


class CannotRun(Exception):
    """This system has not what the scenario takes."""


class LoadEnded(Exception):
    """The load did not run all the time: what was measured meanwhile says nothing."""


class Scenario(typing.NamedTuple):
    """One way to disturb: @load as `judge_load WHAT` on this or the other CPU, all is optional."""
    name: str
    load: str = ""
    on_other_cpu: bool = False
    one_cpu: bool = False  # the program may use the measured CPU only
    stops: bool = False  # the program's process group is stopped and continued at random


QUIET = "quiet"
SCENARIOS = (
    Scenario(QUIET),
    Scenario("sibling CPU loaded", load="spin", on_other_cpu=True),
    Scenario("same CPU shared", load="spin"),
    Scenario("memory streaming beside", load="stream", on_other_cpu=True),
    Scenario("one CPU allowed", one_cpu=True),
    Scenario("stopped at random", stops=True),
)


class Ended(typing.NamedTuple):
    """How a run ended.  @returncode is None where it did not end in time."""
    wall_s: float
    returncode: typing.Optional[int]
    stdout: str
    stderr: str
    stops: int


def sibling_of(cpu):
    """(another allowed CPU or None, whether it is known to share the core)."""
    others = sorted(os.sched_getaffinity(0) - {cpu})
    path = f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
    with contextlib.suppress(OSError, ValueError), open(path, encoding="ascii") as file:
        for part in file.read().strip().split(","):
            first, _, last = part.partition("-")
            for sibling in range(int(first), int(last or first) + 1):
                if sibling in others:
                    return sibling, True
    return (others[0] if others else None), False


def start(argv, **options):
    """A process group of its own, which the kernel ends when the harness ends, however it does."""
    parent = os.getpid()

    def end_with_parent():
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return subprocess.Popen(list(map(str, argv)), stdin=subprocess.DEVNULL, start_new_session=True,
                            preexec_fn=end_with_parent, **options)


def end(process):
    """
    End all of the group, also where its leader ended by itself: the group's number is not given to
    others before the leader was waited for.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for_load(process):
    ready, _, _ = select.select([process.stdout], [], [], READY_S)
    if not ready or process.stdout.readline().strip() != b"ready":
        raise CannotRun("the load did not start")


@contextlib.contextmanager
def disturbed(scenario, program, cpu):
    """The scenario's load runs inside; @program is judge_load."""
    if not scenario.load:
        yield
        return
    where = sibling_of(cpu)[0] if scenario.on_other_cpu else cpu
    if where is None:
        raise CannotRun("only one CPU is allowed")
    load = start([program, scenario.load, where, os.getpid()], stdout=subprocess.PIPE)
    try:
        wait_for_load(load)
        yield
        if load.poll() is not None:
            raise LoadEnded(f"the load ended early, status {load.returncode}")
    finally:
        end(load)
        load.stdout.close()


def wait(process, deadline, scenario, rng):
    """Wait for @process, stopping it at random where the scenario says so: (ended in time, stops)."""
    poll, stops = select.poll(), 0
    pidfd = os.pidfd_open(process.pid)
    try:
        poll.register(pidfd, select.POLLIN)
        while True:
            left_ms = 1000 * (deadline - time.monotonic())
            if left_ms <= 0:
                return False, stops
            if poll.poll(min(left_ms, rng.uniform(*GAP_MS)) if scenario.stops else left_ms):
                return True, stops
            if scenario.stops:
                os.killpg(process.pid, signal.SIGSTOP)
                time.sleep(rng.uniform(*STOP_MS) / 1000)
                os.killpg(process.pid, signal.SIGCONT)
                stops += 1
    finally:
        os.close(pidfd)


def launcher(scenario, cpu):
    return ["taskset", "-c", str(cpu)] if scenario.one_cpu else []


def run(argv, scenario, rng, timeout_s):
    """Run @argv to its end, in the scenario's way."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        process = start(argv, stdout=out, stderr=err)
        try:
            in_time, stops = wait(process, began + timeout_s, scenario, rng)
            wall_s = time.monotonic() - began
        finally:
            end(process)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return Ended(wall_s, process.returncode if in_time else None, *texts, stops)
