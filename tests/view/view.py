#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""altpick view on kernels of a page: what it says against bytes that are worked out here.

usage: view.py ALTPICK TESTS_DIR SCRATCH"""

import os
import sys

from kernel import Kernel, altpick, data, fail, failures, here, run, scratch, words

FEATURES = "9*32+20,1*32+2,2*32+2"


def expected(k, release):
    """Final bytes of each site with FEATURES, by its function."""
    new = release >= (6, 5)
    two = "6690" if k.bits == 64 else "89f6"
    far = k.symbols["thunk"] - k.symbols["jumps"] - 2
    sites = {
        "plain": "0f01cb",
        "calls": None if k.module else k.call("calls", "thunk"),
        "jumps": f"eb{far:02x}" + ("cccccc" if new else "0f1f00" if k.bits == 64 else "8d7600") + two,
        "nested": "f4f4" + two,
    }
    if k.direct:
        sites["direct"] = k.call("direct", "plain") + "90"
    return sites


def check_sites(k, release):
    d = data(k.path, "--features", FEATURES, "--sites")
    sites = {s["address"]: s for s in d["sites"]}
    for function, final in expected(k, release).items():
        site = sites[k.at(function)]
        if final is not None and site["final"] != final:
            fail(f"{k.path}: {function}: {site['final']}, not {final}")
    unpatched = sites[k.at("plain").replace(f"{k.symbols['plain']:x}", f"{k.symbols['plain'] + 3:x}")]
    merged = {(5, 13): "0f1f00" + ("6690" if k.bits == 64 else "89f6"),
              (6, 5): "0f1f440000" if k.bits == 64 else "3e8d742600"}
    if unpatched["final"] != merged[(6, 5) if release >= (6, 5) else (5, 13)]:
        fail(f"{k.path}: NOPs that are not patched: {unpatched['final']}")
    nested = sites[k.at("nested")]["entries"]
    if [(e["index"], e["feature"], e["applied"]) for e in nested] != [(4, "2*32+1", False),
                                                                     (5, "2*32+2", True)]:
        fail(f"{k.path}: entries of a nested site: {nested}")
    if [(t["table"], t["records"]) for t in d["not_modelled"]] != [("jump labels", 1)]:
        fail(f"{k.path}: not modelled: {d['not_modelled']}")


def check_vdso(k):
    rdtsc = [s for s in data(k.path, "--features", "3*32+18", "--sites")["sites"] if "vdso" in s]
    if [(s["old"], s["final"], len(s["entries"])) for s in rdtsc] != [("0f31909090", "0faee80f31", 1)]:
        fail(f"{k.path}: sites of its vDSO: {rdtsc}")
    start = int(rdtsc[0]["address"], 16)
    code = data(k.path, "--features", "", "--range", f"{start:x}-{start + 6:x}")["code"][0]
    if [i["code"] for i in code["instructions"]][0] != "0f31":
        fail(f"{k.path}: code of its vDSO: {code}")


def check_code(k):
    d = data(k.path, "--features", FEATURES, "--function", "plain")
    first = d["code"][0]["instructions"][0]
    if first["code"] != "0f01cb" or first["text"] != "stac" or first["bytes_from"][0]["entry"] != 0:
        fail(f"{k.path}: code of plain: {first}")
    text = run(k.path, "--features", "", "--function", "labelled").stdout
    if "may be rewritten: jump labels" not in text:
        fail(f"{k.path}: a jump label is not marked")
    locked = data(k.path, "--features", "", "--function", "locked", "--up")["code"][0]
    prefixes = locked["instructions"][0]["code"][:4]
    if "3e" not in prefixes or "f0" in prefixes:
        fail(f"{k.path}: --up leaves {locked['instructions'][0]['code']}")
    intel = run(k.path, "--features", "", "--function", "locked", "--syntax", "intel").stdout
    if "lock inc [" not in intel:
        fail(f"{k.path}: no Intel syntax: {intel}")


def check_diff(k):
    d = data(k.path, "--features", FEATURES, "--diff", FEATURES + ",!9*32+20")
    if [f["function"] for f in d["functions"]] != ["plain"] or \
            d["functions"][0]["sites"][0]["runs"] != "0f01cb":
        fail(f"{k.path}: differences: {d['functions']}")
    if data(k.path, "--features", FEATURES, "--diff", FEATURES)["functions"]:
        fail(f"{k.path}: it differs from itself")


def check_module(k):
    text = run(k.path, "--features", "", "--function", "calls").stdout
    if "call external" not in text:
        fail(f"{k.path}: the target of a call is not named: {text}")
    if "a layout that is made up" not in text:
        fail(f"{k.path}: nothing is said of addresses")
    text = run(k.path, "--features", "", "--range", ".text+0-4").stdout
    if text.count("\n.text+0x") != 3:  # the name, a NOP, the NOPs of a site
        fail(f"{k.path}: a range of a section: {text}")


def check_refusals(k):
    def refused(status, reason, *args):
        p = run(*args, status=status)
        if p.stdout or reason not in p.stderr:
            fail(f"view {' '.join(args)}: no '{reason}': {p.stderr}{p.stdout}")

    refused(2, "--features is needed", k.path)
    refused(2, "only one", k.path, "--features", "", "--sites", "--range", "1-2")
    refused(2, "names of features need --cpufeatures", k.path, "--features", "smap")
    refused(2, "W below 64", k.path, "--features", "1*32+40")
    refused(2, "neither att nor intel", k.path, "--features", "", "--syntax", "masm")
    refused(2, "no layout", k.path, "--features", "", "--layout", "linux99")
    refused(2, "no release", k.path, "--features", "", "--kernel", "six")
    refused(1, "before 5.13", k.path, "--features", "", "--kernel", "5.10")
    refused(1, "newer than what is modelled", k.path, "--features", "", "--kernel", "9.1")
    refused(4, "no function 'plane'", k.path, "--features", "", "--function", "plane")
    refused(4, "not within one section of code", k.path, "--features", "", "--range", "10-20")
    refused(2, "is not A-B", k.path, "--features", "", "--range", "20-10")
    refused(1, "no patch table", altpick, "--features", "")
    with open(f"{scratch}/list", "w") as f:
        f.write("# good\n9*32+20\nbad\n")
    refused(1, f"{scratch}/list:3: 'bad' is a name", k.path, "--features", f"{scratch}/list")
    refused(2, "--diff: 'nosuch' is neither", k.path, "--features", "", "--diff", "nosuch")
    refused(2, "--diff: '1*32+40' is neither", k.path, "--features", "", "--diff", "1*32+40")
    refused(2, "number below 2048", k.path, "--features", "2048")
    refused(2, "--machine: 'x' is of a profile", k.path, "--features", "", "--machine", "x")
    refused(2, "none in --features and --diff", k.path, "--features", "", "--diff", "1*32+1",
            "--machine", "x")
    with open(f"{scratch}/noflags", "w") as f:
        f.write("processor : 0\nvendor_id : X\nbugs : srso\n")
    refused(1, "looks like /proc/cpuinfo and has no line 'flags", k.path, "--features",
            f"{scratch}/noflags")


def check_features(k):
    with open(f"{scratch}/cpufeatures.h", "w") as f:
        f.write('#define NCAPINTS 22\n#define X86_FEATURE_SMAP (9*32+20) /* "smap" */\n'
                "#define X86_FEATURE_SECRET (2*32+2) /* not shown */\n")
    with open(f"{scratch}/cpuinfo", "w") as f:
        f.write("processor : 0\nvendor_id : X\nflags : smap\n")
    p = run(k.path, "--cpufeatures", f"{scratch}/cpufeatures.h", "--features",
            f"{scratch}/cpuinfo", "--sites")
    if "0 9*32+20 smap: applied" not in words(p):
        fail(f"names of features: {p.stdout}")
    if "2*32+2 secret" not in words(p) or "taken as absent" not in words(p):
        fail(f"nothing is said of what the CPU does not show: {p.stderr}")
    profile = f"{here}/../integration/make/profile.json"
    p = run(k.path, "--features", profile)
    if "taken as absent: " not in words(p) or "9*32+20" not in p.stderr:
        fail(f"features of a profile: {p.stderr}")
    if "--machine" in run(k.path, "--features", profile, "--machine", "x", status=4).stderr:
        fail("a machine that a profile does not have is a machine without a profile")


ASKED = {"smap": 9*32+20, "one": 5*32+1, "two": 5*32+2, "xenpv": 8*32+16, "far": 1*32+2,
         "first": 2*32+1, "second": 2*32+2, "lfence_rdtsc": 3*32+18, "always": 3*32+21}


def header(name, is_new, names=ASKED, hidden=()):
    """A kernel's header with @names, in the convention since 6.11 or until 6.10."""
    path = f"{scratch}/{name}"
    with open(path, "w") as f:
        f.write("#define NCAPINTS 22\n#define X86_BUG(x) (NCAPINTS*32 + (x))\n")
        for n, value in names.items():
            quoted = f'"{n}" ' if is_new and n not in hidden else '"" ' if n in hidden else ""
            quoted = "" if is_new and n in hidden else quoted
            f.write(f"#define X86_FEATURE_{n.upper()} ({value // 32}*32+{value % 32}) /* {quoted}x */\n")
    return path


def check_map(old, new):
    """A map that is not of the kernel is told of; one that is, is not."""
    right = {old: header("old.h", False, hidden=("always",)),
             new: header("new.h", True, hidden=("always",))}
    for k, path in right.items():
        p = run(k.path, "--features", "smap", "--cpufeatures", path)
        if p.stderr or "none for" in p.stdout:
            fail(f"{k.path}: the right map is doubted: {p.stderr}{p.stdout}")
        if data(k.path, "--features", "smap", "--cpufeatures", path)["unnamed"]:
            fail(f"{k.path}: the right map lacks names")
    for k, path, era in ((old, right[new], "since 6.11"), (new, right[old], "until 6.10")):
        p = run(k.path, "--features", "smap", "--cpufeatures", path)
        if f"written as those of Linux {era}" not in words(p):
            fail(f"{k.path}: a header of other releases is not told of: {p.stderr}")
    few = {n: v for n, v in ASKED.items() if n not in ("xenpv", "lfence_rdtsc")}
    for options in ((), ("--sites",), ("--function", "plain"), ("--diff", "far")):
        args = (old.path, "--features", "smap", "--cpufeatures", header("few.h", False, few), *options)
        p = run(*args)
        if "2 features that the table asks for have no name in" not in words(p) or \
                not p.stderr.rstrip().endswith("3*32+18, 8*32+16") and \
                not p.stderr.rstrip().endswith("8*32+16, 3*32+18"):
            fail(f"{old.path}: a map that lacks names is not told of: {p.stderr}")
        if "few.h, which has none for 2 features" not in words(p):
            fail(f"{old.path}: nothing is said of the map beside the output: {p.stdout}")
        if sorted(data(*args)["unnamed"]) != ["3*32+18", "8*32+16"]:
            fail(f"{old.path}: numbers without a name are not in JSON")


def check_unknown(k):
    """What nobody told is never stated as a fact."""
    path = header("hides.h", False, hidden=("one", "second", "always"))
    with open(f"{scratch}/hides", "w") as f:
        f.write("processor : 0\nflags : smap odd\nbugs : strange odder\n")
    base = (k.path, "--cpufeatures", path, "--features", f"{scratch}/hides")
    summary = run(*base)
    for what in ("2 of", "5*32+1 one", "2*32+2 second", "1 flag of the CPU has no name in", "odd",
                 "2 bugs of the CPU have no name in", "strange, odder", "/hides.h"):
        if what not in " ".join(summary.stderr.split()):
            fail(f"{k.path}: no '{what}' in {summary.stderr}")
    for options in ((), ("--sites",), ("--function", "nested"), ("--diff", f"{scratch}/hides,second")):
        out = words(run(*base, *options))
        name = "- features" if "--diff" in options else "features"
        if f"{name} {scratch}/hides; 2 of" not in out:
            fail(f"{k.path}: {options}: the list of features is not named: {out}")
        if "--diff" in options and f"+ features {scratch}/hides,second; 1 of" not in out:
            fail(f"{k.path}: the other list of features is not named: {out}")
    sites = words(run(*base, "--sites"))
    if "5 2*32+2 second: not applied, unknown, taken as absent" not in sites or \
            "4 2*32+1 first: not applied, it is absent" not in sites:
        fail(f"{k.path}: sites: {sites}")
    code = words(run(*base, "--function", "nested"))
    if "second: not applied, unknown, taken as absent" not in code:
        fail(f"{k.path}: code: {code}")
    diff = words(run(*base, "--diff", f"{scratch}/hides,second"))
    if "second: - not applied, unknown, taken as absent; + applied, it is present" not in diff:
        fail(f"{k.path}: differences: {diff}")
    check_unknown_json(k, base)


def check_unknown_json(k, base):
    d = data(*base, "--sites")
    if sorted(d["unknown"]) != ["2*32+2", "5*32+1"] or d["features"] != f"{scratch}/hides":
        fail(f"{k.path}: head: {d['unknown']}, {d['features']}")
    known = {e["feature"]: e["known"] for s in d["sites"] for e in s["entries"]}
    if [f for f in known if not known[f]] != sorted(d["unknown"], reverse=True):
        fail(f"{k.path}: known: {known}")
    code = data(*base, "--function", "nested")["code"][0]["instructions"][0]
    if [(e["feature"], e["known"]) for e in code["entries"]] != [("2*32+1", True), ("2*32+2", False)]:
        fail(f"{k.path}: entries of an instruction: {code}")
    d = data(*base, "--diff", f"{scratch}/hides,second")
    entry = d["functions"][0]["sites"][0]["entries"][0]
    if (entry["index"], entry["applied"], entry["known"], entry["other_applied"],
            entry["other_known"]) != (5, False, False, True, True):
        fail(f"{k.path}: entries of a difference: {entry}")
    if d["other_features"] != f"{scratch}/hides,second" or d["other_unknown"] != ["5*32+1"]:
        fail(f"{k.path}: head of differences: {d}")


def check_range(k):
    """A range that begins or ends inside an instruction says so; one in data is refused."""
    def at(symbol, offset):
        return f"{k.symbols[symbol] + offset:x}"

    prefix = ".text+" if k.module else ""
    inside = prefix + f"{at('labelled', 2)}-{at('labelled', 5)}"
    p = run(k.path, "--features", "", "--range", inside)
    where = k.at("labelled")
    if f"is inside the instruction at {where}," not in words(p) or \
            f"# it begins inside the instruction at {where}," not in words(p):
        fail(f"{k.path}: the middle of an instruction is not told of: {p.stderr}{p.stdout}")
    d = data(k.path, "--features", "", "--range", inside)["code"][0]
    if d["begins_inside"] != where:
        fail(f"{k.path}: the middle of an instruction: {d}")
    cut = prefix + f"{at('labelled', 0)}-{at('labelled', 3)}"
    p = run(k.path, "--features", "", "--range", cut)
    if "0f1f44 (cut off at the end of the range)" not in words(p) or p.stderr or "bad" in p.stdout:
        fail(f"{k.path}: an instruction that the range cuts: {p.stderr}{p.stdout}")
    d = data(k.path, "--features", "", "--range", cut)["code"][0]
    if [(i["code"], i["cut_off"]) for i in d["instructions"]] != [("0f1f44", True)] or \
            "begins_inside" in d:
        fail(f"{k.path}: an instruction that the range cuts: {d}")
    if k.module:
        return
    vdso = int(next(s for s in data(k.path, "--features", "", "--sites")["sites"]
                    if "vdso" in s)["vdso"], 16)
    p = run(k.path, "--features", "", "--range", f"{vdso:x}-{vdso + 16:x}", status=4)
    if "is not within the code of the vDSO" not in p.stderr or p.stdout:
        fail(f"{k.path}: the header of a vDSO is shown as code: {p.stderr}{p.stdout}")


def check_vdso_function(k):
    code = data(k.path, "--features", "", "--function", "gettime")["code"]
    if [(c["start"], c["instructions"][0]["text"]) for c in code] != [("gettime", "rdtsc")]:
        fail(f"{k.path}: a function of the vDSO: {code}")
    p = run(k.path, "--features", "", "--function", "gettimes", status=4)
    if "or its vDSOs; did you mean 'gettime'?" not in p.stderr:
        fail(f"{k.path}: functions of the vDSO are not suggested: {p.stderr}")


def check_width(k):
    """Nothing is wider than 100 columns, and nothing is left out for it."""
    long = "a_function_whose_name_is_longer_than_what_is_left_of_a_line_of_a_hundred_columns"
    path = header("hides.h", False, hidden=tuple(ASKED))
    with open(f"{scratch}/hides", "w") as f:
        f.write("processor : 0\nflags : " + " ".join(f"flag{i}" for i in range(40)) + "\n")
    base = (k.path, "--features", f"{scratch}/hides,5*32+2", "--cpufeatures", path)
    for options in ((), ("--sites",), ("--function", long), ("--diff", "2*32+2")):
        p = run(*base, *options)
        wide = [line for line in (p.stdout + p.stderr).splitlines() if len(line) > 100]
        if wide:
            fail(f"{k.path}: {options}: {wide}")
        if "flag39" not in p.stderr:
            fail(f"{k.path}: warnings are cut: {p.stderr}")
    site = next(s for s in data(*base, "--sites")["sites"] if s["bytes"] == 120)
    joined = "".join(run(*base, "--sites").stdout.split())
    if "file" + site["old"] + "runs" + site["final"] not in joined:
        fail(f"{k.path}: a long site: {joined}")
    code = words(run(*base, "--function", long))
    if f"<{long}>" not in code or "# 6: replacement" not in code and "# 7: replacement" not in code:
        fail(f"{k.path}: a long instruction: {code}")
    joined = "".join(run(*base, "--diff", "2*32+2").stdout.split())
    if site["final"] not in joined:
        fail(f"{k.path}: a long difference: {joined}")


def check_numbers(k):
    plain = FEATURES.replace("9*32+20", str(9 * 32 + 20))
    if data(k.path, "--features", plain, "--sites")["sites"] != \
            data(k.path, "--features", FEATURES, "--sites")["sites"]:
        fail(f"{k.path}: a plain number is another feature")


def main():
    os.makedirs(scratch, exist_ok=True)
    kernels = [
        (Kernel("k61", "6.1.0-1", 64, False), (6, 1)),
        (Kernel("k66", "6.6.1", 64, True), (6, 6)),
        (Kernel("k612", "6.12.9+x", 64, True), (6, 12)),
        (Kernel("k61-32", "6.1.0-1", 32, False), (6, 1)),
        (Kernel("k612-32", "6.12.0", 32, True), (6, 12)),
        (Kernel("m61", "6.1.0-1", 64, False, module=True), (6, 1)),
        (Kernel("m612", "6.12.0", 64, True, module=True), (6, 12)),
        (Kernel("m612-32", "6.12.0", 32, True, module=True), (6, 12)),
    ]
    for kernel, release in kernels:
        check_sites(kernel, release)
        check_code(kernel)
        check_diff(kernel)
        if kernel.module:
            check_module(kernel)
        else:
            check_vdso(kernel)
            check_vdso_function(kernel)
        check_range(kernel)
        check_width(kernel)
        check_numbers(kernel)
    check_map(kernels[0][0], kernels[2][0])
    check_unknown(kernels[0][0])
    check_refusals(kernels[0][0])
    check_features(kernels[0][0])
    sys.exit(bool(failures))


main()
