#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the code of every item of a list as a C table, for the engine of altpick's own layout.

usage: make_items.py elf64|elf32 LIST DECISIONS.json
"""
import json
import sys

from sites import read_list

flavour, list_path, decisions_path = sys.argv[1:]
with open(decisions_path, encoding="utf-8") as file:
    lines = read_list(list_path, json.load(file), "altpick", int(flavour[3:]))
print("static const struct {")
print("    const char *name;")
print("    uint32_t site_bytes; /* 0: any */")
print("    uint32_t bytes;")
print("    uint8_t code[255];")
print("} items[] = {")
for line in lines:
    length = line.length if line.item.startswith("nop.fill.") else 0
    print(f'    {{"{line.item}", {length}, {len(line.code)}, {{{", ".join(map(hex, line.code))}}}}},')
print("    {0, 0, 0, {0}},\n};")
