#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the predicted spread with measured series of steps and prints resources/help/spread.md.

    packaging/spread.py PRISM-CLI DATA    DATA: the folder with published2.json, published3.json and steps/
"""
import csv
import gzip
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

CLI, DATA = sys.argv[1:3]
BLIND = 3  # first steps of a run that the logs themselves call warm-up

# Series and the published row that describes their job.
DENSE = {
    "eos-dfw_n64_ngc25.01_nemo": "mlperf5.0-405b-eos-dfw_n64_ngc25.01_nemo",
    "nebius_soperator_8xH200_n64_ngc25.01_nemo": "mlperf5.0-405b-nebius_soperator_8xH200_n64_ngc25.01_nemo",
    "tyche_ngpu512_ngc25.04_nemo": "mlperf5.0-405b-tyche_ngpu512_ngc25.04_nemo",
    "hpg.dgxb200x8.n32": "mlperf5.1-405b-hpg.dgxb200x8.n32",
}
ROUTED = "variability.preset="  # their routing was real: the rows' own entry assumes that it was forced
EXPERTS = {
    "mlperf6.0-dsv3-cw-gb300-2048-r0": ("mlperf6.0-dsv3-CoreWeave_GB300_512x4", [ROUTED + "measured-gb300"]),
    "mlperf6.0-dsv3-nv-gb200-2048-r0": ("mlperf6.0-dsv3-tyche-hsg_ngpu2048", [ROUTED + "measured-gb200"]),
    "mlperf6.0-dsv3-nv-gb300-512-r0": ("mlperf6.0-dsv3-CoreWeave_GB300_512x4",
                                       [ROUTED + "measured-gb300", "cluster.num_gpus=512", "training.global_batch_size=15360"]),
}

PAGE = """# Spread of measured series

`packaging/spread.py PRISM-CLI DATA` prints this page from series in which every step was logged. Each job is predicted from its published
configuration, with nothing measured on its own system, and compared with the series as `prism-cli validate steps mine.json train.log` does. The first three steps, warm-up and steps
after pauses are omitted.

- **Nine of ten systems** is the range that `predict` states for p95 and p99 over p50 of a run. {inside} of {all} series lie inside of that of p95. The
  quantiles behind it ([engine](engine.md)) come from 20 systems of MLPerf Training with these among them: this shows that range and series agree,
  and does not forecast systems that nobody saw.
- **KS** is the Kolmogorov-Smirnov distance of the steps over their median from four distributions: the prediction; a lognormal of 0.5 %, which knows
  nothing; another run on the same system; the prediction after `calibrate fit` on the first fifth, compared with the rest.

| series | steps | p95/p50 | nine of ten systems | inside | p99/p50 | nine of ten systems | KS predicted | lognormal | same system | fit |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}
"""


def prism(*arguments):
    run = subprocess.run([CLI, *arguments], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(arguments)}\n{run.stderr}{run.stdout}")
    return run.stdout


def series():
    """(title, file and id of the row, overrides, seconds) of every run of single steps whose job is known."""
    runs = {}
    with gzip.open(os.path.join(DATA, "steps/llama31_405b_steps.csv.gz"), "rt") as file:
        for row in csv.DictReader(file):
            runs.setdefault((row["system"], row["run"]), []).append(float(row["step_time_s"]))
    for (system, run), seconds in runs.items():
        if system in DENSE:
            yield f"405B, {system.split('_ngc')[0]}, run {run}", "published2.json", DENSE[system], [], seconds
    with open(os.path.join(DATA, "steps/series3.json")) as file:
        for entry in json.load(file)["series"]:
            if entry["id"] in EXPERTS:
                yield f"DeepSeek-V3, {entry['gpus']} {entry['gpu']}", "published3.json", *EXPERTS[entry["id"]], entry["step_time_s"]


def log(folder, seconds):
    path = os.path.join(folder, "steps.csv")
    with open(path, "w") as file:
        file.write("step,step_time_s\n" + "".join(f"{i},{s}\n" for i, s in enumerate(seconds, 1)))
    return path


def distance(steps, share_below):
    """Kolmogorov-Smirnov distance of steps over their median from a distribution function."""
    middle, n = statistics.median(steps), len(steps)
    return max(max(abs(share_below(s / middle) - i / n), abs(share_below(s / middle) - (i + 1) / n)) for i, s in enumerate(sorted(steps)))


def lognormal(x):
    return 0.5 * math.erfc(-math.log(x) / 0.005 / math.sqrt(2))


def like(other):
    middle = statistics.median(other)
    over = sorted(s / middle for s in other)
    return lambda x: sum(o <= x for o in over) / len(over)


def main():
    rows, inside = [], 0
    everything = list(series())
    with tempfile.TemporaryDirectory() as folder:
        scenario = os.path.join(folder, "scenario.json")
        for title, file, row, sets, seconds in everything:
            prism("validate", "published", os.path.join(DATA, file), "--scenario", row, "--output", scenario)
            changed = [word for text in sets for word in ("--set", text)]
            steps = seconds[BLIND:]
            found = json.loads(prism("validate", "steps", scenario, log(folder, steps), "--json", "--allow-long", *changed))
            over, own = found["over_systems"], found["measured_over_median"]
            holds = over["p95_over_p50"]["inside"]
            inside += holds
            sisters = [s[BLIND:] for t, _, r, changes, s in everything if (r, changes) == (row, sets) and t != title]
            first = len(steps) // 5
            rest = "-"
            if first > 40:
                fitted = os.path.join(folder, "fitted.json")
                prism("calibrate", "fit", scenario, log(folder, steps[:first]), "--scenario-out", fitted, "--allow-long", *changed)
                rest = f"{json.loads(prism('validate', 'steps', fitted, log(folder, steps[first:]), '--json', '--allow-long'))['ks']['value']:.3f}"
            rows.append(
                f"| {title} | {len(steps)} | {own['p95']:.4f} | {over['p95_over_p50']['p5']:.4f} to {over['p95_over_p50']['p95']:.4f} | {'yes' if holds else 'no'} "
                f"| {own['p99']:.4f} | {over['p99_over_p50']['p5']:.4f} to {over['p99_over_p50']['p95']:.4f} | {found['ks']['value']:.3f} "
                f"| {distance(steps, lognormal):.3f} | {f'{distance(steps, like(sisters[0])):.3f}' if sisters else '-'} | {rest} |")
    print(PAGE.format(rows="\n".join(rows), inside=inside, all=len(rows)), end="")


main()
