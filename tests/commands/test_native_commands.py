"""`gdl compile`, `gdl bench` and the layout in `gdl info`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("model", ["variable heap", "move take", "when (n#0 <= heap)", "terminal -> bool: (heap == 0)"]),
        ("layout", ["key: 4 bits", "heap: 1 x 0..4"]),
        ("llvm", ["@playouts("]),
        ("asm", ["playouts:"]),
    ],
)
def test_compile_shows_each_form(gdl: Any, nim: Path, form: str, words: list[str]) -> None:
    ran = gdl("compile", nim, "--emit", form)
    assert ran.code == 0
    for word in words:
        assert word in ran.out
    assert form == "layout" or gdl("compile", nim, "--emit", form, "--json").data["text"] == ran.out


@pytest.mark.parametrize("function", ["to_move", "moves", "outcomes", "pack"])
def test_compile_shows_each_function(gdl: Any, coin: Path, function: str) -> None:
    ran = gdl("compile", coin, "--function", function, "--plain")
    assert ran.code == 0
    assert f"@{function}(" in ran.out


def test_compile_names_the_functions(gdl: Any, nim: Path) -> None:
    ran = gdl("compile", nim, "--function", "nothing")
    assert ran.code == 2
    assert "outcomes" in ran.err


def test_bench_measures(gdl: Any, nim: Path) -> None:
    data = gdl("bench", nim, "--seconds", "0.05", "--json").data
    assert data["game"] == "stones"
    assert data["playouts_per_second"] > 0
    assert 2 <= data["moves_per_game"] <= 4
    assert data["moves_listed_per_second"] > 0
    assert data["outcomes_per_second"] > 0
    assert data["unfinished"] == 0
    assert "playouts/s" in gdl("bench", nim, "--seconds", "0.05").out


def test_info_shows_the_layout(gdl: Any, nim: Path) -> None:
    layout = gdl("info", nim, "--json").data["layout"]
    assert layout["key_bits"] == 3 + 1  # a heap of 0..4, and who moves
    assert [part["variable"] for part in layout["variables"]] == ["heap", "turn"]
    assert "working form" in gdl("info", nim).out
