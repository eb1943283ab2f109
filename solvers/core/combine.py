"""Values from other values: the expectation over what may follow, one player's from the other's."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from gdl.game import Game, Number
from solvers.core.numbers import finite
from solvers.core.result import Value
from solvers.core.rounding import UNIT, is_rational, nearest, outside


def opposed(game: Game[Any, Any], value: Value) -> tuple[Value, ...]:
    """One value per player from the first player's, in a game for one or for two opposed players."""
    return (value, -value)[: game.traits.players]


def expected(parts: Sequence[tuple[Number, Number, Value]], discount: Number) -> Value:
    """The expectation over (probability, reward, value of what follows); as well known as the least known.

    Where probabilities and rewards are rationals, so are the sums: bounds that are floats are numbers like
    any others, and only what comes out is rounded, outwards. Otherwise floats are rounded on the way, and the
    bounds count that; what merely is handed on stays as it is.
    """

    def total(numbers: Sequence[Number | None]) -> Number:
        result: Number = 0
        for (probability, reward, _), number in zip(parts, numbers, strict=True):
            assert number is not None
            result += probability * (reward + discount * number)
        return result

    values = [value for _, _, value in parts]
    infinite = [value for value in values if not finite(value.number)]
    if infinite:
        return infinite[0]
    if any(value.kind == "estimate" for value in values):
        return Value.estimate(total([value.number for value in values]))
    if len(parts) == 1 and parts[0][0] == 1 and parts[0][1] == 0 and discount == 1:
        return values[0]
    lows, highs = [value.low for value in values], [value.high for value in values]
    known = is_rational(discount, *(number for part in parts for number in part[:2]))
    if known and all(number is not None and finite(number) for number in (*lows, *highs)):
        low, high = total(_rationals(lows)), total(_rationals(highs))
        rounded = low != high and not is_rational(*lows, *highs)
        return Value.bounded(*(outside(low, high) if rounded else (low, high)))
    low, high = total(lows), total(highs)
    if not is_rational(low, high):
        size = sum(
            float(probability)
            * (abs(nearest(reward)) + max(abs(nearest(v.low or 0)), abs(nearest(v.high or 0))))
            for probability, reward, v in parts
        )
        error = (len(parts) + 12) * UNIT * size
        low, high = low - error, high + error
    return Value.bounded(low, high)


def _rationals(numbers: Sequence[Number | None]) -> list[Number | None]:
    return [Fraction(number) if isinstance(number, float) else number for number in numbers]
