#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the translation units of build/tidy with clang-tidy, several at a time; tidy.sh calls it, from the repository's root.

What a unit's reading said stands in build/tidy/findings/UNIT.txt. Beside it, UNIT.clean lists the files that a clean unit was made of: the unit
is passed over until one of them is younger than that list.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys

BUILD = pathlib.Path("build/tidy").resolve()
FINDINGS = BUILD / "findings"
ROOT = pathlib.Path.cwd()
RULES = [ROOT / ".clang-tidy", ROOT / "tests/static/readunits.py", ROOT / "tests/static/ownsources.cpp"]


def ownFiles(command):
    """The files of the repository that a unit is compiled from, as the compiler names them."""
    words = shlex.split(command)
    words[words.index("-o") + 1] = "-"
    made = subprocess.run([*words, "-MM", "-w"], cwd=BUILD, capture_output=True, text=True, check=True).stdout
    return [str((BUILD / name).resolve()) for name in made.partition(":")[2].replace("\\\n", " ").split()]


def isClean(record):
    if not record.exists():
        return False
    since = record.stat().st_mtime
    files = [*RULES, *map(pathlib.Path, record.read_text().splitlines())]
    return all(file.exists() and file.stat().st_mtime < since for file in files)


def readUnit(unit, plugin):
    """Whether the unit is clean, and what there is to say of it."""
    name = str(pathlib.Path(unit["file"]).relative_to(ROOT)).removeprefix("build/tidy/").replace("/", "_")
    record = FINDINGS / f"{name}.clean"
    if isClean(record):
        return True, ""
    record.unlink(missing_ok=True)
    files = ownFiles(unit["command"])
    load = [f"--load={plugin}"] if plugin else []
    tidy = subprocess.run(["clang-tidy-14", "--quiet", "--warnings-as-errors=*", *load, "-p", str(BUILD), unit["file"]],
                          capture_output=True, text=True, check=False)
    said = tidy.stdout if tidy.stdout.strip() or tidy.returncode == 0 else tidy.stderr
    (FINDINGS / f"{name}.txt").write_text(said)
    if tidy.returncode == 0:
        record.write_text("\n".join(files) + "\n")
    return tidy.returncode == 0, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("regex")
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--plugin", required=True)
    arguments = parser.parse_args()
    FINDINGS.mkdir(exist_ok=True)
    mine = re.compile(r"(core|app|ui)/(?!.*_autogen/).*" + arguments.regex)
    units = [unit for unit in json.loads((BUILD / "compile_commands.json").read_text())
             if mine.search(str(pathlib.Path(unit["file"]).relative_to(ROOT)))]
    if not units:
        sys.exit(f"clang-tidy: no unit's path matches {arguments.regex!r}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(readUnit, unit, arguments.plugin): unit for unit in sorted(units, key=lambda unit: unit["file"])}
        for count, done in enumerate(concurrent.futures.as_completed(running), 1):
            clean, said = done.result()
            failed += not clean
            print(f"[{count}/{len(units)}] {running[done]['file'].removeprefix(str(ROOT) + '/')}{'' if clean else ': FINDINGS'}", flush=True)
            if not clean:
                print(said, flush=True)
    if failed:
        sys.exit(f"clang-tidy: findings in {failed} of {len(units)} units")
    print(f"clang-tidy: nothing found in {len(units)} units")


if __name__ == "__main__":
    main()
