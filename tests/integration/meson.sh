#!/bin/sh
# Build and test the Meson consumer in a copy, with altpick installed or as its subproject.
# usage: meson.sh installed|pkg-config|subproject|cross|known ALTPICK BUILD_DIR SOURCE_DIR SCRATCH
mode=$1 altpick=$(realpath "$2") build=$(realpath "$3") source=$4 scratch=$5
command -v meson >/dev/null || { echo 'meson is not installed'; exit 77; }
rm -rf "$scratch" && mkdir -p "$scratch" || exit 1
scratch=$(realpath "$scratch")
cp -rL "$source/integration/meson" "$scratch/consumer" && cd "$scratch/consumer" || exit 1
# What a build of altpick exports must not reach the consumer's.
unset CFLAGS CPPFLAGS LDFLAGS DESTDIR MESON_TESTTHREADS NINJA_STATUS
export PKG_CONFIG_PATH="$scratch/none"
quietly() { "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log"; echo "failed: $*"; exit 1; }; }

install_altpick() {
    quietly meson install -C "$build" --no-rebuild --destdir "$scratch/root"
    bin=$(dirname "$(find "$scratch/root" -path '*/bin/altpick' -type f)")
    [ -x "$bin/altpick" ] || { echo 'nothing was installed'; exit 1; }
}
as_subproject() {
    mkdir subprojects/altpick || exit 1
    for part in LICENSE VERSION meson.build meson_options.txt docs generators integration probes tests tuner; do
        cp -r "$source/$part" subprojects/altpick || exit 1
    done
}

set --
case $mode in
installed) install_altpick; PATH=$bin:$PATH; rm subprojects/altpick.wrap ;;
pkg-config)
    install_altpick
    pc=$(find "$scratch/root" -name altpick.pc)
    sed -i "s|^prefix=.*|prefix=${bin%/bin}|" "$pc" # it is staged, not where it will be
    PKG_CONFIG_PATH=$(dirname "$pc")
    rm subprojects/altpick.wrap
    ;;
subproject) as_subproject ;;
cross) as_subproject; set -- --cross-file i386.ini ;;
known)
    "$altpick" known --help >/dev/null 2>&1 || { echo 'there is no altpick known'; exit 77; }
    install_altpick; PATH=$bin:$PATH; rm subprojects/altpick.wrap
    cpu=$("$altpick" list machines | sed -n '2s/  .*//p')
    [ -n "$cpu" ] || { echo 'list machines names none'; exit 1; }
    set -- "-Dcpu=$cpu"
    ;;
esac

quietly meson setup ../out --werror "$@"
quietly ninja -C ../out
[ $mode = cross ] || quietly meson test -C ../out
for file in altpick.h altpick_elf.h altpick_nops.o; do
    [ -s "../out/$file" ] || { echo "no $file"; exit 1; }
done
case $mode in
installed | pkg-config)
    # The same as by hand.
    "$altpick" emit -f header profile.json | cmp - ../out/altpick.h || exit 1
    "$altpick" emit -f elf profile.json | cmp - ../out/altpick_nops.o || exit 1
    ;;
subproject)
    quietly meson install -C ../out --destdir "$scratch/root"
    [ -z "$(find "$scratch/root" -type f 2>/dev/null)" ] || { echo 'a subproject installs'; exit 1; }
    ;;
cross)
    readelf -h ../out/altpick_nops.o | grep -q 'Class: *ELF32' || { echo 'not ELF32'; exit 1; }
    quietly gcc -m32 -nostdlib -static -Wl,-e,pad_with_object -Wl,--whole-archive ../out/libpad.a \
        -o ../out/linked
    readelf -h ../out/linked | grep -q 'Machine: *Intel 80386' || { echo 'not i386'; exit 1; }
    ;;
esac
ninja -C ../out -n | grep -q 'no work to do' || { echo 'a second build would build again'; exit 1; }
