"""What decides the draws of a body: every way in turn, a random generator, or nobody.

A body is run as it is written, again and again. Each run of an `Enumeration` follows a script: which
candidate each draw takes, in the order in which the draws are met. After a run the script is advanced like
an odometer, the last draw fastest, until all ways have been tried. Draws may depend on earlier draws,
because whatever follows a changed draw is met afresh.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from random import Random
from typing import NoReturn

from gdl.diagnostics import Span
from gdl.diagnostics import faults as wording
from gdl.diagnostics.faults import Fault
from gdl.reference.closures import Number, Run

ONE = Fraction(1)

MAX_WAYS = 1_000_000
"""How many ways for chance to go are listed before an engine refuses (F007)."""


class Enumeration:
    """Every way for chance to go, one run after another."""

    __slots__ = ("_met", "_script", "_sizes", "paid", "probability", "trail")

    def __init__(self, players: int, explain: bool = False):
        self._script: list[int] = []
        self._sizes: list[int] = []
        self.trail: list[str] | None = [] if explain else None
        self._begin(players)

    def _begin(self, players: int) -> None:
        self._met = 0
        self.probability = ONE
        self.paid: list[Number] = [0] * players
        if self.trail is not None:
            self.trail = []

    def pick(self, count: int, weights: Sequence[Number] | None) -> int:
        met = self._met
        self._met = met + 1
        if met == len(self._script):
            self._script.append(0)
            self._sizes.append(count)
        choice = self._script[met]
        if weights is None:
            self.probability *= Fraction(1, count)
        else:
            self.probability *= Fraction(weights[choice]) / sum(weights)
        return choice

    def pay(self, player: int, amount: Number) -> None:
        self.paid[player] += amount

    def next_way(self) -> bool:
        """Gets ready for the next run; False when every way has been tried."""
        script, sizes = self._script, self._sizes
        while script and script[-1] + 1 == sizes[-1]:
            script.pop()
            sizes.pop()
        if not script:
            return False
        script[-1] += 1
        self._begin(len(self.paid))
        return True


def every_way(players: int, span: Span, explain: bool = False) -> Iterator[Enumeration]:
    """A run for every way for chance to go, by the first draw, then the second, ..

    The body must be carried out with each run before the next is asked for.
    """
    run = Enumeration(players, explain)
    yield run
    tried = 1
    while run.next_way():
        if tried == MAX_WAYS:
            raise Fault(wording.too_many_outcomes(MAX_WAYS, span))
        yield run
        tried += 1


class Sampling:
    """One way for chance to go, as a random generator decides; exact, since it counts in whole numbers."""

    __slots__ = ("_rng", "paid", "probability", "trail")

    def __init__(self, players: int, rng: Random):
        self._rng = rng
        self.paid: list[Number] = [0] * players
        self.probability = ONE
        self.trail: list[str] | None = []

    def pick(self, count: int, weights: Sequence[Number] | None) -> int:
        if weights is None:
            self.probability *= Fraction(1, count)
            return self._rng.randrange(count)
        scale = lcm(*(Fraction(weight).denominator for weight in weights))
        shares = [int(weight * scale) for weight in weights]
        total = sum(shares)
        point = self._rng.randrange(total)
        choice = 0
        while point >= shares[choice]:
            point -= shares[choice]
            choice += 1
        self.probability *= Fraction(shares[choice], total)
        return choice

    def pay(self, player: int, amount: Number) -> None:
        self.paid[player] += amount


class _Hypothetical:
    """A run that only supposes: it pays nobody and, as the checker has made sure, never draws."""

    trail: list[str] | None = None

    def pick(self, count: int, weights: Sequence[Number] | None) -> NoReturn:
        raise AssertionError("a draw in a hypothetical position")

    def pay(self, player: int, amount: Number) -> None:
        pass


HYPOTHETICAL: Run = _Hypothetical()
