#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Predicts each measured series of steps from the other systems alone and prints resources/help/spread.md.

    packaging/spread.py PRISM-CLI PRESETS DATA             the page. DATA: the folder with published2.json, published3.json and steps/
    packaging/spread.py PRISM-CLI PRESETS DATA --renew     writes the estimate from all systems into the presets
"""
import csv
import gzip
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import systemsprior as prior
from spreadscores import (QUANTILES, binomialInterval, densityOf, distance, excessError, lognormalDensity, normalScore, overMedian,
                          quantilesOf, rangeScore, steppedShare, stepScore)

CLI, PRESETS, DATA = sys.argv[1:4]
WARM_UP = 3  # first steps of a run that the logs themselves call warm-up
LONG = 300  # steps from which a p99 is compared

DENSE = {  # system of the 405B series: its GPU and the published row that describes the job
    "eos-dfw_n64_ngc25.01_nemo": ("h100", "mlperf5.0-405b-eos-dfw_n64_ngc25.01_nemo"),
    "nebius_soperator_8xH200_n64_ngc25.01_nemo": ("h200", "mlperf5.0-405b-nebius_soperator_8xH200_n64_ngc25.01_nemo"),
    "tyche_ngpu512_ngc25.04_nemo": ("gb200", "mlperf5.0-405b-tyche_ngpu512_ngc25.04_nemo"),
    "hpg.dgxb200x8.n32": ("b200", "mlperf5.1-405b-hpg.dgxb200x8.n32"),
}
ROUTED = "variability.preset="  # their routing was real: the rows' own entry assumes that it was forced
EXPERTS = {
    "mlperf6.0-dsv3-cw-gb300-2048-r0": ("mlperf6.0-dsv3-CoreWeave_GB300_512x4", [ROUTED + "measured-gb300"]),
    "mlperf6.0-dsv3-nv-gb200-2048-r0": ("mlperf6.0-dsv3-tyche-hsg_ngpu2048", [ROUTED + "measured-gb200"]),
    "mlperf6.0-dsv3-nv-gb300-512-r0": ("mlperf6.0-dsv3-CoreWeave_GB300_512x4",
                                       [ROUTED + "measured-gb300", "cluster.num_gpus=512", "training.global_batch_size=15360"]),
}
SMALL = "mlperf5.1-llama31_8b-Cisco-hpf_n8-r0"  # Llama 3.1 8B; its log states the job
SMALL_JOB = {
    "version": 1, "name": "llama3.1-8b-64-h100", "model": {"preset": "llama3-8b"},
    "cluster": {"gpu": "h100-sxm-80gb", "fabric": "dgx-h100-ndr400-rail", "num_gpus": 64},
    "parallelism": {"tensor_model_parallel_size": 1, "pipeline_model_parallel_size": 1, "context_parallel_size": 1,
                    "zero_stage": 1, "sequence_parallel": False},
    "training": {"micro_batch_size": 1, "global_batch_size": 64, "precision": "fp8_tensorwise"}, "variability": {"preset": "measured-h100"},
}


def prism(*arguments, presets=PRESETS):
    run = subprocess.run([CLI, *arguments], capture_output=True, text=True, env={**os.environ, "PRISM_PRESETS": presets})
    if run.returncode:
        sys.exit(f"{' '.join(arguments)}\n{run.stderr}{run.stdout}")
    return run.stdout


class System:
    """One system: its job as a scenario file, and its runs."""

    def __init__(self, folder, name, model, gpus, gpu, runs, changes=()):
        self.folder, self.name, self.model, self.gpus, self.gpu = folder, name, model, gpus, gpu
        self.runs = {run: seconds[WARM_UP:] for run, seconds in runs.items()}
        self.changes = [word for text in changes for word in ("--set", text)]
        self.scenario = os.path.join(folder, f"{name}.json")
        self.stalls, self.hours = 0, 0.0

    def log(self, runs, steps=slice(None)):
        """A file of some of the runs, or of a part of each."""
        path = os.path.join(self.folder, "steps.csv")
        with open(path, "w") as file:
            file.write("run,step,step_time_s\n")
            for run in runs:
                file.writelines(f"{run},{i},{s}\n" for i, s in enumerate(self.runs[run][steps], 1))
        return path

    def causes(self):
        """Fitted causes of the system, and the trend of its runs."""
        log = self.log(self.runs)
        fit = json.loads(prism("calibrate", "fit", self.scenario, log, "--json", "--allow-long", *self.changes))
        shapes = json.loads(prism("validate", "steps", self.scenario, log, "--json", "--allow-long", *self.changes))["series"]
        self.stalls, self.hours = fit["stalls"], fit["gpu_hours"]
        return {"gpu": self.gpu, "isStated": self.model == "405B", prior.JITTER: fit["step_jitter_s"]["value"],
                prior.WANDER: fit["compute_regime_cv"]["value"], prior.TREND: statistics.mean(s["trend"] for s in shapes)}


def systems(folder):
    with gzip.open(os.path.join(DATA, "steps/llama31_405b_steps.csv.gz"), "rt") as file:
        runs = {}
        for row in csv.DictReader(file):
            runs.setdefault(row["system"], {}).setdefault(row["run"], []).append(float(row["step_time_s"]))
    with open(os.path.join(DATA, "steps/series3.json")) as file:
        series = {entry["id"]: entry for entry in json.load(file)["series"]}
    found = []
    for name, (gpu, row) in DENSE.items():
        system = System(folder, name.split("_ngc")[0], "405B", 0, gpu, runs[name])
        prism("validate", "published", os.path.join(DATA, "published2.json"), "--scenario", row, "--output", system.scenario)
        found.append(system)
    for name, (row, changes) in EXPERTS.items():
        entry = series[name]
        system = System(folder, f"{entry['gpu']}, {entry['gpus']:,} GPUs", "DeepSeek-V3", entry["gpus"], None, {"0": entry["step_time_s"]}, changes)
        prism("validate", "published", os.path.join(DATA, "published3.json"), "--scenario", row, "--output", system.scenario)
        found.append(system)
    small = System(folder, "hpf_n8", "8B", 64, "h100", {"0": series[SMALL]["step_time_s"]})
    with open(small.scenario, "w") as file:
        json.dump(SMALL_JOB, file)
    for system in found + [small]:
        with open(system.scenario) as file:
            system.gpus = system.gpus or json.load(file)["cluster"]["num_gpus"]
    return found + [small]


def withPrior(folder, content):
    """A folder of presets with another systems preset."""
    path = os.path.join(folder, "presets")
    shutil.copytree(PRESETS, path, dirs_exist_ok=True)
    with open(os.path.join(path, "systems/mlperf-training.json"), "w") as file:
        json.dump(content, file)
    return path


PAGE = """# Spread of measured series

`packaging/spread.py PRISM-CLI PRESETS DATA` prints this page. Its data are series in which every step was logged (MLPerf Training 5.0 to 6.0
result logs). Each job is predicted from its published configuration and from the *other* systems. The fitted causes of the system itself are
omitted, and so is the stated value nearest to each of them. Then the prior over systems is estimated again (`packaging/systemsprior.py`).
The shipped prior (`prism-cli presets show systems/mlperf-training`) is the same estimate from all systems. Warm-up and steps after pauses are omitted.

## Result

- **p95/p50**: {inside95} of {runs} runs lie inside of the stated range, which is to cover nine of ten systems. The 95 % interval of this coverage is
  {low95:.2f} to {high95:.2f} (Clopper and Pearson). {systems95} of {systems} systems have all of their runs inside, interval {lowS:.2f} to {highS:.2f}.
  Runs outside: {outside}.
- **p99/p50**, runs of {long} steps or more: {inside99} of {runs99} inside, interval {low99:.2f} to {high99:.2f}.
- **Width**: on average the range is {narrower:.0f} % narrower than one range for all systems. Width is the logarithm of the ratio of its ends, each
  taken as p95/p50 - 1. One range for all is Student's t around the logarithms of the other systems.

Runs of one system have much in common: an interval over runs is narrower than it should be.

## Log score against simple predictions

Mean logarithm of the predicted density at the measured value; a higher score is better. It is taken for the logarithm of p95/p50 - 1, and for the steps over
their median. A prediction that needs another run is compared on the runs that have one. The sampling error of a run is in the width of the simple
predictions (blocks of 20 steps drawn again). Densities of steps come from {quantiles} quantiles. They are mixed with 1 % of a logarithmic Cauchy distribution, so
that one stall does not decide a score.

| prediction | needs | runs | score of p95/p50 | range over systems | score of steps | range over systems |
| --- | --- | --- | --- | --- | --- | --- |
{scores}

{verdict}

## Limits

- A sister run is a measurement of the system itself. A prediction without one is worse than it where runs of a system repeat.
- Stated values are the smallest and largest systems of a GPU, some with a middle one. They count as systems.
- The kind of network is not a class: one of the systems has Ethernet. The data show no difference in jitter and lasting variation between GPU generations.
- Models with experts are three systems, all of them DeepSeek-V3. Their variance is that of dense models.
- After `calibrate fit` the trend and the links are drawn, and jitter and compute regime as two runs of one system differ (measured on these series).
- The range does not depend on the number of steps. The p95 of some 45 steps varies more than that of 500.

## Series

KS is the Kolmogorov-Smirnov distance of the steps over their median from the steps of all drawn systems, from a lognormal of 0.5 %, and from another run on
the same system. The last two columns compare the last four fifths of the run with the scenario as it is and after `calibrate fit` on the first fifth:
{closer} of {fitted} runs are closer after the fit. A first fifth has the start-up in it (H200), and misses variation that comes in episodes (B200).

| series | steps | p95/p50 | nine of ten systems | inside | p99/p50 | nine of ten systems | KS over systems | lognormal | same system | not fitted | fitted |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}
"""


PROBABILITIES = ("p5", "p50", "p95")


def afterFit(system, known, steps, run, rest, presets):
    """The comparison of a part of a run, after the scenario was fitted to a part of a known one."""
    fitted = os.path.join(system.folder, "fitted.json")
    prism("calibrate", "fit", system.scenario, system.log([known], steps), "--scenario-out", fitted, "--allow-long", *system.changes, presets=presets)
    return json.loads(prism("validate", "steps", fitted, system.log([run], rest), "--json", "--allow-long", presets=presets))


def rangesOf(found):
    over = found["over_systems"]
    return {"p95": [over["p95_over_p50"][p] for p in PROBABILITIES], "p99": [over["p99_over_p50"][p] for p in PROBABILITIES],
            "steps": over["steps_over_p50"]}


def forecast(system, run, presets):
    """What is predicted and measured of one run."""
    rate = (prior.STALLS - system.stalls) / (prior.STALL_GPU_HOURS - system.hours)
    changes = [*system.changes, "--set", f"variability.stalls_per_gpu_hour={rate}"]
    found = json.loads(prism("validate", "steps", system.scenario, system.log([run]), "--json", "--allow-long", *changes, presets=presets))
    seconds, own = system.runs[run], found["measured_over_median"]
    out = {"system": system, "run": run, "steps": overMedian(seconds), "p95": own["p95"], "p99": own["p99"], "x": math.log(own["p95"] - 1),
           "error": excessError(seconds), "predicted": rangesOf(found), "fit": None, "on sister": None}
    first, everything = len(seconds) // 5, slice(None)
    if first > 40:
        out["fit"] = afterFit(system, run, slice(first), run, slice(first, None), presets)["ks"]["value"]
        rest = prism("validate", "steps", system.scenario, system.log([run], slice(first, None)), "--json", "--allow-long", presets=presets)
        out["no fit"] = json.loads(rest)["ks"]["value"]
    sister = next((other for other in system.runs if other != run), None)
    if sister is not None:
        out["on sister"] = rangesOf(afterFit(system, sister, everything, run, everything, presets))
    return out


def oneRange(runs, system):
    """Normal score 5, 50 and 95 % of one range for all systems, from the systems without this one."""
    others = {r["system"]: [] for r in runs if r["system"] is not system}
    for r in runs:
        if r["system"] in others:
            others[r["system"]].append(r["x"])
    return prior.acrossSystems({"all": [statistics.mean(v) for v in others.values()]})["all"]


def ownScores(r, predicted):
    """Score of p95/p50 and of the steps of a run."""
    quantiles = predicted["steps"]
    return (rangeScore(r["x"], *(math.log(max(q - 1, 1e-6)) for q in predicted["p95"])),
            stepScore(r["steps"], densityOf(quantiles[len(quantiles) // QUANTILES // 2::len(quantiles) // QUANTILES])))


def predictions(runs):
    """(name, what it needs, whether it is a simple one, [(run, score of p95/p50, score of its steps or None)])."""
    constant = lambda r: normalScore(r["x"], math.log(math.expm1(1.645 * 0.005)), 1.28 / math.sqrt(len(r["steps"])))

    def like(r, other):
        deviation = other["error"] * math.sqrt(1 + len(other["steps"]) / len(r["steps"]))
        return r, normalScore(r["x"], other["x"], deviation), stepScore(r["steps"], densityOf(quantilesOf(other["steps"])))

    def smaller(r):
        fewer = [o for o in runs if o["system"].model == r["system"].model and o["system"].gpus < r["system"].gpus]
        return min(fewer, key=lambda o: o["system"].gpus, default=None)

    def sister(r):
        return next((o for o in runs if o["system"] is r["system"] and o is not r), None)

    yield "lognormal, CV 0.5 %", "nothing", True, [(r, constant(r), stepScore(r["steps"], lambda x: lognormalDensity(x, 0.005))) for r in runs]
    yield "one range for all systems", "other systems", True, [(r, rangeScore(r["x"], *oneRange(runs, r["system"])), None) for r in runs]
    yield "distribution of a smaller run", "a run of the model on fewer GPUs", True, [like(r, smaller(r)) for r in runs if smaller(r)]
    yield "distribution of a sister run", "a run on the same system", True, [like(r, sister(r)) for r in runs if sister(r)]


    yield "range over systems, fitted to a sister run", "a run on the same system", False, [(r, *ownScores(r, r["on sister"])) for r in runs if r["on sister"]]


def scoreRows(runs):
    rows, beaten = [], {"p95/p50": [], "steps": []}
    for r in runs:
        r["scores"] = ownScores(r, r["predicted"])
    for name, needs, isSimple, scored in predictions(runs):
        row = f"| {name} | {needs} | {len(scored)} "
        for i, what in enumerate(beaten):
            if scored[0][1 + i] is None:
                row += "| - | - "
                continue
            theirs, own = statistics.mean(entry[1 + i] for entry in scored), statistics.mean(r["scores"][i] for r, *_ in scored)
            beaten[what] += [name] if isSimple and theirs >= own else []
            row += f"| {theirs:.2f} | {own:.2f} "
        rows.append(row + "|")
    verdicts = [f"For {what} the range over systems scores worse than: {', '.join(names)}." if names else
                f"For {what} the range over systems scores better than each simple prediction."
                for what, names in beaten.items()]
    return "\n".join(rows), "\n".join(verdicts)


def row(r, runs):
    sisters = [o for o in runs if o["system"] is r["system"] and o is not r]
    quantiles = r["predicted"]["steps"]
    constant = distance(r["steps"], lambda x: 0.5 * math.erfc(-math.log(x) / 0.005 / math.sqrt(2)))
    sister = f"{distance(r['steps'], steppedShare(sisters[0]['steps'])):.3f}" if sisters else "-"
    fitted = f"{r['no fit']:.3f} | {r['fit']:.3f}" if r["fit"] else "- | -"
    (low95, _, high95), (low99, _, high99) = r["predicted"]["p95"], r["predicted"]["p99"]
    return (f"| {r['system'].model}, {r['system'].name}, run {r['run']} | {len(r['steps'])} | {r['p95']:.4f} | {low95:.4f} to {high95:.4f} "
            f"| {'yes' if inside(r, 'p95') else 'no'} | {r['p99']:.4f} | {low99:.4f} to {high99:.4f} "
            f"| {distance(r['steps'], steppedShare(quantiles)):.3f} | {constant:.3f} | {sister} | {fitted} |")


def inside(r, which):
    low, _, high = r["predicted"][which]
    return low <= r[which] <= high


def page(runs):
    all95 = [inside(r, "p95") for r in runs]
    all99 = [inside(r, "p99") for r in runs if len(r["steps"]) >= LONG]
    names = {r["system"]: True for r in runs}
    for r in runs:
        names[r["system"]] &= inside(r, "p95")
    widths = [math.log((r["predicted"]["p95"][2] - 1) / (r["predicted"]["p95"][0] - 1)) for r in runs]
    whole = [high - low for low, _, high in (oneRange(runs, r["system"]) for r in runs)]
    scores, verdict = scoreRows(runs)
    fits = [r for r in runs if r["fit"]]
    sides = [(r, "above" if r["p95"] > r["predicted"]["p95"][2] else "below") for r in runs if not inside(r, "p95")]
    outside = ", ".join(f"{r['system'].name} run {r['run']} ({side})" for r, side in sides)
    (low95, high95), (low99, high99) = binomialInterval(sum(all95), len(all95)), binomialInterval(sum(all99), len(all99))
    lowS, highS = binomialInterval(sum(names.values()), len(names))
    return PAGE.format(
        inside95=sum(all95), runs=len(all95), low95=low95, high95=high95, systems95=sum(names.values()), systems=len(names), lowS=lowS, highS=highS,
        outside=outside or "none", long=LONG, inside99=sum(all99), runs99=len(all99), low99=low99, high99=high99,
        narrower=100 * (1 - statistics.mean(w / o for w, o in zip(widths, whole))), quantiles=QUANTILES, scores=scores, verdict=verdict,
        closer=sum(r["fit"] < r["no fit"] for r in fits), fitted=len(fits), rows="\n".join(row(r, runs) for r in runs))


def renew(causes):
    """Writes the prior, and its middle into the variability presets of its GPUs."""
    def write(name, content):
        with open(os.path.join(PRESETS, name), "w") as file:
            file.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    made = prior.preset(causes)
    write("systems/mlperf-training.json", made)
    for gpu in prior.STATED[prior.JITTER]:
        name = f"variability/measured-{gpu}.json"
        with open(os.path.join(PRESETS, name)) as file:
            content = json.load(file)
        for path, holder, key in ((prior.JITTER, content, "step_jitter_s"), (prior.WANDER, content["compute_regime"], "cv")):
            fitting = next(e for e in made["causes"] if e["path"] == path and gpu in e.get("gpus", [gpu]))
            holder[key] = fitting["p5_p50_p95"][1]
            content["sources"][path.split(".")[1]] = f"Middle over systems (presets/systems/mlperf-training): {fitting['source']}"
        write(name, content)


def main():
    with tempfile.TemporaryDirectory() as folder:
        everything = systems(folder)
        causes = {s.name: s.causes() for s in everything if s.model != "DeepSeek-V3"}
        if "--renew" in sys.argv:
            renew(causes)
            return
        runs = []
        for system in everything:
            presets = withPrior(folder, {**prior.preset(causes), "causes": prior.priorWithout(causes, system.name)})
            runs += [forecast(system, run, presets) for run in system.runs]
        print(page(runs), end="")


main()
