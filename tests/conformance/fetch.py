# SPDX-License-Identifier: MIT
"""Debian 12 packages, downloaded and unpacked (never installed) into a cache, and the ELF files inside kernel images.
apt runs with lists of its own, so that neither the system's architectures nor its sources matter, nor root."""
import gzip
import lzma
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
ARCHIVES = (("http://deb.debian.org/debian", "bookworm"),
            ("http://deb.debian.org/debian-security", "bookworm-security"))

APT_CONF = """
APT::Architecture "{arch}";
APT::Architectures {{ "{arch}"; }};
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "{root}";
Dir::State::lists "{root}/lists";
Dir::State::status "{root}/status";
Dir::Cache "{root}/cache";
Dir::Etc::sourcelist "{root}/sources.list";
Dir::Etc::sourceparts "/nonexistent";
Dir::Etc::preferencesparts "/nonexistent";
"""


class Apt:
    """apt for one architecture, in a directory of its own."""

    def __init__(self, root, arch):
        self.root = pathlib.Path(root).resolve()
        for folder in ("lists/partial", "cache/archives/partial"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / "status").write_text("")
        lines = [f"deb [signed-by={KEYRING}] {url} {suite} main\n" for url, suite in ARCHIVES]
        (self.root / "sources.list").write_text("".join(lines))
        conf = self.root / "apt.conf"
        conf.write_text(APT_CONF.format(arch=arch, root=self.root))
        self.environment = {**os.environ, "APT_CONFIG": str(conf), "LC_ALL": "C.UTF-8"}

    def run(self, *command, cwd=None, check=True):
        done = subprocess.run(command, env=self.environment, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=900, check=False)
        if check and done.returncode:
            raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def update(self):
        # One archive that fails does no harm while the packages can be had from the others.
        self.run("apt-get", "update", "-q", check=False)

    def behind(self, package):
        """The newest kernel package that one of the names for `the current kernel` depends on."""
        for line in self.run("apt-cache", "depends", package).splitlines():
            name = line.split()[-1]
            if line.strip().startswith("Depends: linux-image-"):
                return name
        return package


class Packages:
    """Unpacked packages by short name, fetched when they are not in the cache yet."""

    def __init__(self, cache):
        self.cache = pathlib.Path(cache)
        self.cache.mkdir(parents=True, exist_ok=True)
        self.apts = {}

    def apt(self, arch):
        if arch not in self.apts:
            self.apts[arch] = Apt(self.cache / f"apt-{arch}", arch)
            self.apts[arch].update()
        return self.apts[arch]

    def get(self, package, arch="amd64"):
        """The folder with the contents of the package, or of the newest one that it stands for."""
        folder = self.cache / f"{package}.{arch}"
        if folder.is_dir():
            return folder
        apt = self.apt(arch)
        real = apt.behind(package)
        print(f"downloading {real} ({arch})", flush=True)
        work = pathlib.Path(tempfile.mkdtemp(prefix="new.", dir=self.cache))
        try:
            apt.run("apt-get", "download", "-q", real, cwd=work)
            (archive,) = work.glob("*.deb")
            apt.run("dpkg-deb", "-x", str(archive), str(work / "unpacked"))
            (work / "unpacked").rename(folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return folder


def only(folder, pattern):
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise OSError(f"{folder}: {len(found)} files match {pattern}")
    return found[0]


def vmlinux(image):
    """The ELF file that a bzImage holds, compressed with xz or zstd."""
    data = image.read_bytes()
    if data[0x202:0x206] != b"HdrS":
        raise ValueError(f"{image}: not a bzImage")
    offset, length = struct.unpack_from("<II", data, 0x248)
    payload = data[(data[0x1F1] + 1) * 512 + offset :][:length]
    out = inflate(payload[:-4])  # the last four bytes are the length of what comes out
    if out[:4] != b"\x7fELF" or len(out) != struct.unpack("<I", payload[-4:])[0]:
        raise ValueError(f"{image}: {len(out)} bytes, which are no whole ELF file")
    return out


def inflate(payload):
    if payload[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dqc"], input=payload, stdout=subprocess.PIPE, timeout=60, check=True).stdout
    if payload[:6] == b"\xfd7zXZ\0":
        return lzma.LZMADecompressor().decompress(payload)
    if payload[:2] == b"\x1f\x8b":
        return gzip.decompress(payload)
    raise ValueError(f"unknown compression {payload[:4].hex()}")
