"""Bounds by guessing and checking: optimistic value iteration (Hartmanns & Kaminski 2020).

Let u be numbers for the positions of a component such that one step leads strictly down from everywhere: for
every choice of Max, and for some choice of Min, the expected u after it (plus its reward) is below u. Then u
is an upper bound of the value. For let Min keep to that choice: whatever Max does, u plus the rewards so far
falls on average, and strictly, so that the play leaves the component with certainty. Likewise from below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solvers.core.linear import solve_linear
from solvers.whole.component import MIN, Component, Inside

ROUNDING = 2.0**-53
"""The relative error of one operation on floats."""


class Guess:
    """Bounds of a component from its equations, in floats."""

    def __init__(self, component: Component[float], low: Sequence[float], high: Sequence[float]):
        self.component = component
        self.size = len(component.nodes)
        exits = component.exits
        self.outside = {
            1: {target: high[target] for target in exits},
            -1: {target: low[target] for target in exits},
        }

    def verified(self, start: Sequence[float], side: int, share: float) -> Sequence[float] | None:
        """A proven bound from above (side 1) or below (side -1), or None.

        The equations pay a little extra for every step, so that their solution satisfies the inequalities
        with room to spare; choices are improved until none is better.
        """
        values = start
        for _ in range(20):
            chosen = [self.best_choice(i, values, side) for i in range(self.size)]
            rows: list[dict[int, Any]] = []
            for i, choice in enumerate(chosen):
                row: dict[int, Any] = {i: 1.0}
                for weight, target in choice.targets:
                    row[target] = row.get(target, 0) - weight
                rows.append(row)
            nothing = [0.0] * self.size
            pay = [self.worth(choice, nothing, side) for choice in chosen]
            solved: Any = solve_linear(rows, pay, [1.0] * self.size)
            if solved is None:
                return None
            base, steps = solved
            if not all(0 < step < 1e15 for step in steps):
                return None
            scale = max(1.0, *(abs(x) for x in base))
            finest = 3 * max(roundings(choice) for choice in chosen) * ROUNDING * scale
            extra = max(share / (4 * max(steps)), finest)
            values = [x + side * extra * step for x, step in zip(base, steps, strict=True)]
            if self.passes(values, side):
                return values
        return None

    def passes(self, values: Sequence[float], side: int) -> bool:
        """Whether one step from everywhere leads strictly inwards, rounding included."""
        for i, value in enumerate(values):
            after = self.worth(self.best_choice(i, values, side), values, side)
            if not (after < value if side > 0 else after > value):
                return False
        return True

    def best_choice(self, i: int, values: Sequence[float], side: int) -> Inside[float]:
        best = min if self.component.players[i] == MIN else max
        return best(self.component.choices[i], key=lambda choice: self.worth(choice, values, side))

    def worth(self, choice: Inside[float], values: Sequence[float], side: int) -> float:
        """What a choice is worth, rounded outwards."""
        outside = self.outside[side]
        terms = [weight * outside[target] for weight, target in choice.outside]
        terms += [weight * values[target] for weight, target in choice.targets]
        total = choice.reward + sum(terms)
        size = abs(choice.reward) + sum(abs(term) for term in terms)
        return total + side * roundings(choice) * size * ROUNDING


def roundings(choice: Inside[float]) -> int:
    """How many roundings a choice suffers at most; none where it only passes on one value."""
    ways = (*choice.outside, *choice.targets)
    if len(ways) == 1 and ways[0][0] == 1 and choice.reward == 0:
        return 0
    return 6 + len(ways)
