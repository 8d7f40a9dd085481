# SPDX-License-Identifier: MIT
"""Kernels of a page, and altpick view run on them; for scripts whose arguments are ALTPICK TESTS_DIR SCRATCH."""

import json
import os
import subprocess
import sys

altpick, here, scratch = sys.argv[1:4]
failures = []


def fail(what):
    failures.append(what)
    print("FAIL:", what)


def run(*args, status=0):
    p = subprocess.run([altpick, "view", *args], capture_output=True, text=True)
    if p.returncode != status:
        fail(f"view {' '.join(args)}: status {p.returncode}, not {status}: {p.stderr}")
    return p


def data(*args):
    return json.loads(run(*args, "--json").stdout)


def words(p):
    """All that a run said, in whatever lines."""
    return " ".join((p.stdout + p.stderr).split())


class Kernel:
    """kernel.S, assembled and, but for a module, linked."""

    def __init__(self, name, release, bits, flags, module=False):
        direct = flags and not release.startswith("6.6")
        self.path = f"{scratch}/{name}"
        self.bits, self.direct, self.module = bits, direct, module
        obj = self.path + ".o"
        cc = ["gcc", f"-m{bits}", "-c", *(["-DFLAGS"] if flags else [])]
        emulation = "elf_x86_64" if bits == 64 else "elf_i386"
        if not module:
            subprocess.run([*cc, "-o", obj, f"{here}/view/vdso.S"], check=True)
            subprocess.run(["ld", "-m", emulation, "-shared", "-z", "noseparate-code", "-o",
                            self.path + ".vdso", obj], check=True)
            cc.append(f'-DVDSO="{self.path}.vdso"')
        subprocess.run([*cc, f'-DRELEASE="{release}"', "-o", obj,
                        *(["-DDIRECT"] if direct else []), *(["-DMODULE"] if module else []),
                        f"{here}/view/kernel.S"], check=True)
        if module:
            os.rename(obj, self.path)
        else:
            subprocess.run(["ld", "-m", emulation, "-Ttext=0x10000000",
                            "--section-start=.altinstr_replacement=0x10100000", "-o", self.path,
                            obj], check=True)
        nm = subprocess.run(["nm", self.path], capture_output=True, text=True, check=True).stdout
        self.symbols = {w[2]: int(w[0], 16) for w in map(str.split, nm.splitlines()) if len(w) == 3}

    def at(self, symbol):
        """The address as view prints it."""
        value = self.symbols[symbol]
        return f".text+0x{value:x}" if self.module else f"0x{value:x}"

    def call(self, site, target, opcode="e8"):
        value = self.symbols[target] - (self.symbols[site] + 5)
        return opcode + (value & 0xFFFFFFFF).to_bytes(4, "little").hex()
