# SPDX-License-Identifier: MIT
"""What Linux does to returns and retpolines before it applies alternatives, to code and to replacements alike."""
import struct

import x86

# Features that the passes before alternatives ask for.
RETPOLINE, RETPOLINE_LFENCE, RETHUNK = 11 * 32 + 12, 11 * 32 + 13, 11 * 32 + 14
CALL_DEPTH = 11 * 32 + 19  # moves calls to other places: not modelled here
ALWAYS = 3 * 32 + 21  # a feature that every CPU has


def places(elf, name):
    """The addresses that a section of offsets relative to themselves names."""
    section = elf.section(name)
    if section is None:
        return []
    offsets = struct.unpack(f"<{section.size // 4}i", elf.contents(section))
    mask = (1 << elf.bits) - 1
    return [(section.address + 4 * i + offset) & mask for i, offset in enumerate(offsets)]


def return_thunk(elf, memory):
    """Where most of the return sites jump."""
    targets = {}
    for place in places(elf, ".return_sites"):
        code = memory.read(place, 5)
        if code[0] == 0xE9:
            target = (place + 5 + struct.unpack("<i", code[1:])[0]) & memory.mask
            targets[target] = targets.get(target, 0) + 1
    return max(targets, key=targets.get) if targets else None


def apply_returns(elf, memory, features):
    """Without return thunks `jmp __x86_return_thunk` becomes `ret` and INT3. Returns the places changed."""
    thunk, changed = return_thunk(elf, memory), []
    if RETHUNK in features:
        return changed  # another thunk may be chosen at boot; its address is not in the file's tables
    for place in places(elf, ".return_sites"):
        code = memory.read(place, 5)
        if code[0] == 0xE9 and (place + 5 + struct.unpack("<i", code[1:])[0]) & memory.mask == thunk:
            memory.write(place, b"\xC3\xCC\xCC\xCC\xCC")
            changed.append(place)
    return changed


def apply_retpolines(elf, memory, features, bits, optimise):
    """Without retpolines `call thunk_reg` becomes `call *reg`. Returns the places changed."""
    changed = []
    if RETPOLINE in features and RETPOLINE_LFENCE not in features:
        return changed
    sites = places(elf, ".retpoline_sites")
    targets = {}
    decoded = []
    for place in sites:
        insn = x86.decode(memory.read(place, 15), 0, bits)
        target = (place + insn.length + insn.value(insn.imm)) & memory.mask
        decoded.append((place, insn, target))
        targets[target] = targets.get(target, 0) + 1
    if not targets:
        return changed
    first = min(targets)
    # The thunks lie 32 bytes apart in the order of registers, and rax is the first that code calls.
    for place, insn, target in decoded:
        register = (target - first) // 32
        code = _indirect(insn, register, RETPOLINE_LFENCE in features)
        if code is not None and len(code) <= insn.length:
            code += b"\x90" * (insn.length - len(code))
            memory.write(place, optimise(code))
            changed.append(place)
    return changed


def _indirect(insn, register, fence):
    opcode, code = insn.opcode[0], b""
    if opcode == 0x0F:
        code, opcode = bytes((0x70 + (insn.opcode[1] & 15 ^ 1), insn.length - 2)), 0xE9
    if fence:
        code += b"\x0F\xAE\xE8"
    if register >= 8:
        code += b"\x41"
    code += bytes((0xFF, (0xD0 if opcode == 0xE8 else 0xE0) + register % 8))
    if opcode == 0xE9 and len(code) < insn.length:
        code += b"\xCC"
    return code
