"""Principal lines in the words of the game."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any, Literal

import pytest

import gdl
import solvers
from solvers.core.lines import explained
from tests.solvers.games import IncAndSquare

DICE = """
game dice
players: a
position:
    face: 0..6 = 0
    won: bool
move roll when face == 0:
    face ~ {2: 1/6, 5: 1/2, 6: 1/3}
move bet when face > 0:
    chance:
        1/3: won = true
        else: face = 1
terminal: won or face == 1
utility: 1 if won else 0
"""

DRAWN = """
game drawn
players: a
position:
    x: 0..3 = 0
initial:
    x ~ {1: 1/3, 2: 2/3}
move on: x = 3
terminal: x == 3
utility: 1
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_line_says_what_chance_did_and_how_probable_that_was(
    engine: Literal["reference", "native"],
) -> None:
    game: Any = gdl.loads(DICE, engine=engine)
    line = explained(game, None, solvers.solve(game, "backward_induction").line)
    assert [str(step) for step in line] == ["roll [face = 5] (1/2)", "bet [face = 1] (2/3)"]
    assert [step.as_data()["probability"] for step in line] == ["1/2", "2/3"]


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_line_begins_with_the_start_that_was_drawn(engine: Literal["reference", "native"]) -> None:
    game: Any = gdl.loads(DRAWN, engine=engine)
    line = explained(game, None, solvers.solve(game, "backward_induction").line)
    assert [str(step) for step in line] == ["start [x = 2] (2/3)", "on"]
    at = game.parse_position("x=1")
    assert [
        str(step) for step in explained(game, at, solvers.solve(game, "backward_induction", at).line)
    ] == ["on"]


def test_a_game_without_words_keeps_its_line() -> None:
    game = IncAndSquare(3)
    line = solvers.solve(game, "star2").line
    assert line[-1].probability == F(7, 10)
    assert explained(game, None, line) == line


ALL_THE_SAME = """
game all_the_same
players: a
position:
    n: 0..5 = 0
move go when n < 5:
    d ~ 0..1
    n += 1
move stop: n = 5
terminal: n == 5
utility: n
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_line_goes_on_where_nothing_need_be_searched(engine: Literal["reference", "native"]) -> None:
    """Every play pays 5, which the rules tell: the first move is best, and so is what follows."""
    game: Any = gdl.loads(ALL_THE_SAME, engine=engine)
    assert [str(step) for step in solvers.solve(game, "star2").line] == ["go"] * 5
    assert {str(step) for step in solvers.solve(game, "star2", depth=2).line} == {"go"}


RARE = """
game rare
players: a
position:
    x: 0..3 = 0
move go when x == 0: x ~ {1: 1/10**17, 2: 1 - 1/10**17}
move on when x == 1 or x == 2: x = 3
terminal: x == 3
utility: x
"""


@pytest.mark.parametrize("solver", ["mcts", "star2", "expectiminimax"])
def test_what_chance_did_is_told_though_its_probability_is_a_one_to_floats(solver: str) -> None:
    limits: dict[str, int] = {"simulations": 20} if solver == "mcts" else {}
    step = gdl.search(gdl.loads(RARE), solver, **limits).line[0]
    assert step.chance == "x = 2" and step.probability == 1 - F(1, 10**17)
