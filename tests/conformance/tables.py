# SPDX-License-Identifier: MIT
"""`altpick inspect` against layouts that are found here a second time: for linked images by trying sizes, for modules
by where their relocations lie."""
import concurrent.futures
import json
import struct

import elf
import fetch
import oracle

SECTION = ".altinstructions"
# Names of layouts by record size: Linux has one of each.
LINUX = {12: "linux12", 13: "linux13", 14: "linux14"}


def inspect(judge, file):
    """The alternatives tables that altpick finds: a list of (layout, record bytes, entries)."""
    done = judge.run("inspect", file, "--json")
    if done.returncode:
        raise ValueError(f"altpick inspect {file.name}: status {done.returncode}: {done.stderr.strip()[:200]}")
    tables = json.loads(done.stdout)["tables"]
    return [(t["layout"], t["entry_bytes"], t["entries"]) for t in tables]


def module_layout(file):
    """The tables of a relocatable object: two relocations a record, of its first and second word."""
    image = elf.Elf(file)
    out = []
    for number, section in enumerate(image.sections):
        if section.name != SECTION or not section.size:
            continue
        offsets = _relocations(image, number)
        good = [n for n in LINUX if section.size % n == 0 and
                offsets == [at + word for at in range(0, section.size, n) for word in (0, 4)]]
        if len(good) != 1:
            raise ValueError(f"{len(good)} record sizes fit the relocations of {SECTION}")
        out.append((LINUX[good[0]], good[0], section.size // good[0]))
    return out


def _relocations(image, target):
    """Offsets that the sections of relocations for a section name, in order."""
    out = []
    for section in image.sections:
        if section.info != target or section.type not in (elf.SHT_RELA, elf.SHT_REL):
            continue
        entry = (24 if image.bits == 64 else 12) if section.type == elf.SHT_RELA else (16 if image.bits == 64 else 8)
        form = "<Q" if image.bits == 64 else "<I"
        out += [struct.unpack_from(form, image.data, section.offset + at)[0] for at in range(0, section.size, entry)]
    return sorted(out)


def judge_image(judge, name, file, truth):
    """An image, compressed or not, whose only table is known."""
    found = inspect(judge, file)
    layout, entry_bytes, entries = truth
    text = "; ".join(f"{t[2]} of {t[0]}" for t in found) or "no table"
    judge.row(f"{name} inspect", f"{entries} of {layout}", text, found == [(layout, entry_bytes, entries)])


def linux_table(kernel_elf):
    table = kernel_elf.section(SECTION)
    size = oracle.entry_bytes(kernel_elf)
    return LINUX[size], size, table.size // size


def xen_table(file):
    """The table between Xen's two symbols, each record of which must put its site and replacement into code."""
    image = elf.Elf(file.read_bytes())
    names = {s.name: s.value for s in image.symbols()}
    start, end = names["__alt_instructions"], names["__alt_instructions_end"]
    holder = image.at(start)
    text = [(s.address, s.address + s.size) for s in image.sections if s.flags & elf.SHF_EXECINSTR]
    inside = lambda address, count: any(low <= address and address + count <= high for low, high in text)
    if (end - start) % 14:
        raise ValueError("the table is not made of records of 14 bytes")
    for address in range(start, end, 14):
        raw = image.data[holder.offset + address - holder.address :][:14]
        to_site, to_code, _, length, code_length, pad = struct.unpack_from("<iiHBBB", raw)
        site, code = address + to_site, address + 4 + to_code
        if not inside(site, length + pad) or not inside(code, code_length) or code_length > length + pad:
            raise ValueError(f"record at {address:#x} is not one of Xen's")
    return "xen14", 14, (end - start) // 14


def _check_module(judge, path, scratch):
    """None when altpick sees in a module what is there, else what it sees."""
    data = path.read_bytes()
    file = path
    if path.suffix != ".ko":
        data = fetch.inflate(data)
        file = scratch / path.stem
        file.write_bytes(data)
    try:
        truth, found = module_layout(data), inspect(judge, file)
    except ValueError as error:
        return 0, f"{path.name}: {error}"
    finally:
        if file is not path:
            file.unlink()
    if found != truth:
        return 0, f"{path.name}: {found} where {truth} is"
    return len(truth), None


def judge_modules(judge, name, folder, least):
    paths = sorted(folder.glob("lib/modules/**/*.ko*"))
    scratch = judge.path("modules")
    scratch.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: _check_module(judge, path, scratch), paths))
    wrong = [error for _, error in results if error]
    tables = sum(count for count, _ in results)
    judge.row(f"{name} modules", f">= {least}, no wrong layout", f"{len(paths)}, {tables} tables, {len(wrong)} wrong",
              len(paths) >= least and tables > 0 and not wrong)
    for error in wrong[:5]:
        judge.note(error)
