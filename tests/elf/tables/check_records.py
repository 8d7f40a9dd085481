#!/usr/bin/env python3
"""Read the records of a linked file without altpick's code and compare them with its JSON.

usage: check_records.py LAYOUT LINKED FILE...
FILE.json is what altpick says of a file; an object has the places of the linked one as offsets."""
import json
import struct
import sys

# section, struct format, and what each number is; s: site relative to its field, r: replacement
LAYOUTS = {
    "linux12": (".altinstructions", "<iiHBB", "s r feature site_bytes bytes"),
    "linux13": (".altinstructions", "<iiHBBB", "s r feature site_bytes bytes pad"),
    "linux14": (".altinstructions", "<iiHHBB", "s r feature flags site_bytes bytes"),
    "xen12": (".altinstructions", "<iiHBB", "s r feature site_bytes bytes"),
    "xen14": (".altinstructions", "<iiHBBBB", "s r feature bare_bytes bytes pad zero"),
    "openbsd16": (".codepatch", "<QHHI", "a site_bytes tag zero"),
    "openbsd8": (".codepatch", "<IHH", "a site_bytes tag"),
    "netbsd10": (".rodata.hotpatch", "<BBQ", "tag site_bytes a"),
    "netbsd6": (".rodata.hotpatch", "<BBI", "tag site_bytes a"),
    "haiku8": (".altcodepatch", "<IHH", "o site_bytes tag"),
    "altpick": ("altpick_sites", "<iiBBBB", "s i site_bytes default flags version"),
}


def sections(data):
    """{name: (address, bytes, flags)} of an ELF file."""
    is_64 = data[4] == 2
    shoff = struct.unpack_from("<Q" if is_64 else "<I", data, 40 if is_64 else 32)[0]
    size, number, names = struct.unpack_from("<HHH", data, 58 if is_64 else 46)
    headers = [struct.unpack_from("<IIQQQQ" if is_64 else "<IIIIII", data, shoff + i * size)
               for i in range(number)]
    text = headers[names][4]
    return {data[text + h[0]:data.index(b"\0", text + h[0])].decode():
            (h[3], data[h[4]:h[4] + h[5]] if h[1] != 8 else b"") for h in headers}


def code_at(found, address, n):
    for start, data in found.values():
        if start and start <= address < start + len(data):
            return data[address - start:address - start + n]
    return b""


def read(layout, found, table):
    section, form, names = LAYOUTS[layout]
    address, data = found[table["section"]]
    assert table["section"] in (section, ".init.rodata"), table["section"]
    for i in range(table["entries"]):
        at = table["offset"] + i * struct.calcsize(form)
        value = dict(zip(names.split(), struct.unpack_from(form, data, at)))
        if "s" in value:
            site = address + at + value["s"]
        else:
            site = value["a"] if "a" in value else value["o"] + 0x80000000
        yield at, site & 0xffffffff, value


def compare(layout, found, table, linked):
    for record, (at, site, value) in zip(table["records"], read(layout, found, table)):
        feature, flags = value.get("feature"), value.get("flags", 0)
        n = value.get("site_bytes", value.get("bare_bytes", 0) + value.get("pad", 0))
        expected = {"at": at, "site_bytes": n}
        if feature is not None:
            mask = 0x7fff if layout in ("linux12", "xen14") else 0xffff
            expected["feature"] = feature & mask
            expected["inverted"] = bool(flags & 1) or feature > mask
        if layout == "linux14":
            expected["flags"], expected["direct_call"] = flags, bool(flags & 2)
        if "tag" in value:
            expected["tag"] = value["tag"]
        if "bytes" in value:
            expected["replacement_bytes"] = value["bytes"]
            new = code_at(found, (value["r"] + found[table["section"]][0] + at + 4) & 0xffffffff,
                          value["bytes"])
            if linked:
                assert record["new"]["code"] == new.hex(), (at, new.hex(), record["new"])
        if "i" in value:
            name = code_at(found, value["i"] + found[table["section"]][0] + at + 4, 64)
            expected["item"] = name[:name.index(b"\0")].decode()
            expected["pad_bytes"] = n - value["default"]
        for key, is_ in expected.items():
            assert record[key] == is_, (at, key, record[key], is_)
        text = found[".text"]
        assert record["site"]["section"] == ".text"
        assert record["site"]["offset"] == site - text[0], (at, record["site"], hex(site))
        if linked:
            assert int(record["site"]["address"], 16) == site
            assert record["old"]["code"] == code_at(found, site, n).hex()


def main():
    layout, linked, *files = sys.argv[1:]
    with open(linked, "rb") as f:
        found = sections(f.read())
    for file in files:
        with open(file + ".json", encoding="utf-8") as f:
            said = json.load(f)
        assert [t["layout"] for t in said["tables"]] == [layout], said["tables"]
        table = said["tables"][0]
        assert len(table["records"]) == table["entries"] > 0
        if file == linked and table["section"] == LAYOUTS[layout][0]:
            size = struct.calcsize(LAYOUTS[layout][1])
            assert table["entries"] * size == len(found[table["section"]][1])
        compare(layout, found, table, file == linked)


if __name__ == "__main__":
    main()
