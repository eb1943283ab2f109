"""What machine numbers can hold: the native engine pays in doubles, of which there are none beyond 10^308.

Sums of payments and squares of them are made too, so a game may pay no more than LARGEST at once. Larger
numbers are played by the reference engine, whose fractions have any size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics.faults import Fault, too_large_payment
from gdl.diagnostics.source import Span
from gdl.model.nodes import Model, Reward
from gdl.model.types import Int, Rational
from gdl.model.walk import walk

LARGEST = 10**150


class BeyondDoubles(GameError):
    """F010: a game may pay more than the native engine can count."""


def check_payments(model: Model) -> None:
    """Raises BeyondDoubles where the rules may pay, or `evaluate` estimate, more than LARGEST."""
    for amounts, span in _payments(model):
        most = max(map(abs, amounts))
        if most > LARGEST:
            raise BeyondDoubles((too_large_payment(_digits(most), span),))


def as_doubles(numbers: tuple[Any, ...]) -> tuple[float, ...]:
    """The doubles nearest to exact numbers. Raises Fault where one is too large, which the intervals of the
    checker did not tell."""
    for number in numbers:
        if abs(number) > LARGEST:
            raise Fault(too_large_payment(_digits(number), None))
    return tuple(float(number) for number in numbers)


def _payments(model: Model) -> Iterator[tuple[tuple[Any, ...], Span]]:
    """The least and the most of everything that is paid, and where."""
    for bounds in (*model.utility_bounds, model.endless):
        yield (*bounds, 0), model.utility.span
    if model.evaluate is not None:
        yield _interval(model.evaluate.type), model.evaluate.span
    blocks = [rule.body for rules in (model.moves, model.effects.values()) for rule in rules]
    for part in walk((*blocks, model.initial.body)):
        if isinstance(part, Reward):
            yield _interval(part.amount.type), part.span


def _interval(type_: Any) -> tuple[Any, ...]:
    return (type_.lo, type_.hi) if isinstance(type_, Int | Rational) else (0,)


def _digits(number: Any) -> int:
    """How many powers of ten a number has."""
    return len(str(int(abs(number)))) - 1
