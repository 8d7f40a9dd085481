#!/bin/sh
# Print the path of a Debian kernel image, downloading and unpacking (not installing) its package
# once into a cache folder.  With "kvm", also the paths of its modules for AMD's virtual machines, in
# the order in which they are loaded.  Exits 77 where none can be had.
# usage: kernel.sh [kvm]
set -u
cache=${ALTPICK_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/altpick}/kernel

say() { echo "kernel.sh: $*" >&2; }
cached() { ls "$cache"/boot/vmlinuz-* 2>/dev/null | tail -n 1; }
modules() { # KERNEL
    folder=$cache/modules/${1##*/vmlinuz-}
    for module in irqbypass kvm ccp kvm-amd; do # ccp: only where it is one
        [ ! -e "$folder/$module.ko" ] || echo "$folder/$module.ko"
    done
}
wanted=${1:-}
was_fetched() { # a package without modules is not fetched again
    kernel=$(cached)
    [ -n "$kernel" ] && { [ -z "$wanted" ] || [ -d "$cache/modules/${kernel##*/vmlinuz-}" ]; }
}

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
        done &&
        for module in unpacked/lib/modules/*/kernel/virt/lib/irqbypass.ko \
            unpacked/lib/modules/*/kernel/arch/x86/kvm/kvm.ko \
            unpacked/lib/modules/*/kernel/arch/x86/kvm/kvm-amd.ko \
            unpacked/lib/modules/*/kernel/drivers/crypto/ccp/ccp.ko; do
            folder=$(echo unpacked/lib/modules/*)
            folder=$cache/modules/${folder##*/}
            mkdir -p "$folder" && [ -e "$module" ] || continue # it may be packed, or built in
            cp "$module" "$folder/.new.$$" && mv "$folder/.new.$$" "$folder/${module##*/}"
        done)
    status=$?
    rm -rf "$work"
    return $status
}

if ! was_fetched; then
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
[ -n "$wanted" ] || exit 0
modules "$(cached)" | grep -q 'kvm-amd.ko$' ||
    { say 'the package has no modules for virtual machines'; exit 77; }
modules "$(cached)"
