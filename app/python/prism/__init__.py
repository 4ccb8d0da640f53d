# SPDX-License-Identifier: GPL-3.0-or-later
"""The distribution of the training-step time of large models.

    import prism
    base = prism.Scenario.preset("llama3-70b-256-h100")
    result = prism.evaluate(base.set("tp", 8))
    print(result.step_time.p95, result.step_time.interval("p95"))

Everything is a value: a Scenario is never changed, set() gives a new one. An input that is wrong raises prism.Error, which holds every
diagnostic. The same scenario, seed and version give the same numbers on any number of threads. Computing releases the GIL.
"""
import os as _os
import pathlib as _pathlib


def _find_presets():
    """Presets stand in share/prism-explorer of the prefix that this module is installed in, unless PRISM_PRESETS says otherwise."""
    if _os.environ.get("PRISM_PRESETS"):
        return
    for above in _pathlib.Path(__file__).absolute().parents:
        folder = above / "share" / "prism-explorer" / "presets"
        if folder.is_dir():
            _os.environ["PRISM_PRESETS"] = str(folder)
            return


_find_presets()

from ._prism import (  # noqa: E402
    Distribution,
    Error,
    Evaluator,
    Result,
    Samples,
    Scenario,
    StepGraph,
    __version__,
    parameters,
    presets,
)


def evaluate(scenario, **options):
    """The distribution of the step time of a scenario. Options as Evaluator.evaluate."""
    return Evaluator().evaluate(scenario, **options)


def sweep(scenario, parameter, values, **options):
    """One parameter over a list of values, or a text such as "1:64:7:log". The dict of prism-cli sensitivity --parameter --json."""
    return Evaluator().sweep(scenario, parameter, values, **options)


def sensitivity(scenario, **options):
    """How every input moves the distribution. The dict of prism-cli sensitivity --json."""
    return Evaluator().sensitivity(scenario, **options)


def explore(scenario, axes=None, **options):
    """Search configurations: axes such as {"tp": [2, 4, 8]}. The dict of prism-cli explore --json."""
    return Evaluator().explore(scenario, axes, **options)


def placement(scenario, **options):
    """Where one slow node hurts. The dict of prism-cli placement --json."""
    return Evaluator().placement(scenario, **options)


def validate_steps(scenario, seconds, **options):
    """A measured series of step times (seconds, in order; a list of arrays for several runs) beside the predicted steps of one job."""
    return Evaluator().validate_steps(scenario, seconds, **options)


__all__ = [
    "Distribution",
    "Error",
    "Evaluator",
    "Result",
    "Samples",
    "Scenario",
    "StepGraph",
    "evaluate",
    "explore",
    "parameters",
    "placement",
    "presets",
    "sensitivity",
    "sweep",
    "validate_steps",
]
