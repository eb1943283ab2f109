"""Values given for parameters: those of the declared range, no others."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from gdl.diagnostics import GameError
from gdl.loading import loads

GAME = """
game chances
param w: 0..1 = {default}
players: a
position:
    x: 0..2 = 0
move go:
    chance:
        w: x = 1
        else: x = 2
terminal: x > 0
utility: x
"""


@pytest.mark.parametrize(
    "given", ["7", 7, -1, 1.5, Fraction(3, 2), "-1/3", "nan", float("nan"), float("inf")]
)
def test_a_fraction_outside_its_range_is_refused(given: Any) -> None:
    with pytest.raises(GameError, match="E113"):
        loads(GAME.format(default="1/2"), w=given, engine="reference")


@pytest.mark.parametrize(
    ("given", "value"), [("1", 1), (0, 0), ("0.25", Fraction(1, 4)), (0.5, Fraction(1, 2))]
)
def test_a_fraction_inside_its_range_is_taken(given: Any, value: Fraction) -> None:
    game = loads(GAME.format(default="1/2"), engine="reference", w=given)
    (start,) = game.initial()
    (move,) = game.moves(start.position)
    mean = sum(o.probability * game.utility(o.position)[0] for o in game.outcomes(start.position, move))
    assert mean == value * 1 + (1 - value) * 2


@pytest.mark.parametrize("default", ["3/2", "7.0", "-1/2"])
def test_the_default_lies_in_the_range_too(default: str) -> None:
    with pytest.raises(GameError, match="E301"):
        loads(GAME.format(default=default), engine="reference")
