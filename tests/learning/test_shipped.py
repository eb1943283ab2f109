"""Evaluations that come with the program fit their games, and are used where nothing else is asked for.

Where the rules of such a game change: `python benchmarks/learning.py ship NAME`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gdl
from solvers.files.evaluation_file import read
from solvers.learning.shipped import shipped
from solvers.plan import plan_play, plan_search

GAMES = Path(__file__).parents[2] / "games"
ROWS: list[dict[str, Any]] = json.loads((GAMES / "learned.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=[row["game"] for row in ROWS])
def test_shipped_evaluations_fit_their_games_and_play(row: dict[str, Any]) -> None:
    game = gdl.load(row["game"])
    assert row["digest"] == game.digest
    file = read(GAMES / row["file"], game)
    assert file.facts["made"]["seed"] is not None and file.curve
    known = shipped(game)
    assert known is not None
    assert plan_play(game).steps[0].agent == known.plays
    steps = plan_search(game, None, {"nodes": 100}).steps
    if row["search"]:
        assert [(step.solver, step.leaf) for step in steps] == [(row["search"], known.leaf)]
    else:  # simulation says more
        assert not any(step.leaf for step in steps)
    play = gdl.Play(game, seed=1)
    agent = gdl.agent("best", game, seed=1)
    for _ in range(3):
        play.make(agent.choose(play))


def test_every_file_of_weights_has_its_row() -> None:
    assert sorted(path.name for path in GAMES.glob("*.weights")) == sorted(row["file"] for row in ROWS)


def test_other_parameters_have_none() -> None:
    assert shipped(gdl.load("2048", rows=3, cols=3)) is None
    assert shipped(gdl.load("2048", engine="reference")) is None


def test_the_opening_three_and_one_makes_the_five_point() -> None:
    """8/5 6/5 is what every book plays; seen from white, men from 8 and 6 meet on 5."""
    game = gdl.load("backgammon")
    result = gdl.search(game, nodes=300, at="left=[1 0 1 0 0 0] turn=white")
    assert result.solver == "star2"
    assert {str(move) for move in result.best} <= {"play(8, 3)", "play(6, 1)"}
