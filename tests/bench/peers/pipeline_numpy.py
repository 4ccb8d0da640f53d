# SPDX-License-Identifier: GPL-3.0-or-later
"""The yardstick pipeline by NumPy, as one would write it with care: all samples of a duration at once, in single precision.

pipeline_numpy.py STAGES MICROBATCHES SAMPLES prints one line of JSON. `prism-develop bench --peers` runs it beside its own sweep.
"""
import json
import sys
import time

import numpy as np

FORWARD, BACKWARD, TRANSFER = 1e-3, 2e-3, 1e-4  # seconds, as tests/bench/sweepbenchmark.cpp
COMPUTE_CV, TRANSFER_CV = 0.05, 0.2


def order(stage, stages, batches):
    """1F1B: warm-up forwards, then one forward and one backward in turn."""
    warm = min(stages - 1 - stage, batches)
    items = [("F", m) for m in range(warm)]
    for m in range(batches):
        if warm + m < batches:
            items.append(("F", warm + m))
        items.append(("B", m))
    return items


def draws(rng, mean, cv, samples):
    t = np.log1p(cv * cv)
    return np.float32(mean) * np.exp(rng.standard_normal(samples, dtype=np.float32) * np.float32(np.sqrt(t)) - np.float32(t / 2))


def step(stages, batches, samples, rng):
    orders = [order(s, stages, batches) for s in range(stages)]
    clocks = [np.zeros(samples, dtype=np.float32) for _ in range(stages)]
    arrived, done, at = {}, 0, [0] * stages
    while done < 2 * stages * batches:
        for s in range(stages):
            while at[s] < len(orders[s]):
                kind, m = orders[s][at[s]]
                first = s == 0 if kind == "F" else s == stages - 1
                if not first and (kind, s, m) not in arrived:
                    break
                if not first:
                    np.maximum(clocks[s], arrived.pop((kind, s, m)), out=clocks[s])
                clocks[s] += draws(rng, FORWARD if kind == "F" else BACKWARD, COMPUTE_CV, samples)
                to = s + 1 if kind == "F" else s - 1
                if 0 <= to < stages:
                    arrived[(kind, to, m)] = clocks[s] + draws(rng, TRANSFER, TRANSFER_CV, samples)
                at[s] += 1
                done += 1
    return np.max(clocks, axis=0)


stages, batches, samples = (int(x) for x in sys.argv[1:4])
best, mean = float("inf"), 0.0
for seed in range(3):
    start = time.process_time()
    mean = float(step(stages, batches, samples, np.random.default_rng(seed)).mean(dtype=np.float64))
    best = min(best, time.process_time() - start)
print(json.dumps({"version": np.__version__, "seconds": best, "mean_s": mean}))
