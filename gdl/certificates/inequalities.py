"""The inequalities of a certificate on arrays: a million positions at a time, and still exact.

What a choice is worth is first computed in floats together with a bound of their error. Where that does not
decide a comparison (numbers that are equal, as a rule) it is made again in rationals, so that every answer is
that of exact arithmetic. `gdl.certificates.verify` states the same inequalities position by position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from gdl.game import TERMINAL

_ROUNDING = 2.0**-53
_TINY = 1e-300
"""More than all that underflow can lose."""
_LARGE = 1e300
"""Floats above it could overflow on the way."""

MOST = (1 << 31) - 2
"""So many positions, or choices, can be numbered: places among them are kept in 32 bits."""

NEVER = 1 << 60
"""The rank that is needed where none would do; a position that claims it is refused like any other."""


class Column:
    """Rationals, one for each position: `near` are the nearest floats, often the numbers themselves."""

    def __init__(self, numbers: Any):
        self._numbers = numbers
        self.floats = isinstance(numbers, np.ndarray)
        try:
            self.near = numbers if self.floats else np.array([float(x) for x in numbers])
            self.known = 1.0
        except OverflowError:
            self.near = np.full(len(numbers), np.inf)
        if not (np.abs(self.near) < _LARGE).all():  # floats, or sums of them, then say nothing
            self.floats = False
            self.near, self.known = np.zeros(len(numbers)), np.inf

    def __len__(self) -> int:
        return len(self.near)

    def __getitem__(self, number: int) -> Fraction:
        x = self._numbers[number]
        return Fraction(float(x)) if isinstance(self._numbers, np.ndarray) else Fraction(x)

    def at_most(self, number: Fraction, sign: int) -> Any:
        """Where the numbers are at most the given one, all times `sign`."""
        near = float(number) if abs(number) < _LARGE else 0.0
        found = sign * self.near <= sign * near
        close = np.abs(self.near - near) <= 4 * _ROUNDING * (np.abs(self.near) + abs(near)) + _TINY
        exact = self.floats and Fraction(near) == number
        unknown = self.known > 1 or abs(number) >= _LARGE
        for v in [] if exact else np.flatnonzero(close | unknown).tolist():
            found[v] = sign * self[v] <= sign * number
        return found


@dataclass(frozen=True)
class Edges:
    """All that can follow each position: choices row[v] .. row[v + 1], their outcomes first[c] .. first[c +
    1].

    `odds` and `rewards` (the first player's) have a numerator and a denominator for each outcome; None where
    every choice has one outcome, and where nothing is paid.
    """

    mover: Any
    row: Any
    first: Any
    target: Any
    odds: Any
    rewards: Any
    discount: Fraction

    @cached_property
    def owner(self) -> Any:
        """The position of each choice."""
        return np.repeat(np.arange(len(self.mover), dtype=np.int32), np.diff(self.row))

    @cached_property
    def source(self) -> Any:
        """The position of each outcome."""
        return np.repeat(self.owner, np.diff(self.first))

    @cached_property
    def open(self) -> Any:
        """The positions that are not over."""
        return np.flatnonzero(self.mover != TERMINAL)

    @cached_property
    def certain(self) -> Any:
        """The choices that only pass on the number of one position: they are computed without rounding."""
        alone = np.diff(self.first) == 1
        if self.discount != 1:
            return np.zeros_like(alone)
        return alone if self.rewards is None else alone & (self.rewards[self.first[:-1], 0] == 0)

    @property
    def simple(self) -> bool:
        """Whether every choice passes on the number of one position."""
        return self.odds is None and self.rewards is None and self.discount == 1

    @cached_property
    def roundings(self) -> int:
        """Roundings of a term beside those of its probability and of one product."""
        large = [part for part in (self.odds, self.rewards) if part is not None and _beyond_floats(part)]
        paid = 0 if self.rewards is None else 2
        return paid + (0 if self.discount == 1 else 2) + 2 * len(large)

    @cached_property
    def probability(self) -> Any:
        return None if self.odds is None else (self.odds[:, 0] / self.odds[:, 1]).astype(float)

    @cached_property
    def paid(self) -> Any:
        return None if self.rewards is None else (self.rewards[:, 0] / self.rewards[:, 1]).astype(float)

    def ways(self, choice: int) -> Iterator[tuple[Fraction, Fraction, int]]:
        """Probability, reward and target of the outcomes of a choice."""
        for e in range(int(self.first[choice]), int(self.first[choice + 1])):
            p = Fraction(1) if self.odds is None else Fraction(int(self.odds[e, 0]), int(self.odds[e, 1]))
            r = Fraction(0) if self.rewards is None else Fraction(*map(int, self.rewards[e]))
            yield p, r, int(self.target[e])

    def per_choice(self, reduction: Any, numbers: Any) -> Any:
        return reduction.reduceat(numbers, self.first[:-1]) if len(numbers) else numbers

    def per_position(self, reduction: Any, numbers: Any) -> Any:
        """For the positions that are not over, over their choices."""
        return reduction.reduceat(numbers, self.row[self.open]) if len(numbers) else numbers


@dataclass(frozen=True)
class Worths:
    """What every choice is worth by a column of numbers: within `error` of `mean`, and exactly."""

    edges: Edges
    column: Column
    mean: Any
    error: Any

    def exact(self, choice: int) -> Fraction:
        d, column = self.edges.discount, self.column
        total = Fraction(0)
        for p, r, target in self.edges.ways(choice):
            total += p * (r + (d * column[target] if d != 1 else column[target]))
        return total


def worths(edges: Edges, column: Column) -> Worths:
    """Computed in floats, with a bound of the error."""
    if edges.simple and column.floats:
        mean = column.near[edges.target]
        return Worths(edges, column, mean, np.broadcast_to(np.zeros(1), mean.shape))
    after = column.near[edges.target] * float(edges.discount)
    size = np.abs(after)
    if edges.paid is not None:
        after, size = after + edges.paid, size + np.abs(edges.paid)
    if edges.probability is not None:
        after, size = after * edges.probability, size * edges.probability
    outcomes = np.diff(edges.first)
    mean, size = edges.per_choice(np.add, after), edges.per_choice(np.add, size)
    # So many roundings of relative size 2^-53 a term suffers at most: of its probability, of their product,
    # of the sum once for each outcome but one; and where there are such, of the reward and of adding it, of
    # the discount, of the number itself. `size` bounds all that is rounded, up to a little.
    roundings = outcomes + 1 + edges.roundings + (0 if column.floats else 1)
    error = (roundings * (_ROUNDING * 1.001) * size + _TINY) * column.known
    if column.floats:
        error[edges.certain] = 0.0
    return Worths(edges, column, mean, error)


def signs(known: Worths) -> Any:
    """How each choice compares with the number of its position: -1, 0 or 1."""
    edges, column = known.edges, known.column
    here = column.near[edges.owner]
    if edges.simple and column.floats:
        return (known.mean > here).astype(np.int8) - (known.mean < here).astype(np.int8)
    difference = known.mean - here
    # The difference is rounded by a share of itself, and the number of the position if it is no float.
    doubt = known.error * (1 + 4 * _ROUNDING) + (0.0 if column.floats else 2 * _ROUNDING * np.abs(here))
    found = np.sign(difference).astype(np.int8)
    for c in np.flatnonzero((np.abs(difference) <= doubt) & (doubt > 0)):
        worth, bound = known.exact(int(c)), column[int(edges.owner[c])]
        found[c] = (worth > bound) - (worth < bound)
    return found


def needs(edges: Edges, compared: Any, ranks: Any, resting: Any, chooser: int) -> Any:
    """The rank that each position must have (`gdl.certificates.verify`), NEVER where none would do.

    `compared` are the signs of the choices, `resting` the positions where endless play is worth the bound.
    Choices of the others that do not keep the bound are not looked at.
    """
    needed = np.zeros(len(edges.mover), np.int64)
    if edges.discount == 1:
        follow = ranks[edges.target]
        itself = edges.target == edges.source
        least = edges.per_choice(np.minimum, np.where(itself, NEVER, follow)) + 1
        most = edges.per_choice(np.maximum, np.where(itself, 0, follow))
        rest = np.where(resting[edges.owner], most, NEVER)
        tight = np.clip(np.minimum(least, rest), 0, NEVER)
        choice = np.where(compared > 0, 0, np.where(compared == 0, tight, NEVER))
        whose = edges.mover[edges.open] == chooser
        needed[edges.open] = np.where(
            whose, edges.per_position(np.minimum, choice), edges.per_position(np.maximum, choice)
        )
    return needed


def best_choices(low: Worths, high: Worths, compared: Any | None = None) -> tuple[Any, Any]:
    """(listed, decided): the choices of players that no other is known to beat, and for each position whether
    all of these are proven best.

    Where values are exact, `compared` holds the signs of the choices, and nothing is left to compute.
    """
    edges = low.edges
    listed, decided = edges.mover[edges.owner] >= 0, edges.mover >= 0
    if compared is not None:
        return listed & (compared == 0), decided
    for player, turn, least, most in ((0, 1, low, high), (1, -1, high, low)):
        mine = edges.mover[edges.owner] == player
        sure = [_most(edges, turn * least.mean + side * least.error) for side in (-1, 1)]
        beaten = mine & (turn * most.mean + most.error < sure[0])
        doubtful = mine & ~beaten & (turn * most.mean - most.error < sure[1])
        listed &= ~beaten
        for v in np.unique(edges.owner[doubtful]).tolist():
            choices = range(int(edges.row[v]), int(edges.row[v + 1]))
            best = max(turn * least.exact(c) for c in choices)
            for c in choices:
                listed[c] = turn * most.exact(c) >= best
        # A listed choice is proven best if it guarantees what any other can hope for.
        short = (
            mine & listed & (turn * least.mean + least.error < _most(edges, turn * most.mean - most.error))
        )
        count = np.zeros(len(edges.mover), np.int64)
        count[edges.open] = edges.per_position(np.add, listed.astype(np.int64))
        several = decided & (count > 1) & (edges.mover == player)
        decided[edges.owner[short & several[edges.owner]]] = False
        for v in np.flatnonzero(several & decided).tolist():
            choices = range(int(edges.row[v]), int(edges.row[v + 1]))
            top = max(turn * most.exact(c) for c in choices)
            decided[v] = all(turn * least.exact(c) >= top for c in choices if listed[c])
    return listed, decided


def _most(edges: Edges, numbers: Any) -> Any:
    """For each choice the largest number among the choices of its position."""
    most = np.zeros(len(edges.mover))
    most[edges.open] = edges.per_position(np.maximum, numbers)
    return most[edges.owner]


def _beyond_floats(numbers: Any) -> bool:
    """Whether some of the whole numbers are so large that they are rounded to floats."""
    return len(numbers) > 0 and max(int(numbers.max()), -int(numbers.min())) >= 1 << 53
