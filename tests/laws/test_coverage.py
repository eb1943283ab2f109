"""The generator leaves nothing out: in a few hundred games every part of language and Model occurs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import pytest

from gdl.check.library import AGGREGATES, FUNCTIONS
from gdl.diagnostics import Source
from gdl.loading import load_model
from gdl.model import nodes, types
from gdl.syntax import parse, tree
from tests.generate import game_of_seed
from tests.laws.laws import OBLIGATION, obeys_the_protocol

SEEDS = range(250)


@cache
def texts() -> tuple[str, ...]:
    return tuple(game_of_seed(seed) for seed in SEEDS)


@cache
def syntax() -> tuple[Any, ...]:
    return tuple(part for text in texts() for part in _parts(parse(Source("", text))[0]))


@cache
def models() -> tuple[nodes.Model, ...]:
    return tuple(load_model(Source("", text)) for text in texts())


@cache
def model() -> tuple[Any, ...]:
    return tuple(part for each in models() for part in _parts(each))


def _parts(root: Any) -> Iterator[Any]:
    """Every dataclass inside of one."""
    stack = [root]
    while stack:
        part = stack.pop()
        if isinstance(part, tuple | list | frozenset):
            stack.extend(part)
        elif isinstance(part, Mapping):
            stack.extend(part.values())
        elif is_dataclass(part) and not isinstance(part, type):
            yield part
            stack.extend(getattr(part, f.name) for f in fields(part) if f.name not in ("span", "source"))


def _classes(module: Any) -> set[type]:
    own = (
        c for c in vars(module).values() if isinstance(c, type) and c.__module__.startswith(module.__name__)
    )
    return {c for c in own if is_dataclass(c)}


def test_every_kind_of_syntax() -> None:
    elsewhere = {
        tree.ExpectAll,  # takes a second file: tests/language/test_borrowing.py
        tree.Mixture,  # of agents, in expect lines: tests/language/good/mixture.gdl
    }
    assert _classes(tree) - {type(part) for part in syntax()} - elsewhere == set()


def test_every_kind_of_node() -> None:
    assert _classes(nodes) - {type(part) for part in model()} == set()


def test_every_kind_of_type() -> None:
    no_values = {types.Text, types.BoundedList}
    assert _classes(types) - {type(part) for part in model()} - no_values == set()
    boards = {part.kind for part in model() if isinstance(part, types.Cells)}
    assert boards == {"grid", "hex", "graph"}
    assert {part.names is None for part in model() if isinstance(part, types.Tuple)} == {True, False}
    assert types.NONE in model() and types.CHANCE in model()


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *AGGREGATES}))
def test_every_function_of_the_library(name: str) -> None:
    assert any(re.search(rf"\b{name}\(", text) for text in texts())


@pytest.mark.parametrize(
    ("node", "field", "wanted"),
    [
        (nodes.Arithmetic, "op", {"+", "-", "*", "/", "div", "mod", "**", "min", "max"}),
        (nodes.Compare, "op", {"==", "!=", "<", "<=", ">", ">="}),
        (nodes.SetOperation, "op", {"|", "&", "-"}),
        (nodes.BagOperation, "op", {"+", "-"}),
        (nodes.Aggregate, "kind", {*AGGREGATES, "set", "bag"}),
        (nodes.Cycle, "by", {1, -1}),
        (nodes.Binder, "unpack", {True, False}),
        (nodes.Move, "secret", {True, False}),
        (nodes.Move, "otherwise", {True, False}),
        (nodes.Effect, "draws", {True, False}),
        (nodes.ShowBoard, "flip", {True, False}),
        (nodes.Parameter, "bounded", {True, False}),
        (tree.MoveParameter, "kind", {"typed", "dependent", "computed"}),
        (tree.Clause, "kind", {"when", "weight", "otherwise"}),
        (tree.Assign, "op", {"=", "+=", "-=", "*="}),
        (
            tree.Section,
            "keyword",
            {"player", "terminal", "utility", "stuck", "evaluate", "discount", "endless"},
        ),
    ],
    ids=lambda value: (
        value.__name__ if isinstance(value, type) else str(value) if isinstance(value, str) else ""
    ),
)
def test_every_variant(node: type, field: str, wanted: set[Any]) -> None:
    found = {getattr(part, field) for part in (*syntax(), *model()) if type(part) is node}
    assert wanted - found == set()


@pytest.mark.parametrize(
    ("node", "field"),
    [
        (nodes.Draw, "condition"), (nodes.Draw, "weight"), (nodes.Branch, "probability"),
        (nodes.For, "condition"), (nodes.Aggregate, "condition"), (nodes.Aggregate, "default"),
        (nodes.Variable, "visible"), (nodes.Move, "notation"), (tree.LetMap, "value"),
        (nodes.Move, "weight"), (nodes.Step, "cell"), (nodes.Model, "show"), (nodes.Model, "evaluate"),
        (nodes.ShowBoard, "below"),
        (tree.Section, "argument"), (tree.Reward, "player"), (tree.Let, "type"), (tree.Const, "type"),
        (tree.Param, "type"), (tree.Variable, "default"), (tree.Index, "name"), (tree.If, "otherwise"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else value,
)  # fmt: skip
def test_with_and_without(node: type, field: str) -> None:
    found = [getattr(part, field) for part in (*syntax(), *model()) if type(part) is node]
    assert any(value is None for value in found) and any(value is not None for value in found)


def test_every_number_of_players() -> None:
    assert {part.players.size for part in model() if isinstance(part, nodes.Model)} == {1, 2, 3, 4}


def test_every_kind_of_fault() -> None:
    found: set[str] = set()
    for each in models():
        found.update(fault.code for fault in obeys_the_protocol(each))
        if found >= OBLIGATION.keys():
            return
    raise AssertionError(f"never {sorted(OBLIGATION.keys() - found)}")
