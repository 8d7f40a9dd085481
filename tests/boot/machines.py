# SPDX-License-Identifier: MIT
"""The machines on which boot programs are tried: a line each, what it is and what must come of it."""

# Statuses of QEMU: 2 n + 1 of enum boot_leave (integration/boot/common/leave.h).
DONE, FAILED, UNFIT, UNTRUSTED = 33, 35, 37, 39

NO_XSAVE = "altpick: this CPU has no XSAVE: what needs it stays unmeasured"
FEW = "seed=1 only=refcount,xstate.save"


class Machine:
    """
    One boot.  @lines must be lines of COM1, and @absent none of them; with @screen, of the screen.
    @profile: members of its machine's `cpu` and `measured` ({}: any), None: no profile is sent.
    """

    def __init__(self, name, cpu, words="", status=UNTRUSTED, lines=(), absent=(), profile=None,
                 more=(), uart=True, screen=None):
        self.name, self.cpu, self.words, self.status = name, cpu, words, status
        self.lines, self.absent, self.profile = lines, absent, profile
        self.more, self.uart, self.screen = list(more), uart, screen


def refused(name, cpu, reason):
    return Machine(name, cpu, status=UNFIT, absent=["altpick: done"],
                   lines=[f"altpick: this CPU has no {reason}", "altpick: nothing was measured."])


def wrong(name, words, line, cpu="max"):
    return Machine(name, cpu, words, FAILED, [line], ["altpick: done"])


# altpick-boot.elf
BOOT = [
    Machine("max", "max", profile={"xcr0": "0x21f", "ring": 0}, absent=[NO_XSAVE]),
    # No default is an instruction that the CPU lacks.
    Machine("qemu64", "qemu64", profile={"xcr0": "0x0"},
            lines=[NO_XSAVE, r"~xstate\.save\.x87-sse +fxsave .*", r"~fpu\.init\.body +\S+ .*"]),
    Machine("core2duo", "core2duo", FEW, profile={"xcr0": "0x0", "vendor": "GenuineIntel"}, lines=[NO_XSAVE]),
    Machine("Nehalem", "Nehalem", FEW, profile={"xcr0": "0x0"}, lines=[NO_XSAVE]),
    Machine("Haswell", "Haswell", FEW, profile={"xcr0": "0x7"}),
    Machine("no-avx", "Haswell,-avx,-avx2", FEW, profile={"xcr0": "0x3"}),
    Machine("no-xsave", "Haswell,-xsave", FEW, profile={"xcr0": "0x0"}, lines=[NO_XSAVE]),
    # Advertised, enabled in XCR0, and an invalid opcode: nothing of it may be executed as if it were.
    Machine("avx512-absent", "Skylake-Server", profile={"xcr0": "0x2e7"}),
    Machine("avx512-rehearsed", "Skylake-Server", "seed=1 rehearse only=fpu.init,xstate.save budget=500000",
            profile={"xcr0": "0x2e7"}),
    # Without a hypervisor's bit the program tells LFENCE to wait, by an MSR of AMD's.
    Machine("epyc-alone", "EPYC,-hypervisor", FEW, profile={"vendor": "AuthenticAMD"}),
    Machine("EPYC-Milan", "EPYC-Milan", FEW, profile={"xcr0": "0x207", "vendor": "AuthenticAMD"}),

    refused("no-long-mode", "qemu64,-lm", "long mode: an x86-64 CPU is needed."),
    refused("athlon", "athlon", "long mode: an x86-64 CPU is needed."),
    refused("n270", "n270", "long mode: an x86-64 CPU is needed."),
    refused("486", "486", "long mode: an x86-64 CPU is needed."),
    refused("no-sse2", "qemu64,-sse2", "SSE2, which every x86-64 CPU has."),
    refused("no-fxsr", "qemu64,-fxsr", "FXSAVE, which every x86-64 CPU has."),
    Machine("refused-on-screen", "athlon", screen="altpick: nothing was measured.",
            lines=["altpick: this CPU has no long mode: an x86-64 CPU is needed."]),
    Machine("refused-without-uart", "athlon", screen="altpick: nothing was measured.", uart=False),

    Machine("q35", "max", FEW, profile={}, more=["-M", "q35"]),
    Machine("microvm", "max", FEW, profile={}, more=["-M", "microvm,pit=on,pic=on,isa-serial=on"],
            lines=["altpick: no VGA text screen"]),
    Machine("no-vga", "max", FEW, profile={}, more=["-vga", "none"],
            lines=["altpick: no VGA text screen"]),
    Machine("two-cpus", "max", FEW, profile={}, more=["-smp", "2"]),
    Machine("no-apic", "qemu64,-apic", FEW, profile={}),
    Machine("no-counter", "max,-tsc,-hypervisor", FEW, profile={"trust": "unstable"}),
    Machine("much-memory", "max", FEW, profile={}, more=["-m", "6G"]),
    Machine("little-memory", "max", FEW, FAILED, more=["-m", "2"], absent=["altpick: done"],
            lines=["altpick: nothing was measured: too little RAM is free below 4 GiB"]),
    Machine("just-enough-memory", "max", FEW, profile={}, more=["-m", "8"]),
    Machine("screen", "max", FEW, profile={}, screen="altpick: done", absent=["altpick: no VGA text screen"]),
    Machine("no-uart", "max", FEW, screen="altpick: done", uart=False),

    Machine("xcr0-as-is", "max", FEW + " xcr0=as-is", profile={"xcr0": "0x0"}),
    Machine("xcr0-sse", "max", FEW + " xcr0=3", profile={"xcr0": "0x3"}),
    Machine("budget", "max", FEW + " budget=1000000", profile={}),
    wrong("xcr0-without-x87", "xcr0=4", "altpick: nothing was measured: xcr0= has bits that the CPU has not,"),
    wrong("xcr0-of-no-xsave", "xcr0=3", "altpick: nothing was measured: xcr0= has bits that the CPU has not,",
          cpu="qemu64"),
    wrong("wrong-word", "budget=5 -v", "altpick: option '-v': there is no such option;"),
    wrong("long-line", "seed=" + "1" * 1100, "altpick: the command line is too long"),
]

# tests/boot/platform.c
SKIPPED = ["skipped ud2", "memory: good"]
PLATFORM = [
    Machine("line", "max", "one  two=3 ", DONE,
            [*SKIPPED, "command line: 'one  two=3 '", "RAM: 127 MiB, screen", "XCR0: 0x21f",
             "timer: interrupts came", "altpick: done"]),
    Machine("pit", "qemu64,-apic", "", DONE, [*SKIPPED, "XCR0: 0x0", "timer: interrupts came", "altpick: done"]),
    Machine("no-timer", "qemu64,-apic", "", DONE, [*SKIPPED, "no timer", "altpick: done"],
            more=["-M", "microvm,pit=off,pic=off,isa-serial=on"]),
    Machine("large", "max", "", DONE, ["RAM: 3071 MiB, screen", "memory: good"], more=["-m", "6G"]),
    Machine("entry64", "max", "again", DONE,
            [*SKIPPED, "command line: 'entered at boot_entry64'", "XCR0: 0x21f", "altpick: done"]),
    Machine("other-monitor", "max", "again=wrong", FAILED,
            ["altpick: the monitor that loaded this program was built for another one"]),
    Machine("return", "max", "return", FAILED, ["altpick: the program returned without a verdict"]),
    Machine("ud", "max", "fault=ud", FAILED,
            ["altpick: unexpected invalid opcode (#UD), vector 6, error code 0x0,"]),
    Machine("pf", "max", "fault=pf", FAILED,
            ["altpick: unexpected page fault (#PF), vector 14, error code 0x2,",
             r"~altpick: at rip 0x1\w+, rsp 0x1\w+, cr2 0x123456789000"]),
    Machine("gp", "max", "fault=gp", FAILED,
            ["altpick: unexpected general protection (#GP), vector 13, error code 0x1000,"]),
    Machine("df", "max", "fault=df", FAILED,
            ["altpick: unexpected double fault (#DF), vector 8, error code 0x0,"]),
    Machine("interrupt", "max", "fault=interrupt", FAILED,
            ["altpick: unexpected interrupt, vector 99, error code 0x0,"]),
    Machine("scrolls", "max", "scroll", screen="altpick: done", lines=["line"]),
]
