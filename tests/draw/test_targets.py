"""What cannot be drawn is told before anything is searched, solved or played, by every verb that draws."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import gdl
from tests.commands.conftest import Gdl
from tests.commands.conftest import gdl as gdl_command  # noqa: F401 (a fixture)

VERBS = {
    "tree": ("tree", "bins"),
    "policy": ("plot", "policy", "halving"),
    "value": ("plot", "value", "halving"),
    "sweep": ("plot", "sweep", "halving", "start=1..3"),
    "convergence": ("plot", "convergence", "halving"),
    "shape": ("plot", "shape", "halving"),
    "match": ("plot", "match", "halving", "-a", "random", "-a", "random"),
}


@pytest.fixture
def nothing_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("computed before the target was looked at")

    for computed in (
        "gdl.trees.drawing.tree", "gdl.plots.maps.solved_positions", "gdl.sweeps.sweep.sweep",
        "gdl.plots.convergence.convergence", "gdl.plots.shape.shape", "gdl.playing.tournament.match",
    ):  # fmt: skip
        monkeypatch.setattr(computed, refuse)


@pytest.mark.usefixtures("nothing_is_computed")
@pytest.mark.parametrize("verb", VERBS)
def test_no_library(verb: str, gdl_command: Gdl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    real = importlib.util.find_spec
    monkeypatch.setattr(
        "gdl.draw.targets.find_spec", lambda name: None if name == "matplotlib" else real(name)
    )
    ran = gdl_command(*VERBS[verb], "--out", tmp_path / "picture.png")
    assert ran.code == 1 and "D002" in ran.err and "pip install matplotlib" in ran.err


@pytest.mark.usefixtures("nothing_is_computed")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("name", "why"),
    [("x" * 300 + ".svg", "too long"), ("none/x.svg", "no such folder"), ("dir.svg", "a folder")],
)
def test_no_place(verb: str, name: str, why: str, gdl_command: Gdl, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "dir.svg").mkdir()
    ran = gdl_command(*VERBS[verb], "--out", tmp_path / name)
    assert ran.code == 1 and "C008" in ran.err and why in ran.err


def test_looking_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    from gdl.paths import why_unwritable

    kept = tmp_path / "kept.svg"
    kept.write_text("a picture")
    assert why_unwritable(kept) is None and kept.read_text() == "a picture"
    assert why_unwritable(tmp_path / "new.svg") is None and not (tmp_path / "new.svg").exists()
    with pytest.raises(gdl.GameError):
        gdl.tree(gdl.load("bins")).save(tmp_path / ("x" * 300 + ".svg"))


def test_a_notebook_without_the_library_shows_text(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = gdl.plot("policy", gdl.load("halving"))
    assert "<svg" in drawn._repr_svg_()
    monkeypatch.setattr("gdl.draw.plots.plot.find_spec", lambda name: None)
    assert drawn._repr_svg_() is None
