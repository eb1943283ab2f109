"""Windows of searches that prune: the contract of alpha-beta, for textbook and kernels.

The contract of every search with a window (alpha, beta), fail-soft:

    result <= alpha          the value is at most the result
    alpha < result < beta    the value is the result
    result >= beta           the value is at least the result
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from gdl.game import Number, Outcome

TIES = 2.0**-30
"""By how much of its size floats must be worse than the best to be pruned: far more than is ever rounded."""


class Window(NamedTuple):
    """What the searching side still cares about: values strictly between alpha and beta."""

    alpha: Number
    beta: Number


def seen_from(outcome: Outcome, window: Window, discount: Number) -> Window:
    """The window for the position that an outcome leads to: less its reward, undiscounted."""
    if discount == 0:
        return Window(-inf, inf)
    reward = outcome.rewards[0] if outcome.rewards else 0
    return Window(part(window.alpha - reward, discount), part(window.beta - reward, discount))


def part(number: Number, weight: Number) -> Number:
    """The number that times the weight gives `number`; whole ones stay what they are, not floats."""
    return number if weight == 1 else number / weight
