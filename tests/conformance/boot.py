# SPDX-License-Identifier: MIT
"""Boot a kernel under QEMU's translator until it panics for want of a root file system; keep its serial log and the
memory that it then runs from."""
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

COMMAND_LINE = ("console=ttyS0,115200 earlyprintk=serial,ttyS0 panic=0 ignore_loglevel no_hash_pointers "
                "log_buf_len=16M nokaslr ")
PANIC = b"end Kernel panic"
# Where kernels are loaded, and how much of what follows is code and data of theirs.
LOADED_AT, LOADED_BYTES = 0x1000000, 80 << 20


class Monitor:
    """QEMU's machine protocol, as much as saving memory needs."""

    def __init__(self, path, until):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        while True:
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
        self.stream = self.socket.makefile("rw")
        self.stream.readline()  # greeting
        self.run("qmp_capabilities")

    def run(self, command, **arguments):
        self.stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            answer = json.loads(self.stream.readline())
            if "error" in answer:
                raise OSError(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return


def tail(path, count=4096):
    try:
        with open(path, "rb") as f:
            f.seek(0, 2)
            f.seek(max(0, f.tell() - count))
            return f.read()
    except FileNotFoundError:
        return b""


def boot(image, cpu, options, log, memory, seconds=300):
    """Writes the files log and memory. OSError when the kernel does not get as far in time."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="altpick-boot."))
    partial = log.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    until = time.monotonic() + seconds
    command = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", cpu, "-smp", "1", "-m", "768", "-nodefaults", "-display",
               "none", "-no-reboot", "-serial", f"file:{partial}", "-qmp", f"unix:{work}/qmp,server=on,wait=off",
               "-kernel", str(image), "-append", COMMAND_LINE + options]
    machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        while PANIC not in tail(partial):
            if machine.poll() is not None:
                raise OSError(f"qemu ended: {machine.stderr.read().decode(errors='replace').strip()}")
            if time.monotonic() > until:
                raise OSError(f"{image} did not reach its panic in {seconds} s; see {partial}")
            time.sleep(0.3)
        Monitor(work / "qmp", until).run("pmemsave", val=LOADED_AT, size=LOADED_BYTES, filename=str(memory))
        partial.rename(log)
    finally:
        machine.kill()
        machine.wait()
        shutil.rmtree(work, ignore_errors=True)
