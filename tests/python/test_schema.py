# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON schema of the step graph against what the program writes, what it reads, and the page that documents it."""
import copy
import json
import pathlib
import re

import jsonschema
import pytest

import prism

ROOT = pathlib.Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "resources/schema/stepgraph-2.schema.json").read_text())
PAGE = (ROOT / "resources/help/stepgraph.md").read_text()
EXAMPLE = json.loads(re.search(r"```json\n(.*?)```", PAGE, re.S).group(1))
validator = jsonschema.Draft202012Validator(SCHEMA)


def test_schema_itself_is_right():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", [n for n in prism.presets() if n.startswith("sample") or n in ("gpt3-175b-1024-a100", "llama3-70b-256-h100")])
def test_graphs_of_presets_are_valid(name):
    validator.validate(prism.StepGraph.from_scenario(prism.Scenario.preset(name)).to_dict())


def test_the_pages_example_is_valid_and_is_read():
    validator.validate(EXAMPLE)
    prism.StepGraph.from_dict(EXAMPLE)


def keys(value):
    """Every key below a value."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield key
            yield from keys(below)
    elif isinstance(value, list):
        for below in value:
            yield from keys(below)


def schema_keys(node):
    if isinstance(node, dict):
        yield from node.get("properties", {})
        for below in node.values():
            yield from schema_keys(below)


def test_every_key_of_the_schema_stands_in_the_example_that_has_every_key():
    assert set(schema_keys(SCHEMA)) == set(keys(EXAMPLE))


def objects(value, path=()):
    if isinstance(value, dict):
        yield path
    for key, below in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(below, (*path, key))


@pytest.mark.parametrize("path", list(objects(EXAMPLE)), ids=str)
def test_an_unknown_key_is_refused_by_the_schema_and_by_the_program(path):
    changed = copy.deepcopy(EXAMPLE)
    place = changed
    for key in path:
        place = place[key]
    place["no_such_key"] = 1
    assert not validator.is_valid(changed)
    with pytest.raises(prism.Error):
        prism.StepGraph.from_dict(changed)
