"""The native engine gives the reference engine's answers, on every game file and on generated games."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.loading import load_model, read_source
from tests.generate import FOUND, game_of_seed, hold
from tests.native.agreement import agree, enumerate_agreement, walk_agreement

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = sorted(
    [
        *(ROOT / "games").glob("*.gdl"),
        *(ROOT / "tests" / "language" / "good").glob("*.gdl"),
        *(HERE / "games").glob("*.gdl"),
    ]
)
DECIDED = 2
"""In so many positions of a file policies are asked: some take a second of the reference engine to answer."""
GENERATED = 20  # more of them by `python -m tests.native`
GENERATED_SLOWLY = 2000
TOGETHER = 10  # games in one test


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_file(path: Path) -> None:
    model = load_model(read_source(path))
    assert enumerate_agreement(model, 30, DECIDED)
    walk_agreement(model, seed=1, walks=1, length=25, decided=DECIDED)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_file_deeper(path: Path) -> None:
    model = load_model(read_source(path))
    assert enumerate_agreement(model, 1000)
    walk_agreement(model, seed=2, walks=5, length=200)


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.gdl")), ids=lambda path: path.stem)
def test_found_games(path: Path) -> None:
    agree(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("start", range(0, GENERATED, TOGETHER))
def test_generated_games(start: int) -> None:
    _compare_generated(start)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(GENERATED, GENERATED + GENERATED_SLOWLY, TOGETHER))
def test_more_generated_games(start: int) -> None:
    _compare_generated(start)


def _compare_generated(start: int) -> None:
    for seed in range(start, start + TOGETHER):
        hold(game_of_seed(seed, faults=seed % 4 > 0), agree)
