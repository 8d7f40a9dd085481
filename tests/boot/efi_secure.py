#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""altpick.efi under Secure Boot: OVMF with a key of its own enrolled (that of Debian's package).

Firmware refuses the image as it is built, and starts the one that sbsign has signed with that key,
which measures, writes its profile and returns.

usage: efi_secure.py ALTPICK_EFI SCRATCH
"""
import os
import shutil
import sys
import time

sys.dont_write_bytecode = True
from efi_machine import check, fail, make_image, need, read, read_serial, run, skip, start

CODE, VARS = "OVMF_CODE_4M.secboot.fd", "OVMF_VARS_4M.snakeoil.fd"
KEYS = "/usr/share/ovmf/PkKek-1-snakeoil."
TIMEOUT_S = 90
DONE = "altpick: done"
LAST = "BdsDxe: No bootable option or device was found."


def sign(image, scratch):
    """Sign IMAGE, and have sbverify find out."""
    key, signed = os.path.join(scratch, "key.pem"), os.path.join(scratch, "signed.efi")
    run("openssl", "rsa", "-in", KEYS + "key", "-passin", "pass:snakeoil", "-out", key)
    run("sbsign", "--key", key, "--cert", KEYS + "pem", "--output", signed, image)
    run("sbverify", "--cert", KEYS + "pem", signed)
    return signed


def boot(scratch, disks):
    drives = [word for path in disks for word in ["-drive", "if=ide,format=raw,file=" + path]]
    machine, serial = start(scratch, CODE, VARS, "-machine", "q35,smm=on",
                            "-global", "driver=cfi.pflash01,property=secure,value=on", *drives)
    try:  # nothing is left to start in the end: the machine waits for a key then
        for _ in range(TIMEOUT_S * 5):
            time.sleep(0.2)
            if os.path.exists(serial) and LAST in read_serial(serial):
                return read_serial(serial)
            check(machine.poll() is None, "QEMU ended")
        return fail("firmware did not go on", read_serial(serial))
    finally:
        machine.kill()
        machine.wait()


def main():
    image, scratch = sys.argv[1:]
    need({"qemu-system-x86_64": "qemu-system-x86", "mcopy": "mtools", "sbsign": "sbsigntool",
          "openssl": "openssl"}, [CODE, VARS])
    if not os.path.exists(KEYS + "key"):
        skip(f"{KEYS}key is not there (Debian: ovmf)")
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    unsigned, signed = os.path.join(scratch, "unsigned.img"), os.path.join(scratch, "signed.img")
    options = ("EFI/BOOT/altpick.cfg", b"budget=20000 only=refcount\n")
    make_image(unsigned, [("EFI/BOOT/BOOTX64.EFI", read(image)), options], 4)
    make_image(signed, [("EFI/BOOT/BOOTX64.EFI", read(sign(image, scratch))), options], 4)
    log = boot(scratch, [unsigned, signed])
    check(log.count("Access Denied") == 1, "the unsigned image was not refused", log)
    check(DONE in log.split("Access Denied")[-1], "the signed image did not run", log)
    check(LAST in log.split(DONE)[-1], "it did not return", log)
    check("altpick-profile.json" in run("mdir", "-b", "-i", signed, "::").decode(), "no file", log)
    check("altpick-profile.json" not in run("mdir", "-b", "-i", unsigned, "::").decode(), "a file")
    print("ok")


main()
