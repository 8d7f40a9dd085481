# SPDX-License-Identifier: MIT
"""`altpick view` against the oracle with features that no machine here has: every site of the file."""
import random

import oracle
import passes
import sites

ROUNDS, SEED = 10, 5
# What the oracle leaves alone: passes whose targets are chosen at boot.
NOT_MODELLED = (passes.RETHUNK, passes.CALL_DEPTH)


def final_bytes(image, features, bits):
    """Bytes of every site of an ELF file after the passes that the oracle knows, in a kernel of so many bits."""
    memory = oracle.Memory(image)
    size = oracle.entry_bytes(image)
    engine = oracle.engine(image, memory, size, bits)
    passes.apply_retpolines(image, memory, features, bits, engine.optimise)
    passes.apply_returns(image, memory, features)
    entries, _ = oracle.read_table(image, memory)
    return {entry.site: final for entry, _, _, final in engine.apply(entries, features)}


def random_features(entries, source):
    """Some of the features of the table, and those that all kernels have."""
    known = sorted({e.feature for e in entries} - set(NOT_MODELLED))
    chance = source.choice((0.1, 0.5, 0.9))
    return {f for f in known if source.random() < chance} | {passes.ALWAYS}


def judge_random(judge, name, kernel):
    source, equal, total, first = random.Random(SEED), 0, 0, ""
    for number in range(ROUNDS):
        features = random_features([e for part in kernel.parts for e in part.entries], source)
        path = judge.path(f"{name}.random{number}")
        path.write_text("".join(f"{f // 32}*32+{f % 32}\n" for f in sorted(features)))
        truth = {}
        for part in kernel.parts:
            final = final_bytes(part.elf, features, kernel.elf.bits)
            truth.update((site + part.base, code) for site, code in final.items())
        result = sites.compare(sites.view(judge, kernel.file, path), truth)
        equal, total = equal + result.equal, total + result.total()
        if result.different and not first:
            address, mine, truth = result.different[0]
            first = f"; {address:#x} altpick {mine.hex()} oracle {truth.hex()}"
    judge.row(f"{name} second opinion", f"{ROUNDS} random CPUs, all equal", f"{equal} of {total}{first}",
              equal == total > 0)
