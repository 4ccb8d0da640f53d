# SPDX-License-Identifier: GPL-3.0-or-later
"""Calculon on rows of its own validation, by its own Python: rows_calculon.py CHECKOUT ROW... with rows such as gpt3-175B_full.

Prints one line of JSON: for each row the step that Calculon predicts and the best time for one answer, with its logger as its program
sets it up (messages of level INFO, written into the void) and with logging turned off. `prism-develop bench --peers` runs it.
"""
import inspect
import json
import logging
import os
import sys
import time

checkout = sys.argv[1]
sys.path.insert(0, checkout)
import calculon  # noqa: E402
from calculon.llm import *  # noqa: E402,F401,F403

logger = logging.getLogger()
logger.addHandler(logging.StreamHandler(stream=open(os.devnull, "w")))
logger.setLevel("INFO")
with_logger = len(inspect.signature(Llm.__init__).parameters) > 2  # noqa: F405


def read(*path):
    with open(os.path.join(checkout, *path)) as file:
        return json.load(file)


system = System(read("systems", "a100_80g.json"))  # noqa: F405


def answer(row):
    """From the three inputs to the step time, reading of files left out."""
    application = Llm.Application(applications[row])  # noqa: F405
    execution = Llm.Execution.from_json(executions[row])  # noqa: F405
    model = Llm(application, logger) if with_logger else Llm(application)  # noqa: F405
    model.compile(system, execution)
    model.run(system)
    return model.get_stats_json(False)["total_time"]


def best(row, runs=20):
    fastest = float("inf")
    for _ in range(runs):
        start = time.process_time()
        answer(row)
        fastest = min(fastest, time.process_time() - start)
    return fastest


rows = sys.argv[2:]
applications = {row: read("models", row.rsplit("_", 1)[0] + ".json") for row in rows}
executions = {row: read("validation", "seqsel", "tab5", row + ".json") for row in rows}
report = {row: {"predicted_s": answer(row), "shipped_s": best(row)} for row in rows}
logging.disable(logging.CRITICAL)
for row in rows:
    report[row]["quiet_s"] = best(row)
print(json.dumps({"version": getattr(calculon, "__version__", ""), "rows": report}))
