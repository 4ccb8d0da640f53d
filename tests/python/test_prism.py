# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python module against the command line and against what the numbers mean."""
import json
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import prism

CLI = os.environ["PRISM_CLI"]
NAME = "llama3-70b-256-h100"


@pytest.fixture(scope="module")
def result():
    return prism.evaluate(prism.Scenario.preset(NAME), samples=2000)


def test_is_what_the_command_line_says(result):
    said = json.loads(subprocess.run([CLI, "predict", NAME, "--samples", "2000", "--json", "--quiet"], capture_output=True, check=True).stdout)
    for figure in ("mean", "std", "cv", "p5", "p50", "p95", "p99"):
        assert getattr(result.step_time, figure) == said["step_time_s"][figure]
        assert getattr(result.within_job, figure) == said["within_job_s"][figure]
    assert result.noise_free_step_time == said["noise_free_step_time_s"]
    assert result.breakdown == said["breakdown_s"]
    assert result.memory == said["memory_gib"]
    assert result.variance_share == said["variance_share"]
    whole = result.to_dict()
    assert {k: v for k, v in whole.items() if k != "elapsed_s"} == {k: v for k, v in said.items() if k != "elapsed_s"}
    assert result.scenario.hash == said["hash"]
    low, high = result.step_time.interval("p95")
    assert (high - low) / 2 == pytest.approx(said["step_time_s"]["ci95"]["p95"])


def test_a_calibration_that_is_named_is_read(tmp_path):
    (tmp_path / "site.json").write_text(json.dumps({"format": "prism-cluster-1", "values": {"measured.compute_level": 1.1}}))
    by_name = prism.Scenario.preset(NAME).set("measured.calibration", str(tmp_path / "site.json"))
    assert float(by_name.get("measured.compute_level")) == 1.1
    job = prism.Scenario.preset(NAME).to_dict() | {"measured": {"calibration": "site.json"}}
    (tmp_path / "job.json").write_text(json.dumps(job))
    assert float(prism.Scenario.from_file(str(tmp_path / "job.json")).get("measured.compute_level")) == 1.1
    with pytest.raises(prism.Error):
        prism.Scenario.preset(NAME).set("measured.calibration", str(tmp_path / "none.json"))


def test_arrays_are_views_that_outlive_their_result():
    result = prism.evaluate(prism.Scenario.preset(NAME), samples=500)
    first, second = result.samples, result.samples
    assert first.dtype == np.float64 and first.shape == (500,)
    assert np.shares_memory(first, second) and not first.flags.owndata and not first.flags.writeable
    with pytest.raises(ValueError):
        first[0] = 0
    kept = first.copy()
    del result, second
    assert np.array_equal(first, kept)
    assert np.quantile(kept, 0.5) == pytest.approx(np.sort(kept)[249:251].mean())


def test_set_gives_a_new_scenario_and_takes_short_names_and_units():
    base = prism.Scenario.preset("llama3-70b-256-h100")
    changed = base.set("parallelism.tp", 8).set("variability.spatial.cv", "5%")
    assert base.get("tp") == "4" and changed.get("tp") == "8"
    assert changed.get("variability.spatial.cv") == "5%"
    assert base != changed and base == prism.Scenario.preset("llama3-70b-256-h100")
    assert prism.Scenario.from_dict(changed.to_dict()) == changed


def test_errors_hold_every_diagnostic(tmp_path):
    with pytest.raises(prism.Error) as wrong:
        prism.Scenario.preset("llama3-70b-256-h1000")
    assert "llama3-70b-256-h100" in str(wrong.value)
    values = prism.Scenario.preset("llama3-70b-256-h100").to_dict()
    values["parallelism"]["tensor_model_parallel_size"] = -1
    values["training"]["no_such_key"] = 1
    with pytest.raises(ValueError) as wrong:
        prism.Scenario.from_dict(values)
    paths = {d["path"] for d in wrong.value.diagnostics}
    assert {"parallelism.tensor_model_parallel_size", "training.no_such_key"} <= paths
    assert all(d["severity"] == "error" and d["message"] for d in wrong.value.diagnostics)
    with pytest.raises(prism.Error):
        prism.Scenario.from_file(str(tmp_path / "missing.json"))
    with pytest.raises(prism.Error):
        prism.evaluate(prism.Scenario.preset("llama3-70b-256-h100").set("tp", 3))


def test_from_file_reads_what_new_writes(tmp_path):
    file = tmp_path / "mine.json"
    subprocess.run([CLI, "new", NAME, "--output", str(file)], check=True)
    assert prism.Scenario.from_file(str(file)) == prism.Scenario.preset(NAME)


def test_graph_goes_to_a_dict_and_back_and_both_simulators_agree():
    values = {
        "format": "prism-stepgraph", "version": 2, "name": "two gpus", "num_replicas": 2,
        "classes": [{"name": "gemm", "temporal": {"family": "normal", "cv": 0.1}}],
        "programs": [{"name": "F", "blocks": [{"repeat": 4, "ops": [{"class": 0, "mean_s": 0.25}]}]}],
        "program_of": [[[0, 0]]],
        "schedule": {"name": "1f1b", "num_stages": 1, "num_chunks": 1, "num_microbatches": 1},
    }  # fmt: skip
    graph = prism.StepGraph.from_dict(values)
    assert prism.StepGraph.from_dict(graph.to_dict()) == graph
    fast, reference = graph.simulate(samples=4000), graph.simulate(samples=4000, reference=True)
    assert fast.noise_free_step_time == pytest.approx(2.0)  # forward and backward of 4 x 0.25 s
    assert fast.step_time.p50 == pytest.approx(reference.step_time.p50, rel=0.005)
    # The slower of two sums of 8 normals of 0.025 s: mean 2 + sigma / sqrt(pi), sigma = 0.025 sqrt(8).
    assert fast.step_time.mean == pytest.approx(2 + 0.025 * np.sqrt(8 / np.pi), abs=0.004)
    with pytest.raises(prism.Error):
        prism.StepGraph.from_dict({"format": "something else"})


def test_graph_of_a_scenario_is_its_results(result):
    assert prism.StepGraph.from_scenario(prism.Scenario.preset(NAME)) == result.graph


def test_insights_are_those_of_the_command_line():
    scenario = prism.Scenario.preset(NAME)
    evaluator = prism.Evaluator()
    sensitivity = evaluator.sensitivity(scenario, samples=300)
    said = json.loads(subprocess.run([CLI, "sensitivity", NAME, "--samples", "300", "--json", "--quiet"], capture_output=True, check=True).stdout)
    for report in (sensitivity, said):
        report.pop("elapsed_s", None)
    assert sensitivity == said
    sweep = evaluator.sweep(scenario, "training.micro_batch_size", [1, 2], samples=200)
    assert [p["text"] for p in sweep["points"]] == ["1", "2"]
    assert evaluator.placement(scenario, factor=1.5, samples=200)["worst_over_best"] is not None
    found = evaluator.explore(scenario, {"micro_batch_size": [1, 2]}, samples=256)
    assert found["points"] == 2


def test_validate_steps_knows_its_own_steps(result):
    own = result.within_job_samples
    report = prism.validate_steps(result.scenario, own, samples=8000)
    assert abs(report["p50"]["error"]) < 0.02
    assert report["ks"]["value"] < 0.2
    longer = prism.validate_steps(result.scenario, [list(own * 1.5), list(own[:100] * 1.5)], samples=8000)
    assert longer["runs"] == 2
    assert longer["p50"]["error"] == pytest.approx(1 / 1.5 - 1, abs=0.03)
    with pytest.raises(prism.Error):
        prism.validate_steps(result.scenario, [1.0] * 3)


def test_the_gil_is_released_and_threads_do_not_change_numbers():
    scenario = prism.Scenario.preset("llama3-70b-256-h100")
    beats, stop = [], threading.Event()

    def beat():
        while not stop.wait(0.002):
            beats.append(1)

    thread = threading.Thread(target=beat)
    thread.start()
    one = prism.evaluate(scenario, samples=4000, threads=1)
    during = len(beats)
    stop.set()
    thread.join()
    assert during > 0  # the other thread ran while the evaluation did
    assert np.array_equal(one.samples, prism.evaluate(scenario, samples=4000, threads=2).samples)


def test_stubs_name_everything_that_there_is():
    stub = (pathlib.Path(prism.__file__).parent / "__init__.pyi").read_text()
    for name in prism.__all__:
        assert f"def {name}(" in stub or f"class {name}" in stub, name
    for cls in (prism.Scenario, prism.Distribution, prism.Result, prism.Samples, prism.StepGraph, prism.Evaluator):
        text = stub[stub.index(f"class {cls.__name__}"):].split("\nclass ")[0]
        for member in vars(cls):
            assert member.startswith("_") or f"def {member}(" in text, f"{cls.__name__}.{member}"


def test_presets_and_parameters():
    assert NAME in prism.presets() and "h100-sxm-80gb" in prism.presets("gpu")
    ids = {p["id"] for p in prism.parameters()}
    assert "parallelism.tensor_model_parallel_size" in ids


def test_the_example_draws_its_picture(tmp_path):
    pytest.importorskip("matplotlib")
    example = pathlib.Path(__file__).resolve().parents[2] / "app/python/examples/example_cdf.py"
    picture = tmp_path / "cdf.png"
    run = subprocess.run([sys.executable, str(example), "llama2-7b-8-a100", str(picture)], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "p95" in run.stdout and picture.read_bytes().startswith(b"\x89PNG")
