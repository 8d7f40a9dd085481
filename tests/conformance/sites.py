# SPDX-License-Identifier: MIT
"""`altpick view` against what a kernel says of its own patching and against what its memory holds afterwards."""
import json

import boot
import elf
import oracle
import patchlog


class Part:
    """A table of alternatives: the kernel's own, or that of a vDSO image in its data, which lies at base."""

    def __init__(self, image, base, log):
        self.elf, self.base, self.log = image, base, log
        self.memory = oracle.Memory(image)
        self.entries, self.entry_bytes = oracle.read_table(image, self.memory)


class Kernel:
    """A kernel, booted: its file, its log, its memory and the features that follow from the log."""

    def __init__(self, name, file, log_path, memory_path):
        self.name, self.file, self.memory_path = name, file, memory_path
        self.elf = elf.Elf(file.read_bytes())
        self.log = patchlog.PatchLog(log_path)
        own = self.elf.section(".altinstructions").address
        self.parts = [Part(self.elf, 0, table) for table in self.log.tables if table.start == own]
        if len(self.parts) != 1:
            raise ValueError(f"{log_path}: {len(self.parts)} tables at {own:#x}")
        self.parts += [Part(*elf.inner(self.elf, table.start), table) for table in self.log.tables
                       if table.start != own]
        self.features = self._features()

    def _features(self):
        """Those that the log names as present, and those that it is silent about: where only inverted entries ask
        for a feature and none of them was applied, the feature was present."""
        seen = {word * 32 + bit for word, bit in self.log.present | self.log.absent}
        inverted = {e.feature for part in self.parts for e in part.entries if e.flags & oracle.NOT}
        return {word * 32 + bit for word, bit in self.log.present} | (inverted - seen)

    def write_features(self, path):
        lines = [f"# features that {self.log.version} printed while patching itself"]
        lines += [f"{f // 32}*32+{f % 32}" for f in sorted(self.features)]
        lines += [f"!{word}*32+{bit}" for word, bit in sorted(self.log.absent)]
        path.write_text("\n".join(lines) + "\n")

    def from_log(self, parts):
        return {address: site.final for part in parts for address, site in part.log.sites.items()}

    def from_memory(self):
        """Every site, also those of which the log says nothing, as long as the entries at one address allow."""
        lengths = {}
        for part in self.parts:
            for entry in part.entries:
                site = entry.site + part.base
                lengths[site] = max(lengths.get(site, 0), entry.length)
        linked_at = 0xFFFFFFFF81000000 if self.elf.bits == 64 else 0xC1000000
        with open(self.memory_path, "rb") as f:
            out = {}
            for site, length in lengths.items():
                f.seek(site - linked_at)
                out[site] = f.read(length)
        return out

    def applied(self):
        """What the log says was applied: (site, feature)."""
        return sorted((a[0], a[4]) for part in self.parts for a in part.log.applied)


class Comparison:
    """Sites of one view against the truth."""

    def __init__(self):
        self.equal, self.different, self.missing = 0, [], []

    def total(self):
        return self.equal + len(self.different) + len(self.missing)

    def text(self):
        return f"{self.equal} of {self.total()}"


def view(judge, file, features):
    """The sites of `altpick view --sites --json` by address: (old, final, entries)."""
    done = judge.run("view", file, "--features", features, "--sites", "--json")
    if done.returncode:
        raise ValueError(f"altpick view {file.name}: status {done.returncode}: {done.stderr.strip()[:200]}")
    out = {}
    for site in json.loads(done.stdout)["sites"]:
        final = bytes.fromhex(site["final"])
        if len(final) != site["bytes"]:
            raise ValueError(f"{site['address']}: {site['bytes']} bytes, but {len(final)} in final")
        out[int(site["address"], 16)] = (bytes.fromhex(site["old"]), final, site["entries"])
    return out


def compare(seen, truth):
    """A site that is in truth must be in seen, with the same bytes."""
    result = Comparison()
    for address, final in sorted(truth.items()):
        site = seen.get(address)
        if site is None:
            result.missing.append(address)
        elif site[1] == final:
            result.equal += 1
        else:
            result.different.append((address, site[1], final))
    return result


def applied(seen):
    """What altpick says it applied, as the log would say it: (site, feature)."""
    out = []
    for address, (_, _, entries) in seen.items():
        for entry in entries:
            if entry["applied"]:
                word, bit = entry["feature"].split("*32+")
                out.append((address, (int(word), int(bit))))
    return sorted(out)


def judge_sites(judge, name, seen, truth, least):
    result = compare(seen, truth)
    judge.row(name, f">= {least}, all equal", result.text(), result.total() >= least and result.equal == result.total())
    for address, mine, theirs in result.different[:5]:
        judge.note(f"{address:#x}: altpick {mine.hex()}, kernel {theirs.hex()}")
    for address in result.missing[:5]:
        judge.note(f"{address:#x}: altpick has no such site")


def judge_kernel(judge, name, image, file, cpu, options, least):
    """Rows for one kernel on one CPU model."""
    log, memory = judge.boot_files(name, cpu)
    if not (judge.reuse and log.exists() and memory.exists()):
        boot.boot(image, cpu, options, log, memory)
    kernel = Kernel(name, file, log, memory)
    row = f"{name} {cpu}"
    features = judge.path(f"{name}-{cpu}.features")
    kernel.write_features(features)
    seen = view(judge, file, features)
    judge_sites(judge, f"{row} sites, log", seen, kernel.from_log(kernel.parts[:1]), least)
    judge_sites(judge, f"{row} vDSO sites, log", seen, kernel.from_log(kernel.parts[1:]), 1)
    judge_sites(judge, f"{row} sites, memory", seen, kernel.from_memory(), least)
    mine, theirs = applied(seen), kernel.applied()
    judge.row(f"{row} entries applied", "those that the log names", f"{len(mine)}, log {len(theirs)}", mine == theirs)
    return kernel
