# SPDX-License-Identifier: GPL-3.0-or-later
"""The type stubs name what the module has, no more and no less, with the same arguments and defaults."""
import ast
import inspect
import pathlib
import re

import prism

STUB = ast.parse((pathlib.Path(prism.__file__).parent / "__init__.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}


def members(node):
    return {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}


def is_property(function):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)


def arguments(function):
    """Name -> default as text, None where there is none; self left out."""
    a = function.args
    plain = a.posonlyargs + a.args
    defaults = [None] * (len(plain) - len(a.defaults)) + [ast.unparse(d) for d in a.defaults]
    found = dict(zip((x.arg for x in plain), defaults))
    found.update({x.arg: d and ast.unparse(d) for x, d in zip(a.kwonlyargs, a.kw_defaults)})
    found.pop("self", None)
    return found


def split_outside_brackets(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[({") - (c in "])}")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in parts + [text[start:]] if p.strip()]


def bound_arguments(function):
    """The same from the signature that pybind11 writes into the documentation."""
    line = function.__doc__.splitlines()[0]
    inside = re.search(r"\((.*)\) ->", line).group(1)
    found = {}
    for part in split_outside_brackets(inside):
        if part == "*" or part.startswith(("self:", "arg0:")):
            continue
        name, _, rest = part.partition(":")
        default = rest.split(" = ", 1)[1] if " = " in rest else None
        found[name.strip()] = default
    return found


def same_default(a, b):
    if a is None or b is None:
        return a is b
    return ast.literal_eval(a) == ast.literal_eval(b)


def test_every_public_name_is_in_the_stub_and_the_other_way_round():
    assert set(prism.__all__) == set(CLASSES) | set(FUNCTIONS)
    public = {name for name in vars(prism) if not name.startswith("_")}
    assert public == set(prism.__all__)


def test_classes_have_the_same_members():
    for name, node in CLASSES.items():
        real = {m for m in vars(getattr(prism, name)) if not m.startswith("_")}
        if name == "Error":  # its diagnostics belong to each exception
            continue
        stubbed = {m for m in members(node) if not m.startswith("_")}
        assert stubbed == real, name


def test_properties_are_properties_and_methods_take_the_same_arguments():
    compared = 0
    for name, node in CLASSES.items():
        for member, stub in members(node).items():
            real = inspect.getattr_static(getattr(prism, name), member)
            assert is_property(stub) == isinstance(real, property), f"{name}.{member}"
            if is_property(stub):
                continue
            expected, got = arguments(stub), bound_arguments(getattr(getattr(prism, name), member))
            if name != "Evaluator" and any(a.startswith("arg") for a in got):  # bound without names: count them
                assert len(expected) == len(got), f"{name}.{member}"
                continue
            assert list(expected) == list(got), f"{name}.{member}"
            for argument in expected:
                assert same_default(expected[argument], got[argument]), f"{name}.{member}({argument})"
            compared += 1
    assert compared >= 10


def test_functions_take_what_the_evaluator_takes():
    for name, stub in FUNCTIONS.items():
        real = getattr(prism, name)
        if not inspect.isfunction(real):  # bound in C++
            assert list(arguments(stub)) == list(bound_arguments(real)), name
            continue
        parameters = inspect.signature(real).parameters
        positional = [p for p, v in parameters.items() if v.kind is not inspect.Parameter.VAR_KEYWORD]
        assert [a for a in arguments(stub)][: len(positional)] == positional, name
        takes = bound_arguments(getattr(prism.Evaluator, name))
        assert set(arguments(stub)) <= set(takes), name
