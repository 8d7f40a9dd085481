#!/bin/sh
# Print the path of a Debian kernel image, downloading and unpacking (not installing) its package
# once into a cache folder.  Exits 77 where none can be had.
set -u
cache=${ALTPICK_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/altpick}/kernel

say() { echo "kernel.sh: $*" >&2; }
cached() { ls "$cache"/boot/vmlinuz-* 2>/dev/null | tail -n 1; }

# The real package behind a "current kernel" one.
package_behind() {
    apt-cache depends --no-recommends --no-suggests "$1" 2>/dev/null |
        awk '/Depends: linux-image-[0-9]/ { print $2; exit }'
}

fetch() {
    work=$(mktemp -d "${TMPDIR:-/tmp}/altpick-kernel.XXXXXX") || return 1
    (cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "$1" >&2 &&
        dpkg-deb -x ./*.deb unpacked &&
        mkdir -p "$cache/boot" &&
        for image in unpacked/boot/vmlinuz-*; do
            # Renamed into place: another run may look at the same time.
            cp "$image" "$cache/boot/.new.$$" && mv "$cache/boot/.new.$$" "$cache/boot/${image##*/}"
        done)
    status=$?
    rm -rf "$work"
    return $status
}

if [ -z "$(cached)" ]; then
    for tool in apt-cache apt-get dpkg-deb; do
        command -v $tool >/dev/null || { say "no $tool to get a kernel with"; exit 77; }
    done
    for package in linux-image-cloud-amd64 linux-image-amd64; do
        real=$(package_behind $package)
        [ -n "$real" ] && fetch "$real" && break
    done
fi
[ -n "$(cached)" ] || { say "no kernel package can be had (apt-get update may help)"; exit 77; }
cached
