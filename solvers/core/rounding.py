"""What floats leave uncertain: every number that was rounded comes with how far from the truth it may be."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isinf, nextafter
from typing import Any, Protocol, runtime_checkable

from gdl.game import Game, Number
from solvers.core.numbers import digits_of
from solvers.core.refusal import TooFine

UNIT = 2.0**-53
"""Rounding changes a float by no more than this share of it."""


LARGEST = 10**150
"""No larger numbers are computed with in floats, whose end their sums and squares must not come near."""


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
    below, above = nearest(low), nearest(high)
    return (
        below if below <= low else nextafter(below, -inf),
        above if above >= high else nextafter(above, inf),
    )


def nearest(number: Number) -> float:
    """The nearest float; an infinite one for a number that is larger than any."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def infinite(number: Number) -> bool:
    """Whether it is more or less than any number; a fraction of any size is not."""
    return isinstance(number, float) and isinf(number)


def too_large(number: Number) -> bool:
    """Whether it is a number that floats would not be safe to compute with."""
    return not infinite(number) and not -LARGEST <= number <= LARGEST


def to_float(number: Number) -> float:
    """The nearest float to a number that is paid, for estimates. Raises TooFine where floats will not do."""
    found = nearest(number)
    if -LARGEST <= found <= LARGEST or infinite(number):
        return found
    digits = digits_of(int(number)) - 1
    raise TooFine(
        f"estimates are computed in floats, and this game pays about 10^{digits}.",
        "Solve the game exactly (`gdl solve --engine reference`), or count in a larger unit.",
        "R002",
    )


def is_rational(*numbers: Number | None) -> bool:
    """Whether none of the numbers was ever rounded."""
    return all(isinstance(number, int | Fraction) for number in numbers)
