"""Games whose numbers the world knows, on the reference engine.

Counts of tic-tac-toe, connect four (OEIS A212693, rows of 7x6) and breakthrough, and the values of
inc-and-square, are those of the project's truth table: published, or computed by programs of others.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from gdl.exploration import distinct_positions, explore, perft
from gdl.game import TERMINAL, Game
from gdl.loading import load

GAMES = Path(__file__).parents[2] / "games"


def expectiminimax(game: Game[Any, Any], position: Any) -> Any:
    """The first player's value, straight from the definition; for short games only."""
    mover = game.to_move(position)
    if mover == TERMINAL:
        return game.utility(position)[0]
    values = [
        sum(
            o.probability * (o.rewards[0] + expectiminimax(game, o.position))
            for o in game.outcomes(position, m)
        )
        for m in game.moves(position)
    ]
    return max(values) if mover == 0 else min(values)


@pytest.mark.parametrize(
    ("n", "value"),
    [
        (1, 2),
        (3, Fraction(69, 10)),
        (4, 5),
        (5, Fraction(15, 4)),
        (6, Fraction(20509, 5000)),
        (8, Fraction(2710141, 500000)),
    ],
)
def test_stochastic_inc_and_square(n: int, value: Fraction) -> None:
    game = load(GAMES / "inc_and_square.gdl", n=n, engine="reference")
    (start,) = game.initial()
    assert expectiminimax(game, start.position) == value


def test_tictactoe() -> None:
    found = explore(load(GAMES / "tictactoe.gdl", engine="reference"))
    assert found.positions == 5478
    assert found.plays == 255168
    assert found.perft == (1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)


CONNECT_FOUR = (1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275)


def test_connect_four() -> None:
    assert (
        explore(load(GAMES / "connect_four.gdl", engine="reference"), max_depth=5).distinct
        == CONNECT_FOUR[:6]
    )


@pytest.mark.slow
def test_connect_four_deeper() -> None:
    assert distinct_positions(load(GAMES / "connect_four.gdl", engine="reference"), 8) == CONNECT_FOUR[8]


def test_breakthrough() -> None:
    game = load(GAMES / "breakthrough.gdl", engine="reference")
    assert [perft(game, depth) for depth in (1, 2)] == [22, 484]
