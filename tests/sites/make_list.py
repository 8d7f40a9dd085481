#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the list of the sites of consumer.S that a layout can have.

usage: make_list.py LAYOUT elf64|elf32 FIXTURE
"""
import sys

layout, flavour, fixture = sys.argv[1:]
BITS = flavour[3:]
HAS_NOT = layout in ("linux12", "linux14", "xen14")
HAS_PAD = layout in ("linux13", "xen14", "altpick")
OWN = layout == "altpick"


def line(symbol, length, item, feature, *flags):
    if OWN:
        feature = "-"
        flags = [flag for flag in flags if flag.startswith("pad=")]
    kept = [flag for flag in flags if (HAS_NOT or flag != "not") and
            (HAS_PAD or not flag.startswith("pad="))]
    print(f"{symbol}\t{length} {item}  {feature}", *kept)


print("# The sites of consumer.S.")
line("site_inc", 40, "refcount.inc", "3*32+1")
line("site_gap", 24, f"nop.fill.{BITS}", "98", "pad=24")
if not OWN:
    line("site_nest", 48, "refcount.inc", "3*32+1")
print("   # a comment, and an empty line\n")
line("site_poke", 5, "nop.text-poke.5", "always", "pad=5")
line("site_nest", 48, "refcount.dec", "3*32+2")
line("site_dec", 48, "refcount.dec", "3*32+3", "not")
line("site_begin", 16, "kernel-fpu.begin.efi" + ("" if BITS == "64" else "-32"), "3*32+1", "pad=16")
line("site_long", 100, f"nop.fill.{BITS}", "3*32+3", "pad=100")
if BITS == "64":
    promises = ["implies=avx,avx512f,avx512vl", "xcr0=0x2e7"] if fixture == "rich" else []
    line("site_fpu", 230, "fpu.init.body", "3*32+4", *promises)
