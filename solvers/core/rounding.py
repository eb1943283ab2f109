"""What floats leave uncertain: every number that was rounded comes with how far from the truth it may be."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from typing import Any, Protocol, runtime_checkable

from gdl.game import Game, Number

UNIT = 2.0**-53
"""Rounding changes a float by no more than this share of it."""


def exact_twin(game: Game[Any, Any]) -> Game[Any, Any]:
    """The same game with the same positions and moves, in exact numbers where its engine has them.

    What shows a game differently (`solvers.views`) says itself what its twin is.
    """
    if isinstance(game, HasTwin):
        return game.exact_twin()
    compiled = getattr(game, "compiled", None)
    return game if compiled is None else compiled.exact


@runtime_checkable
class HasTwin(Protocol):
    """A game with an exact twin of its own."""

    def exact_twin(self) -> Game[Any, Any]: ...


def outside(low: Number, high: Number) -> tuple[float, float]:
    """Floats around two numbers: no more than the first, no less than the second."""
    below, above = float(low), float(high)
    return (
        below if below <= low else nextafter(below, -inf),
        above if above >= high else nextafter(above, inf),
    )


def is_rational(*numbers: Number | None) -> bool:
    """Whether none of the numbers was ever rounded."""
    return all(isinstance(number, int | Fraction) for number in numbers)
