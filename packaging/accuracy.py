#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the error of the predicted step on published rows and prints tests/accuracy/record.md.

    packaging/accuracy.py PRISM-CLI FILE ...          FILE: rows of the format prism-validation-1, the shipped ones first
    packaging/accuracy.py --check PRISM-CLI FILE      whether the section of this file in the record is what the program gives
"""
import json
import os
import re
import subprocess
import sys

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "accuracy", "record.md")
HEAD = """# Error of the predicted step on published rows

`packaging/accuracy.py build/release/app/prism-cli FILE ...` prints this record. A change of the cost model renews it, so that a review sees which source
became better or worse. Error = predicted median / published - 1, of 100 sampled steps, rows weighted equally; the constants in use were fitted on some of
these rows ([cost model](../../resources/help/cost-model.md)). Suspect rows, second names of one row, and rows that miss a fact are left out. *In the band*:
rows whose error lies inside of what `predict` states for their kind of job.
"""
TOLERANCE = 0.05  # points, one digit of the last place and its rounding


def prism(cli, *arguments):
    run = subprocess.run([cli, *arguments], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(arguments)}\n{run.stderr}{run.stdout}")
    return run.stdout


def figures(rows):
    errors = [100 * row["error"] for row in rows]
    inside = sum(row["band"][0] <= row["published_s"] <= row["band"][1] for row in rows)
    return [len(rows), sum(map(abs, errors)) / len(rows), sum(errors) / len(rows), max(errors, key=abs), 100 * inside / len(rows)]


def line(name, rows):
    n, size, bias, worst, inside = figures(rows)
    return f"| {name} | {n} | {size:.2f} % | {bias:+.2f} % | {worst:+.1f} % | {inside:.0f} % |"


def section(cli, path):
    """A table of the totals and of each source, GPU, precision and kind of model with three rows or more."""
    with open(path) as file:
        read = json.load(file)
    published = {row["id"]: row for row in read["rows"]}
    known = json.loads(prism(cli, "validate", "published", path, "--samples", "100", "--json"))["rows"]
    rows = [row for row in known if row["error"] is not None and not row["left_out"]]
    kinds = {"all": rows}
    for tier in ("A", "AB"):
        kinds["tier " + " and ".join(tier)] = [row for row in rows if row["tier"] in tier]
    for row in rows:
        of = published[row["id"]]
        moe = "moe" if of["model"].get("moe") else "dense"
        kinds.setdefault(moe, []).append(row)
        precision = (read["sources"][of["source"]].get("execution", {}) | of.get("execution", {})).get("training.precision", "any precision")
        gpu = of["gpu"]["type"].split()[0].split("-")[0].lower()
        kinds.setdefault(f"{gpu}, {precision}, {moe}", []).append(row)
        kinds.setdefault("source " + row["source"], []).append(row)
    names = sorted((name for name, of in kinds.items() if len(of) >= 3 or name in ("all", "moe", "dense")),
                   key=lambda name: (name.startswith("source"), "," in name, name))
    table = [f"## {os.path.basename(path)}", "", "| rows of | number | mean error | bias | worst | in the band |", "| --- | --- | --- | --- | --- | --- |"]
    return "\n".join(table + [line(name, kinds[name]) for name in names if kinds[name]]) + "\n"


def numbers(text):
    return [float(x) for x in re.findall(r"[-+]?\d+(?:\.\d+)?(?= %)", text)]


def differences(recorded, fresh):
    """Lines of the fresh section that are not in the record, but for the last digit of a figure."""
    words = lambda text: re.sub(r"[-+]?\d+(?:\.\d+)? %", "%", text)
    old, new = recorded.splitlines(), fresh.splitlines()
    if [words(text) for text in old] != [words(text) for text in new]:
        return new
    return [b for a, b in zip(old, new) if any(abs(x - y) > TOLERANCE + (abs(x) >= 50) for x, y in zip(numbers(a), numbers(b)))]


def main():
    if sys.argv[1:2] == ["--check"]:
        cli, path = sys.argv[2:4]
        fresh = section(cli, path)
        with open(RECORD) as file:
            parts = file.read().split("\n## ")
        recorded = next(("## " + part for part in parts if part.startswith(os.path.basename(path) + "\n")), "")
        stale = differences(recorded.rstrip("\n"), fresh.rstrip("\n"))
        if stale:
            sys.exit("tests/accuracy/record.md differs; the program gives\n" + "\n".join(stale) + "\nIf this is intended, packaging/accuracy.py renews it.")
        return
    cli, *paths = sys.argv[1:]
    print(HEAD + "\n" + "\n".join(section(cli, path) for path in paths), end="")


main()
