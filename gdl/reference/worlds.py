"""Worlds: what has become of a position so far, on each way for chance to go.

A body that draws is carried out on a world and makes a list of worlds of it, one for each way, in the order
in which chance is asked: the first draw varies slowest. The same text is sampled by following one way only.
What decides is the world's `Chance`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Protocol

from gdl.diagnostics import Span
from gdl.diagnostics import faults as wording
from gdl.diagnostics.faults import Fault
from gdl.reference.closures import Frame, Number
from gdl.reference.random_bits import RandomBits

MAX_WAYS = 200_000
"""How many ways for chance to go are listed before the engine refuses (F007)."""

ONE = Fraction(1)


class Chance(Protocol):
    """Decides which of the candidates of a draw are followed."""

    def ways(
        self, candidates: Sequence[Any], weights: Sequence[Number] | None, span: Span
    ) -> list[tuple[int, Fraction]]:
        """The numbers of the candidates that happen, with their probabilities.

        The weights are positive; without them all candidates weigh the same.
        """
        ...


class EveryWay:
    """Follows every candidate, as long as the ways can be counted.

    `look`, if given, is told at every draw how many ways there are so far, and may raise to end it.
    """

    __slots__ = ("_left", "_look")

    def __init__(self, look: Callable[[int], None] | None = None) -> None:
        self._left = MAX_WAYS
        self._look = look

    def ways(
        self, candidates: Sequence[Any], weights: Sequence[Number] | None, span: Span
    ) -> list[tuple[int, Fraction]]:
        self._left -= len(candidates) - 1
        if self._left < 0:
            raise Fault(wording.too_many_outcomes(MAX_WAYS, span))
        if self._look is not None:
            self._look(MAX_WAYS - self._left)
        return list(enumerate(_shares(candidates, weights)))


class OneWay:
    """Follows one candidate, drawn by random bits; exact, since it counts in whole numbers."""

    __slots__ = ("_bits",)

    def __init__(self, bits: RandomBits):
        self._bits = bits

    def ways(
        self, candidates: Sequence[Any], weights: Sequence[Number] | None, span: Span
    ) -> list[tuple[int, Fraction]]:
        if weights is None:
            return [(self._bits.below(len(candidates)), Fraction(1, len(candidates)))]
        scale = lcm(*(Fraction(weight).denominator for weight in weights))
        shares = [int(weight * scale) for weight in weights]
        total = sum(shares)
        point = self._bits.below(total)
        number = 0
        while point >= shares[number]:
            point -= shares[number]
            number += 1
        return [(number, Fraction(shares[number], total))]


class Asking:
    """Follows the candidate whose number somebody says: by the candidates and their probabilities."""

    __slots__ = ("_decide",)

    def __init__(self, decide: Callable[[Sequence[Any], Sequence[Fraction]], int]):
        self._decide = decide

    def ways(
        self, candidates: Sequence[Any], weights: Sequence[Number] | None, span: Span
    ) -> list[tuple[int, Fraction]]:
        shares = _shares(candidates, weights)
        number = self._decide(candidates, shares)
        return [(number, shares[number])]


class Counting:
    """Follows the first candidate, up to where the ways are too many if all have as many draws."""

    __slots__ = ("_ways",)

    def __init__(self) -> None:
        self._ways = 1

    def ways(
        self, candidates: Sequence[Any], weights: Sequence[Number] | None, span: Span
    ) -> list[tuple[int, Fraction]]:
        self._ways *= len(candidates)
        if self._ways > MAX_WAYS:
            raise Fault(wording.too_many_outcomes(MAX_WAYS, span))
        return [(0, ONE)]


class Drawn(Exception):
    """Chance is asked for the first time."""


class NoWay:
    """Follows no candidate: the first draw ends the move."""

    __slots__ = ()

    def ways(
        self, candidates: Sequence[Any], weights: Sequence[Number] | None, span: Span
    ) -> list[tuple[int, Fraction]]:
        raise Drawn


def _shares(candidates: Sequence[Any], weights: Sequence[Number] | None) -> list[Fraction]:
    if weights is None:
        return [Fraction(1, len(candidates))] * len(candidates)
    total = Fraction(sum(weights))
    return [weight / total for weight in weights]


class World:
    """One way that things may go: the state and frame so far, its probability, and what was paid."""

    __slots__ = ("chance", "frame", "paid", "probability", "signal", "state", "trail")

    def __init__(self, state: list[Any], frame: Frame, players: int, chance: Chance, explain: bool = False):
        self.state = state
        self.frame = frame
        self.chance = chance
        self.probability = ONE
        self.paid: list[Number] = [0] * players
        self.trail: list[str] | None = [] if explain else None  # what chance did, in words
        self.signal: Any = None  # what the last statement answered

    def pay(self, player: int, amount: Number) -> None:
        self.paid[player] += amount

    def fork(self, probability: Fraction, label: str | None) -> World:
        """The world in which chance did what the label says, with the given probability."""
        other = World.__new__(World)
        other.state = self.state.copy()
        other.frame = self.frame.copy()
        other.chance = self.chance
        other.probability = self.probability * probability
        other.paid = self.paid.copy()
        other.trail = None if self.trail is None or label is None else [*self.trail, label]
        other.signal = None
        return other
