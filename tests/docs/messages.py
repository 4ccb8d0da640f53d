#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints every message of the program as one table, and checks what it names.

messages.py --cli PROGRAM [--table]

A message is a text of core or app with three words or more: diagnostics, notes, help of commands and parameters. Checked: an option that a
message names is one of a command, a command that it names exists, no sentence has more than 40 words, and no message has one of the words
below, whose plain terms stand behind them.
"""
import argparse
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PRIVATE = {r"(?<!there )\bis no (?!longer|more)\b": "is not a", r"(?<!there )\bare no (?!longer|more)\b": "are not", r"\bso (many|few|long|often)\b(?! as)": "name the number",
           r"\bmend(s|ed|ing)?\b": "repair", r"\bleft out\b": "omitted", r"\bleaves? out\b": "omit", r"\bafresh\b|\banew\b": "redrawn, again",
           r"\bnobody\b|\bsomebody\b": "name the actor", r"\btell(s|ing)?\b|\btold\b": "report, distinguish", r"\bsays?\b": "report, print",
           r"\bwhatever\b": "regardless of", r"\bof (its|their|one's) own\b": "separate, its own", r"\bgo(es)? on\b": "continue, resume",
           r"\bat the most\b|\bat the least\b": "at most, at least", r"\bin the mean\b|\bon the average\b": "on average"}
MAX_WORDS = 40  # of a sentence; a list of accepted values may be long
# Files whose texts name flags of other programs, or are texts of other programs.
FOREIGN = ("core/scenario/import/", "core/scenario/parametertable_", "core/measured/dialects", "core/explore/slurm.cpp", "app/explorer/", "core/sim/", "core/walk/", "app/cli/reference/completiontext")
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def messages():
    """(file, line, text) of each literal; neighbouring ones are one text."""
    for path in sorted([*SOURCE.glob("core/**/*.cpp"), *SOURCE.glob("core/**/*.h"), *SOURCE.glob("app/**/*.cpp")]):
        name, source = str(path.relative_to(SOURCE)), path.read_text()
        text, end, start = "", 0, 0
        for match in LITERAL.finditer(source):
            literal = match[2] if match[2] is not None else match[3]
            if literal is None:
                continue
            literal = literal.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")
            if text and not source[end:match.start()].strip():
                text += literal
            else:
                if text:
                    yield name, source.count("\n", 0, start) + 1, text
                text, start = literal, match.start()
            end = match.end()
        if text:
            yield name, source.count("\n", 0, start) + 1, text


def is_message(text):
    words = re.findall(r"[A-Za-z][a-z']+", text)
    return len(words) >= 3 and not re.search(r"\b(SELECT|INSERT|UPDATE|CREATE|PRAGMA|DELETE)\b|[{};]\s*$|^#|</", text) and " " in text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--table", action="store_true", help="print the table only")
    options = parser.parse_args()
    page = subprocess.run([options.cli, "help", "--markdown"], capture_output=True, text=True, check=True).stdout
    known_options = set(re.findall(r"--[a-z][a-z-]+", page)) | {"--help", "--wait"}
    commands = set(re.findall(r"^## prism-cli (.+)$", page, re.M))
    rows, problems = [], []
    for file, line, text in messages():
        if not is_message(text):
            continue
        text = re.sub(r"\s+", " ", text).strip()
        rows.append(f"| {file}:{line} | {text} |")
        place = f"{file}:{line}: {text[:160]}"
        if any(file.startswith(f) for f in FOREIGN):
            continue
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text):
            if option not in known_options and not any(k.startswith(option) for k in known_options):
                problems.append(f"{place}\n    no command has {option}")
        for command in re.findall(r"prism-cli ((?:[a-z-]+ ?){1,2})", text):
            if command.strip() not in commands and command.split()[0] not in commands:
                problems.append(f"{place}\n    there is no command prism-cli {command.strip()}")
        for pattern, term in PRIVATE.items():
            if re.search(pattern, text, re.I):
                problems.append(f"{place}\n    \"{re.search(pattern, text, re.I)[0]}\": {term}")
        for sentence in re.split(r"[.;:!?](?: |$)", text):
            if len(re.findall(r"[\w%.'/-]+", sentence)) > MAX_WORDS and "," not in sentence:
                problems.append(f"{place}\n    more than {MAX_WORDS} words")
    if options.table:
        print("| place | message |\n| --- | --- |\n" + "\n".join(rows))
        return 0
    print(f"{len(rows)} messages, {len(problems)} problems (--table prints all)")
    print("\n".join(problems))
    return 0 if not problems else 1


if __name__ == "__main__":
    sys.exit(main())
