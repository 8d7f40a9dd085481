#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""altpick patch on images that this builds: what is written, what is not, and what is refused.

usage: patch_image.py ALTPICK 64|32 SOURCE_ROOT HEADER OBJECT SCRATCH
"""
import gzip
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
BITS, SCRATCH = sys.argv[2], sys.argv[6]
ALTPICK, HEADER, OBJECT = (os.path.realpath(sys.argv[i]) for i in (1, 4, 5))
ROOT = pathlib.Path(sys.argv[3])
sys.path[:0] = [str(ROOT / "tests/runtime"), str(ROOT / "tests/elf")]
import read_patches  # noqa: E402
import read_sites  # noqa: E402

MARK = "<16sIIII"
TRAILING = b"what follows the section headers" * 40
DEFAULTS, PATCHED, NO_32 = 10, 20, 126
PROFILE = str(ROOT / "integration/make/profile.json")
STATE = str(ROOT / "tests/golden/state-profile.json")


def need(condition, text):
    if not condition:
        sys.exit(f"patch_image: {text}")


def run(*command, status=0):
    """Both streams of a command that ends in this status."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    need(done.returncode == status, f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def build(name, *options, compiler="gcc"):
    """An image with sites, with something behind its section headers."""
    source = [ROOT / "tests/runtime/rom.c", ROOT / "integration/runtime/patch.c"]
    if BITS == "64":
        source.append(ROOT / "tests/headers/main.c")
        mode = ["-m64"]
    else:
        source.append(ROOT / "tests/headers/start32.c")
        mode = ["-m32", "-ffreestanding", "-fno-stack-protector", "-nostdlib", "-static", "-fno-pie"]
    run(compiler, *mode, "-O2", "-Wall", "-Werror", "-Wno-unused-command-line-argument", "-mno-red-zone",
        f'-DALTPICK_EMITTED="{HEADER}"', f"-I{ROOT}/tuner/include", f"-I{ROOT}/integration/runtime",
        *source, OBJECT, *options, "-o", name)
    with open(name, "ab") as file:
        file.write(TRAILING)
    return pathlib.Path(name)


def runs(image, status):
    done = subprocess.run([f"./{image}"], timeout=20, check=False)
    need(done.returncode == status or (BITS == "32" and done.returncode == NO_32),
         f"{image} says {done.returncode}, not {status}")


def refused(why, image, *options, status=None, out="out"):
    """Nothing is written, and the reason is told."""
    before = set(os.listdir("."))
    done = subprocess.run([ALTPICK, "patch", str(image), "-o", out, *options], capture_output=True, text=True,
                          timeout=60, check=False)
    need(done.returncode in ([status] if status else [1, 2, 4]), f"{why}: status {done.returncode}")
    need(why in done.stderr and not done.stdout, f"not '{why}' but: {done.stderr}")
    need(set(os.listdir(".")) == before, f"{why}: something is left")


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def decided(*options):
    """The table that emit makes of the same decisions, by the reader that is not altpick's."""
    run(ALTPICK, "emit", "-f", "elf", "--flavour", f"elf{BITS}", "-o", "decided.o", *options)
    data = pathlib.Path("decided.o").read_bytes()
    at = data.index(b"altpick-patches\0")
    size = struct.unpack_from("<H", data, at + 18)[0]
    return read_patches.Patches(data[at:at + size])


def check_copy(old, new, patches):
    """Only sites and the mark differ; each site holds what was decided; the mark says what is needed."""
    before, after = old.read_bytes(), new.read_bytes()
    need(len(before) == len(after) and after.endswith(TRAILING), "size or trailing bytes")
    need(os.stat(old).st_mode == os.stat(new).st_mode, "mode")
    image = read_sites.Image(after)
    allowed, needs, xcr0 = set(), set(), 0xffffffff
    for address, item, size, _, bits in read_sites.sites(image):
        offset, _ = image.at(address, read_sites.EXEC)
        entry = patches.entries.get((item, 2 if bits else 1))
        if not entry:
            continue
        allowed.update(range(offset, offset + size))
        code = entry["code"] + patches.fill(2 if bits else 1, size - len(entry["code"]))
        need(after[offset:offset + size] == code, f"{item} holds {after[offset:offset + size].hex()}")
        needs |= entry["needs"]
        xcr0 &= entry["xcr0"]
    mark = image.named("altpick_mark")
    allowed.update(range(mark[4], mark[4] + mark[5]))
    changed = {i for i, (a, b) in enumerate(zip(before, after)) if a != b}
    need(changed and changed <= allowed, f"changed elsewhere: {sorted(changed - allowed)[:5]}")
    magic, version, applied, may, n = struct.unpack_from(MARK, after, mark[4])
    need((magic, version, applied, may) == (b"altpick-mark\0\0\0\0", 1, 1, xcr0), "mark")
    found = set()
    for i in range(n):
        leaf, subleaf, bits, reg, bit, zero = struct.unpack_from(read_patches.NEED, after,
                                                                 mark[4] + 32 + 16 * i)
        need(zero == 0, "mark")
        found.add((leaf, subleaf, reg, bit, bits))
    need(found == needs, f"the mark needs {found}, not {needs}")


def check_patched():
    """Every kind of image: patched, run, compared."""
    kinds = [["-pie"], ["-no-pie", "-fno-pie"]] if BITS == "64" else [[]]
    for compiler in "gcc", "clang":
        for linker in [], ["-fuse-ld=lld"]:
            if not shutil.which(compiler) or (linker and not shutil.which("ld.lld")):
                continue
            for kind in kinds:
                image = build("image", *kind, *linker, compiler=compiler)
                os.chmod(image, 0o741)
                was = digest(image)
                runs("image", DEFAULTS)
                said = run(ALTPICK, "patch", image, "-o", "patched")
                need(digest(image) == was, "the image was changed")
                need("1 of " in said and "test.unknown" in said, f"not told of test.unknown: {said}")
                check_copy(image, pathlib.Path("patched"), decided())
                runs("patched", PATCHED)
    return image


def check_again(image):
    """Other decisions over the first ones; the first's needs stay, as test.unknown might hold something."""
    run(ALTPICK, "patch", image, "-o", "patched")
    said = run(ALTPICK, "patch", "patched", "-o", "again", PROFILE, "--max-nop", "4", status=0)
    need("patched before" in said, f"not told of patching again: {said}")
    patches = decided(PROFILE, "--max-nop", "4")
    check_copy(image, pathlib.Path("again"), patches)
    runs("again", PATCHED)


def check_notes(image):
    identified = build("identified", "-Wl,--build-id=sha1")
    need("build-id" in run(ALTPICK, "patch", identified, "-o", "out"), "not told of the build-id")
    signed = pathlib.Path("signed")
    signed.write_bytes(image.read_bytes() + b"~Module signature appended~\n")
    need("signature" in run(ALTPICK, "patch", signed, "-o", "out"), "not told of the signature")
    os.remove("out")


def check_paths(image):
    refused("-o FILE is needed", image, status=2, out="-")
    refused("would overwrite", image, status=2, out=str(image))
    os.link(image, "hard")
    os.symlink(image, "soft")
    os.symlink("nowhere", "dangling")
    refused("would overwrite", image, status=2, out="hard")
    refused("would overwrite", image, status=2, out="soft")
    refused("leads nowhere", image, out="dangling")
    refused("Is a directory", image, out=".")
    refused("No such file", image, out="no/such/out")
    refused("not a regular file", image, out="/dev/null")
    refused("No such file", "no-such-image")
    shutil.copy(PROFILE, "copy.json")
    refused("would overwrite", image, "copy.json", out="copy.json")
    run(ALTPICK, "patch", "soft", "-o", "out")
    pathlib.Path("target").write_bytes(b"")
    os.symlink("target", "link")
    run(ALTPICK, "patch", image, "-o", "link")
    need(os.path.islink("link") and digest("target") == digest("out"), "a link was replaced")
    os.remove("out")


def variant(image, name, change):
    """A copy in which something was changed."""
    data = bytearray(image.read_bytes())
    change(data, read_sites.Image(bytes(data)))
    pathlib.Path(name).write_bytes(data)
    return name


def check_malformed(image):
    def record(field, value, size=1, index=0):
        def change(data, found):
            at = found.named("altpick_sites")[4] + 12 * index + field
            data[at:at + size] = value.to_bytes(size, "little", signed=size == 4)
        return change

    def overlap(data, found):
        first, second = found.named("altpick_sites")[4], found.named("altpick_sites")[4] + 12
        site, = struct.unpack_from("<i", data, first)
        struct.pack_into("<i", data, second, site - 12 + 1)

    def no_headers(data, _):
        at, size = (0x28, 8) if BITS == "64" else (0x20, 4)
        data[at:at + size] = bytes(size)
        at = 0x3c if BITS == "64" else 0x30
        data[at:at + 4] = bytes(4)

    def mark(field, value):
        return lambda data, found: data.__setitem__(found.named("altpick_mark")[4] + field, value)

    refused("overlaps another", variant(image, "bad", overlap))
    for field, value, size, why in (
            (0, 0x7fffff00, 4, "outside of the code"), (4, -0x7fffff00, 4, "name lies elsewhere"),
            (8, 0, 1, "malformed"), (9, 255, 1, "malformed"), (10, 2, 1, "malformed"),
            (11, 7, 1, "malformed")):
        refused(why, variant(image, "bad", record(field, value, size)))
    # Data instead of code: inside of what is between code sections, or of no code at all.
    refused("site 0", variant(image, "bad", record(0, 0, 4)))
    for field in 0, 16, 20, 28, 29, 30, 31:
        refused("altpick_mark is malformed", variant(image, "bad", mark(field, 77)))
    refused("no section headers", variant(image, "bad", no_headers))
    whole = image.read_bytes()[:-len(TRAILING)]
    for n in list(range(0, 70, 3)) + list(range(70, len(whole), max(1, len(whole) // 60))):
        pathlib.Path("bad").write_bytes(whole[:n])
        refused("", "bad")
    pathlib.Path("bad").write_bytes(gzip.compress(image.read_bytes()))
    done = subprocess.run([ALTPICK, "patch", "bad", "-o", "out"], capture_output=True, text=True, check=False)
    need(done.returncode != 0 and not os.path.exists("out"), "a packed image was taken")
    os.remove("bad")


def check_relocations():
    """Relocations of defaults: what is put there would be changed when the image is loaded."""
    kept = build("kept", "-Wl,--emit-relocs", "-fno-pie", *(["-no-pie"] if BITS == "64" else []))
    need("_NONE" in run("readelf", "-rW", kept), "no relocation ties a record") if BITS == "64" else None
    run(ALTPICK, "patch", kept, "-o", "out")
    check_copy(kept, pathlib.Path("out"), decided())
    os.remove("out")
    absolute = build("absolute", "-DWITH_ADDRESS", "-Wl,--emit-relocs", "-fno-pie",
                     *(["-no-pie"] if BITS == "64" else []))
    refused(f"of section .rel{'a' if BITS == '64' else ''}.text changes its bytes", absolute, status=4)
    if BITS == "64":
        for linker in [], ["-fuse-ld=lld"]:
            if not linker or shutil.which("ld.lld"):
                dynamic = build("dynamic", "-DWITH_ADDRESS", "-pie", "-fPIE", "-Wl,-z,notext", *linker)
                refused("of section .rela.dyn changes its bytes", dynamic, status=4)
    run(ALTPICK, "patch", build("plain-address", "-DWITH_ADDRESS", "-fno-pie",
                                *(["-no-pie"] if BITS == "64" else [])), "-o", "out")
    os.remove("out")


def check_modes(image):
    """A copy has the mode; set-id bits only where it has the owner and group, too."""
    for mode in 0o555, 0o4755, 0o2755, 0o6711:
        os.chmod(image, mode)
        run(ALTPICK, "patch", image, "-o", "out")
        was, done = os.stat(image), os.stat("out")
        for bits, same in ((0o1777, True), (0o4000, was.st_uid == done.st_uid),
                           (0o2000, was.st_gid == done.st_gid)):
            need(done.st_mode & bits == (was.st_mode & bits if same else 0), f"mode {mode:o}")
        os.remove("out")
    os.chmod(image, 0o755)


def check_one_place():
    """Two addresses that are loaded from one place: read-only data is made to be code, and the same code."""
    def alias(data, found):
        wide = BITS == "64"
        phoff, shoff = struct.unpack_from("<QQ" if wide else "<II", data, 0x20 if wide else 0x1c)
        n, = struct.unpack_from("<H", data, 0x38 if wide else 0x2c)
        form, flags_at = ("<IIQQQQQQ", 4) if wide else ("<8I", 24)
        size = struct.calcsize(form)
        loads = [(phoff + i * size, struct.unpack_from(form, data, phoff + i * size)) for i in range(n)]
        loads = [(at, dict(zip(("type", "flags", "offset", "address", "paddr", "bytes", "memory", "align") if wide
                               else ("type", "offset", "address", "paddr", "bytes", "memory", "flags", "align"), p)))
                 for at, p in loads if p[0] == 1]
        code = next(p for _, p in loads if p["flags"] & 1)
        at, other = next((at, p) for at, p in loads if not p["flags"] & 3 and p["address"] > code["address"])
        struct.pack_into("<I", data, at + flags_at, 5)
        struct.pack_into("<Q" if wide else "<I", data, at + (8 if wide else 4), code["offset"])
        # A section of that segment is code, from the place of the code's own bytes.
        index = next(i for i, s in enumerate(found.sections) if s[0] == ".eh_frame")
        section = shoff + index * (64 if wide else 40)
        struct.pack_into("<Q" if wide else "<I", data, section + 8, 6)
        first, = struct.unpack_from("<i", data, found.named("altpick_sites")[4])
        site = found.named("altpick_sites")[3] + first - code["address"] + other["address"]
        struct.pack_into("<Q" if wide else "<I", data, section + (16 if wide else 12), site)
        struct.pack_into("<Q" if wide else "<I", data, section + (24 if wide else 16),
                         code["offset"] + site - other["address"])
        struct.pack_into("<Q" if wide else "<I", data, section + (32 if wide else 20), 200)
        second = found.named("altpick_sites")
        struct.pack_into("<i", data, second[4] + 12, site - second[3] - 12)

    image = build("one-place", *(["-no-pie", "-fno-pie"] if BITS == "64" else []))
    refused("or other code at once", variant(image, "bad", alias))
    os.remove("bad")


def check_other_images():
    pathlib.Path("plain.c").write_text("int use_everything(void);\nint use_everything(void) { return 0; }\n",
                                       encoding="utf-8")
    run("gcc", f"-m{BITS}", "-fno-pie", "-c", "plain.c", "-o", "plain.o")
    refused("link it", "plain.o", status=4)
    run("ld", "-m", "elf_x86_64" if BITS == "64" else "elf_i386", "plain.o", "-e", "use_everything",
        "-o", "plain")
    refused("altpick/site.h", "plain", status=4)
    run("objcopy", "--remove-section", "altpick_mark", build("without"), "unmarked")
    refused("patch.c", "unmarked", status=4)
    other = build("other", "-DWITH_OTHER_TABLE")
    refused("patched by table linux12", other, status=4)
    check_relocations()
    pathlib.Path("bad.json").write_text("{", encoding="utf-8")
    refused("bad.json", other, "bad.json")


def check_data(image):
    """Code for fpu.init works on data: the image holds an image for XRSTOR, which FXRSTOR takes, too."""
    if BITS == "32":
        return
    policy = [STATE, "--target", "this-cpu", "--components", "x87,xmm", "--pin"]
    refused("fpu.init.body: what was decided works on data", image, *policy,
            "fpu.init.body=clear-16-mem", status=4)
    for candidate in "fxrstor", "clear-16-stack":
        run(ALTPICK, "patch", image, "-o", "patched", *policy, f"fpu.init.body={candidate}")
        check_copy(image, pathlib.Path("patched"), decided(*policy, f"fpu.init.body={candidate}"))
    with open("without", "r+b") as file:  # the table of the image is gone, and with it the data
        data = file.read()
        file.seek(data.index(b"altpick-patches\0", data.index(b"altpick-patches\0") + 1)
                  if data.count(b"altpick-patches\0") > 1 else data.index(b"altpick-patches\0"))
        file.write(b"x")
    refused("fpu.init.body: what was decided works on data", "without", status=4)


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    os.chdir(SCRATCH)
    image = check_patched()
    check_again(image)
    check_notes(image)
    check_modes(image)
    check_paths(image)
    check_malformed(image)
    check_one_place()
    check_other_images()
    check_data(image)


main()
