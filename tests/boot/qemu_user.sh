#!/bin/sh
# Run a program and its arguments in QEMU's user-mode translator, with its exit status.
#
#   qemu_user.sh PROGRAM [ARGUMENT...]
#
# Exits 77 where there is no such translator.
command -v qemu-x86_64 >/dev/null || { echo "qemu_user.sh: no qemu-x86_64" >&2; exit 77; }
exec qemu-x86_64 "$@"
