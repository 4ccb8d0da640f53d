# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws errors by a seed, the same as long as the statement stays the same, and writes them into the sources behind switches."""
import bisect
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pickle
import re

import statements

LAYERS = ("base", "calibrate", "cost", "engine", "explore", "fleet", "insight", "job", "measured", "scenario", "schedule", "sim", "stats", "step",
          "study", "trace", "ui_model", "workload")
AT_LEAST = 15  # errors per layer


def order(*words):
    return hashlib.sha256("\0".join(map(str, words)).encode()).digest()


def flat(text):
    return " ".join(re.sub(r"//[^\n]*", "", text).split())


@dataclasses.dataclass
class Mutant:
    file: str
    layer: str
    begin: int
    end: int
    replacement: str
    operator: str
    mode: str
    statement: str
    original: str
    line: int
    last: int
    key: str
    number: int = 0

    @property
    def shown(self):
        return flat(self.replacement) or "(nothing)"


class Pool:
    def __init__(self, root, source, work, build):
        self.root, self.work, self.finder = str(root), work, None
        self.statements = collections.defaultdict(list)  # layer -> [(key of the statement, [Mutant])]
        self.lines = {}
        self.find(source, build)
        self.equivalent = self.listed()

    def find(self, source, build):
        """Reads the tree's own sources with the commands of the copy's build; what was read of the same sources is kept."""
        store = os.path.join(self.work, "statements.pickle")
        kept = pickle.load(open(store, "rb")) if os.path.exists(store) else {}
        units = {}
        for file, command, _ in statements.commands(build):
            line = " ".join(command)
            if ("prism_core.dir" in line or "prism_ui_model.dir" in line) and os.path.exists(file) and "autogen" not in file:
                units[statements.content(self.root, str(source), file)] = (self.root, [a.replace(str(source), self.root) for a in command], file, str(source))
        missing = [key for key in units if key not in kept]
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            kept.update(zip(missing, pool.map(statements.found_in, [units[key] for key in missing])))
        kept = {key: kept[key] for key in units}
        pickle.dump(kept, open(store, "wb"))
        found = {}
        for part in kept.values():
            found |= part
        occurrence = collections.Counter()
        for (file, begin, end), errors in sorted(found.items()):
            text = self.text(file)
            statement = flat(text[begin:end].decode())
            nth = occurrence[(file, statement)]
            occurrence[(file, statement)] += 1
            name = f"{file}|{statement}|{nth}"
            mutants, seen = [], set()
            for b, e, replacement, operator, mode in errors:
                original = flat(text[b:e].decode())
                if (b, e, flat(replacement)) in seen or flat(replacement) == original:
                    continue
                seen.add((b, e, flat(replacement)))
                key = f"{name}|{operator}|{len(flat(text[begin:b].decode()))}|{original}|{flat(replacement)}"
                mutants.append(Mutant(file, statements.layer_of(file), b, e, replacement, operator, mode, statement, original, self.line(file, b), self.line(file, e), key))
            if mutants:
                self.statements[statements.layer_of(file)].append((name, mutants))

    def text(self, file):
        if file not in self.lines:
            text = open(os.path.join(self.root, file), "rb").read()
            self.lines[file] = (text, [i for i, x in enumerate(text) if x == 10])
        return self.lines[file][0]

    def line(self, file, offset):
        self.text(file)
        return bisect.bisect_left(self.lines[file][1], offset) + 1

    def listed(self):
        """Errors that change nothing, with their proofs: {file|operator|original|replacement|statement}."""
        path = os.path.join(self.root, "tests/mutation/equivalent.txt")
        found = set()
        for block in (open(path).read() if os.path.exists(path) else "").split("\n\n"):
            fields = dict(re.findall(r"^(file|statement|operator|original|replacement|proof): (.*)$", block, re.M))
            if len(fields) == 6:
                found.add("|".join(fields[x] for x in ("file", "operator", "original", "replacement", "statement")))
        return found

    def refused(self):
        path = os.path.join(self.work, "refused.json")
        return set(json.load(open(path))) if os.path.exists(path) else set()

    def refuse(self, keys):
        json.dump(sorted(keys), open(os.path.join(self.work, "refused.json"), "w"))

    def draw(self, seed, count, refused, layers=None):
        """Of the layers given alone, the same errors as among all."""
        sizes = {layer: len(found) for layer, found in self.statements.items()}
        rest, total = max(0, count - AT_LEAST * len(sizes)), sum(sizes.values())
        drawn = []
        for layer, found in sorted(self.statements.items()):
            if layers and layer not in layers:
                continue
            quota = AT_LEAST + round(rest * sizes[layer] / total)
            for name, mutants in sorted(found, key=lambda x: order(seed, x[0])):
                fit = [m for m in mutants if m.key not in refused and "|".join((m.file, m.operator, m.original, m.shown, m.statement)) not in self.equivalent]
                if fit and quota:
                    drawn.append(min(fit, key=lambda m: order(seed, m.key)))
                    quota -= 1
        return drawn

    def rewritten(self, mutants):
        """({file: text with every error behind its switch}, errors that cannot stand beside another)."""
        used, of_file, misfits = {}, collections.defaultdict(list), []
        for m in sorted(mutants, key=lambda m: m.key):
            number = int.from_bytes(order(m.key)[:4], "big") % ((1 << 20) - 2) + 1
            while number in used:
                number = number % ((1 << 20) - 2) + 1
            used[number], m.number = m, number
            of_file[m.file].append(m)
        texts = {}
        for file, found in of_file.items():
            text = self.text(file)
            found.sort(key=lambda m: (m.begin, -m.end))
            texts[file] = b'#include "tests/mutation/switch.h" ' + self.render(text, 0, len(text), found, misfits)
        return texts, misfits

    def render(self, text, begin, end, mutants, misfits):
        out, at, i = [], begin, 0
        while i < len(mutants):
            first = mutants[i]
            same, inner = [], []
            while i < len(mutants) and mutants[i].begin < first.end:
                m = mutants[i]
                if (m.begin, m.end) == (first.begin, first.end):
                    same.append(m)
                elif m.end <= first.end:
                    inner.append(m)
                else:
                    misfits.append(m)
                i += 1
            out.append(text[at:first.begin])
            body = self.render(text, first.begin, first.end, inner, misfits)
            whole = any(not m.replacement for m in same)  # a statement that is dropped has no value
            for m in same:
                body = self.switched(m, body, whole)
            out.append(body)
            at = first.end
        out.append(text[at:end])
        return b"".join(out)

    def switched(self, m, body, whole):
        switch = f"prismMutant{'Constant' if m.mode else ''}({m.number})".encode()
        if whole:
            return b"(" + switch + b" ? void(" + flat(m.replacement).encode() + b") : void(" + body + b"))"
        if m.operator in ("guard", "condition"):
            return b"(" + switch + b" ? " + flat(m.replacement).encode() + b" : static_cast<bool>(" + body + b"))"
        return b"(" + switch + b" ? (" + flat(m.replacement).encode() + b") : (" + body + b"))"

    def blamed(self, said, mutants):
        """The errors that the compiler names in what it finds wrong; in a file where it names none, those on the lines."""
        named, places = set(), collections.defaultdict(set)
        for path, line, block in re.findall(r"(\S+?):(\d+)(?::\d+)?: (?:fatal )?error([^\n]*(?:\n +\d* \|[^\n]*)*)", said):
            numbers = {int(x) for x in re.findall(r"prismMutant(?:Constant)?\((\d+)\)", block)}
            named |= numbers
            places[self.name(path)].add(int(line))
        found = [m for m in mutants if m.number in named]
        files = {m.file for m in found}
        return found + [m for m in mutants if m.file not in files and any(m.line <= n <= m.last for n in places.get(m.file, ()))]

    def name(self, path):
        copied = os.path.join(self.work, "src")
        return os.path.relpath(path, copied) if path.startswith("/") else re.sub(r"^(\.\./)+", "", path)
