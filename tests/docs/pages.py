#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every example of a page: fenced blocks and inline `prism-cli ...`, in the order of the page, in a folder made for it.

pages.py --cli PROGRAM --files FOLDER            makes the folder of files that the examples use
pages.py --cli PROGRAM --files FOLDER PAGE...    runs the examples of the pages, each page in its own copy of the folder
  --bounded   few samples and small jobs: syntax and files are checked, the output is not compared
  --renew     writes the output of this build into the pages
  PAGE "man"  runs the examples of the man pages, and requires one for each command

Fences: without a language, `sh`: commands. `console`: lines after "$ " are commands, the others their output; "..." stands for lines
that are not shown. Numbers may differ by 10 %, and those after "±" by any amount. `json`: a scenario, step graph or cluster, which is read.
`python`: run, where the module is built. Other fences are not run.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import files

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?")
# In the bounded form a job of 16 GPUs stands in for the jobs of thousands, and one published source for all.
SMALLER = [(r"\b(llama3-405b-16k-h100|llama3-70b-256-h100|prism-64k|gpt3-175b-1024-a100|sample-baseline|sample-slow-node)\b(?![-/])", "mine.json"), (r"--tier A\b", "--suite llama3_paper"),
           (r"(explore (?:--samples \d+ )?\S+)(?= *(?:#|$))", r"\1 --axis tp=1,2"), (r"--samples-per-job \d+", ""), (r"--gpus [\d,]+[\dk,]*", "--gpus 16,32")]
OUTSIDE = re.compile(r"^(packaging/|cmake |ctest |cd |export |sbatch |git |source |prism-develop )")  # of a checkout: the script or file has to exist


class Example:
    def __init__(self, page, line, kind, text):
        self.page, self.line, self.kind, self.text, self.output = page, line, kind, text, None

    def where(self):
        return f"{self.page}:{self.line}"


def fence_examples(page, language, start, lines):
    if language in ("", "sh", "bash"):
        for i, line in enumerate(lines):
            if line.strip() and not line.strip().startswith("#"):
                yield Example(page, start + i, "shell", line.strip())
    elif language == "console":
        example = None
        for i, line in enumerate(lines):
            if line.startswith("$ "):
                if example:
                    yield example
                example = Example(page, start + i, "shell", line[2:].strip())
                example.output = []
            elif example:
                example.output.append(line)
        if example:
            yield example
    elif language in ("json", "python", "cmake"):
        yield Example(page, start, language, "\n".join(lines))


def examples_of(page, text):
    """All examples of a page in their order."""
    lines, i = text.splitlines(), 0
    prose = []  # (line number, text) outside of fences
    found = []

    def inline():
        joined, places = "", []
        for number, line in prose:
            places.append((len(joined), number))
            joined += line + "\n"
        for match in re.finditer(r"`((?:prism-cli|prism-develop)\s[^`]*)`", joined):
            number = max(n for at, n in places if at <= match.start())
            found.append(Example(page, number, "shell", re.sub(r"\s+", " ", match[1]).strip()))
        prose.clear()
    while i < len(lines):
        fence = re.match(r"^( *)```(\w*)", lines[i])
        if fence:
            inline()
            end = next(j for j in range(i + 1, len(lines)) if lines[j].strip().startswith("```"))
            body = [line[len(fence[1]):] for line in lines[i + 1:end]]
            found += fence_examples(page, fence[2], i + 2, body)
            i = end + 1
            continue
        shown = re.match(r"^    (?:Example: )?((?:prism-cli|source) .*)", lines[i])
        if shown and not shown[1].endswith("[OPTIONS]"):
            inline()
            found.append(Example(page, i + 1, "shell", shown[1]))
        else:
            prose.append((i + 1, lines[i]))
        i += 1
    inline()
    return found


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.count, self.failures = 0, []
        self.environment = dict(os.environ, XDG_STATE_HOME=str(folder / ".state"), QT_QPA_PLATFORM="offscreen", PRISM_PRESETS=str(SOURCE / "presets"))
        binaries = [str(pathlib.Path(p).resolve().parent) for p in (options.cli, options.explorer) if p]
        self.environment["PATH"] = os.pathsep.join(binaries + [self.environment["PATH"]])
        if options.module:
            self.environment["PYTHONPATH"] = options.module
        self.sampling, self.names = commands_with_samples(options.cli)

    def run(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)

    def bounded(self, command):
        for name in self.sampling:
            below = "|".join(n[len(name) + 1:] for n in self.names if n.startswith(name + " ")) or "$^"  # commands below take their own
            command = re.sub(rf"prism-cli {name}(?= )(?! (?:{below})\b)", f"prism-cli {name} --samples 200", command)
        command = re.sub(r"(--samples 200.*?)--samples [\dk,_]+", r"\1", command)
        for pattern, smaller in SMALLER:
            command = re.sub(pattern, smaller, command)
        return command

    def fail(self, example, what):
        self.failures.append(f"{example.where()}: {example.text.splitlines()[0]}\n    {what.strip()}")

    def shell(self, example):
        command = example.text.replace("./prism-cli", "prism-cli")
        if OUTSIDE.match(command) and "prism-cli" not in command:
            place = command.split()[0]
            if place.startswith("packaging/") and not (SOURCE / place).exists():
                self.fail(example, "there is no such script")
            return
        command = command.replace("=...", "=0.01")  # any value
        words = command.split()
        if words[0] == "prism-explorer" and not self.options.explorer:
            return
        if words[0] == "prism-cli" and (len(words) == 2 or " ".join(words[1:]) in self.names):
            command = "prism-cli help " + " ".join(words[1:])  # a command is named, not called
        command = re.sub(r"prism-cli validate follow(?![^|]*--once)", "prism-cli validate follow --once", command)  # else it waits for more of the log
        if self.options.bounded:
            command = self.bounded(command)
        done = self.run(command)
        self.count += 1
        if done.returncode != 0:
            self.fail(example, f"exit code {done.returncode} of: {command}\n    " + "\n    ".join(done.stderr.strip().splitlines()[:6]))
        elif example.output is not None and not self.options.bounded:
            actual = (done.stdout + done.stderr).splitlines()
            if self.options.renew:
                example.output = renewed(example.output, actual)
            elif problem := difference(example.output, actual):
                self.fail(example, problem)

    def json(self, example):
        (self.folder / "shown.json").write_text(example.text)
        reader = ("prism-cli graph --validate shown.json" if "prism-stepgraph" in example.text else
                  "prism-cli job fleet jobs.csv shown.json --runs 2" if '"nodes"' in example.text else
                  "prism-cli check shown.json" if '"version"' in example.text else None)
        if reader is None:  # a piece of a scenario
            reader = "prism-cli predict mine.json --samples 200"
            for key, value in json.loads(example.text).items():
                reader += f" --set variability.gemm.{key}={value}"
        done = self.run(reader)
        self.count += 1
        if done.returncode != 0:
            self.fail(example, f"{reader}: {done.stderr}")

    def cmake(self, example):
        """The lines of the program that the test package_example builds, whose target has a name of its own."""
        built = (SOURCE / "packaging/example/CMakeLists.txt").read_text()
        self.count += 1
        for line in example.text.splitlines():
            if line.replace("(mine ", "(step-time ") not in built:
                self.fail(example, "packaging/example/CMakeLists.txt has no such line: " + line)

    def python(self, example):
        if not self.options.module:
            return
        text = example.text.replace("10_000", "200") if self.options.bounded else example.text
        done = subprocess.run([sys.executable, "-c", text], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.count += 1
        if done.returncode != 0:
            self.fail(example, done.stderr)


def commands_with_samples(cli):
    """Names of the commands that take --samples, and of all commands."""
    page = subprocess.run([cli, "help", "--markdown"], capture_output=True, text=True, check=True).stdout
    sampling, names = [], []
    for section in page.split("\n## prism-cli")[1:]:
        name = section.split("\n", 1)[0].strip()
        names.append(name)
        if "`--samples " in section:
            sampling.append(name)
    return sorted(sampling, key=len, reverse=True), names


def words_of(line):
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def same_line(shown, actual):
    if words_of(shown) != words_of(actual):
        return False
    for a, b in zip(NUMBER.finditer(shown), NUMBER.finditer(actual)):
        x, y = (float(m[0].replace(",", "")) for m in (a, b))
        if not shown[:a.start()].rstrip().endswith("±") and abs(x - y) > 0.1 * max(abs(x), abs(y)):
            return False
    return True


def difference(shown, actual):
    """What of the output that a page shows is not what the program printed; empty = nothing."""
    at, may_skip = 0, False
    for line in shown:
        if line.strip() == "...":
            may_skip = True
            continue
        while may_skip and at < len(actual) and not same_line(line, actual[at]):
            at += 1
        if at >= len(actual) or not same_line(line, actual[at]):
            return f"the page shows: {line}\n    printed was:    {actual[at] if at < len(actual) else '(nothing more)'}"
        at, may_skip = at + 1, False
    return "" if may_skip or at == len(actual) else f"printed was also: {actual[at]}"


def renewed(shown, actual):
    return [next((a for a in actual if words_of(a) == words_of(line)), line) for line in shown]


def man_examples(cli):
    """The example of each command on its man page; a command without one is an error."""
    found, missing = [], []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([cli, "help", "--man", "--output", folder], check=True, capture_output=True)
        for page in sorted(pathlib.Path(folder).iterdir()):
            text = page.read_text().replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
            shown = re.findall(r"^(?:Examples?:)?\s*((?:source <\()?prism-cli .*)$", text.partition(".SH NOTES")[2], re.M)
            if not shown and ".SH COMMANDS" not in text:
                missing.append(page.name)
            found += [Example(page.name, 1, "shell", line) for line in shown]
    return found, missing


def write_back(page, text, examples):
    lines = text.splitlines()
    for example in examples:
        if example.output:
            lines[example.line:example.line + len(example.output)] = example.output
    page.write_text("\n".join(lines) + "\n")


def run_page(options, name):
    page = pathlib.Path(name)
    missing = []
    if name == "man":
        examples, missing = man_examples(options.cli)
        if options.bounded:  # the page of all commands is generated from the same texts, and has its own run
            stated = (SOURCE / "resources/help/command-line.md").read_text()
            examples = [e for e in examples if e.text not in stated]
    else:
        text = page.read_text()
        examples = examples_of(page.name, text)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "files"
        shutil.copytree(options.files, folder, symlinks=True)
        runner = Runner(options, folder)
        for example in examples:
            getattr(runner, example.kind)(example)
    if not examples and name != "man":
        runner.failures.append(f"{page.name}: the page has no example")
    runner.failures += [f"{m}: the command has no example" for m in missing]
    if options.renew and name != "man":
        write_back(page, text, examples)
    print(f"{page.name}: {runner.count} run, {len(runner.failures)} failed")
    for failure in runner.failures:
        print("  " + failure)
    return not runner.failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--explorer", default="")
    parser.add_argument("--module", default="")
    parser.add_argument("--files", required=True)
    parser.add_argument("--bounded", action="store_true")
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    options.cli = str(pathlib.Path(options.cli).resolve())
    if not options.pages:
        shutil.rmtree(options.files, ignore_errors=True)
        files.make(options.files, options.cli, SOURCE)
        return 0
    return 0 if all([run_page(options, page) for page in options.pages]) else 1


if __name__ == "__main__":
    sys.exit(main())
