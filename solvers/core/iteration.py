"""How far bounds in floats are driven, by textbook and kernels, and what is said where that is not enough."""

from __future__ import annotations

EFFORT = 2_000_000
"""Entries of equations that a proof in rationals may take while there is another way."""

FEW_POSITIONS = 5_000
"""Games with no more positions are solved in rationals where floats cannot bring bounds as close as asked."""

PATIENCE = 2_000
CLOSER = 0.999
"""Give up if so many rounds did not bring the bounds at least so much closer: floats will take for ever."""


def coarse(widest: float, precision: float, partial: bool) -> str:
    """What to add to an answer whose bounds are further apart than they were meant to be."""
    if partial or widest <= precision:
        return ""
    return f"; bounds within {precision:.2g} were asked for, but floats leave some {widest:.2g} apart"


class Infinite(Exception):
    """Some positions are worth less or more than any number, so that bounds do not serve; strategies do."""
