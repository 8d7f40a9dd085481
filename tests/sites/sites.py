# SPDX-License-Identifier: MIT
"""A list of sites and decisions in JSON, read without altpick's code: what records say."""
import re

ALWAYS = {"xen14": 2 * 32 + 29}


def fill(nops, length):
    """The rule of docs/formats.md for a gap."""
    table = {nop["bytes"]: bytes.fromhex(nop["code"]) for nop in nops["nops"] + nops["gaps"]}
    jump = nops["jump_from"]["value"]
    if length in table:
        return table[length]
    if jump and length >= jump:
        if length <= 129:
            return bytes([0xeb, length - 2]) + b"\x90" * (length - 2)
        return b"\xe9" + (length - 5).to_bytes(4, "little") + b"\x90" * (length - 5)
    pieces = -(-length // nops["longest"]["value"])
    return b"".join(table[length // pieces + (i < length % pieces)] for i in range(pieces))


def item_code(decisions, item, bits, length):
    nops = decisions[f"nops_{bits}"]
    if item == f"nop.fill.{bits}":
        return fill(nops, length)
    if item.startswith("nop.text-poke."):
        return next(bytes.fromhex(poke["code"]) for poke in nops["text_pokes"]
                    if poke["bytes"] == int(item.rsplit(".", 1)[1]))
    name = "fpu.init" if item == "fpu.init.body" else item
    return next(bytes.fromhex(body["code"]) for body in decisions["bodies"] if body["name"] == name)


class Line:
    def __init__(self, text, decisions, layout, bits):
        self.symbol, length, self.item, feature, *flags = text.split()
        self.length = int(length)
        word = re.fullmatch(r"(\d+)\*32\+(\d+)", feature)
        self.always = feature == "always"
        if word:
            self.feature = int(word[1]) * 32 + int(word[2])
        elif self.always:
            self.feature = ALWAYS.get(layout, 3 * 32 + 21)
        else:
            self.feature = 0 if feature == "-" else int(feature)
        self.inverted = "not" in flags
        self.padding = sum(int(flag[4:]) for flag in flags if flag.startswith("pad="))
        self.code = item_code(decisions, self.item, bits, self.length)

    def applies(self, features):
        """Whether a set, bit n of which is feature 3*32+1+n, makes an engine apply it."""
        present = self.always or features >> (self.feature - 97) & 1
        return bool(present) != self.inverted


def read_list(path, decisions, layout, bits):
    """Lines of one site together where the first of them stands."""
    lines = []
    with open(path, encoding="ascii") as file:
        for text in file:
            text = text.split("#")[0]
            if text.split():
                lines.append(Line(text, decisions, layout, bits))
    symbols = [line.symbol for line in lines]
    return sorted(lines, key=lambda line: symbols.index(line.symbol))
