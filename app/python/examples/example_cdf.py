#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the distribution of the step time of a scenario and of a change of it: example_cdf.py [PRESET] [PICTURE].

Needs matplotlib (Debian: python3-matplotlib). Written to be read from top to bottom like a notebook.
"""
import sys

import matplotlib
import numpy as np

import prism

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# %% Two ways to run the job: as it is, and with a spread of 5 % between GPUs.
preset = sys.argv[1] if len(sys.argv) > 1 else "sample-baseline"
picture = sys.argv[2] if len(sys.argv) > 2 else "cdf.png"
base = prism.Scenario.preset(preset)
scenarios = {"as it is": base, "GPUs differ by 5 %": base.set("variability.spatial.cv", "5%")}

# %% One evaluator keeps what the scenarios have in common.
evaluator = prism.Evaluator()
results = {label: evaluator.evaluate(scenario, samples=10_000) for label, scenario in scenarios.items()}

# %% The figures, each with its interval.
for label, result in results.items():
    low, high = result.step_time.interval("p95")
    print(f"{label}: p50 {result.step_time.p50:.4g} s, p95 {result.step_time.p95:.4g} s ({low:.4g} to {high:.4g})")

# %% The curves. sorted_samples is a view of the result's memory.
figure, axes = plt.subplots(figsize=(7, 4))
for label, result in results.items():
    x = result.sorted_samples
    axes.plot(x, np.arange(1, x.size + 1) / x.size, label=label)
axes.set_xlabel("step time, s")
axes.set_ylabel("share of steps")
axes.legend()
figure.savefig(picture, dpi=150, bbox_inches="tight")
print(f"written to {picture}")
