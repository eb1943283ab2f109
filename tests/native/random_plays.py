"""Random playouts of the native engine against the exact distribution of random plays.

Playouts are compiled by themselves: they pick moves without listing them, and remember what the last move did
not change. So it is not enough that every single step agrees with the reference engine. Here the mean of many
playouts must lie where Bernstein's inequality says, given the exact moments of uniformly random plays.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from typing import Any

from gdl.diagnostics.faults import Fault
from gdl.game import CHANCE, TERMINAL
from gdl.model.nodes import Model
from gdl.native.engine import NativeGame
from gdl.reference.engine import ReferenceGame
from gdl.reference.positions import Position

GAMES = 4000
ALARM = 1e-12
"""The probability that one comparison fails although nothing is wrong."""


class TooLarge(Exception):
    """More positions than wanted, or a play that may come back to one."""


@dataclass(frozen=True, slots=True)
class Moments:
    """A random number: mean, mean square, and between which numbers it lies."""

    mean: Fraction
    square: Fraction
    low: Fraction
    high: Fraction

    @staticmethod
    def constant(value: Any) -> Moments:
        exact = Fraction(value)
        return Moments(exact, exact**2, exact, exact)

    def then(self, paid: Fraction, factor: Fraction) -> Moments:
        """Of `paid` now and this later, which counts for less by a factor."""
        ends = (paid + factor * self.low, paid + factor * self.high)
        return Moments(
            paid + factor * self.mean,
            paid**2 + 2 * paid * factor * self.mean + factor**2 * self.square,
            min(ends),
            max(ends),
        )

    def admits(self, mean: float, count: int) -> bool:
        """Whether so many independent samples may have this mean (Bernstein's inequality, and rounding)."""
        variance = float(self.square - self.mean**2)
        width = log(2 / ALARM) / count
        within = sqrt(2 * variance * width) + float(self.high - self.low) * 2 * width / 3
        rounding = 1e-9 * max(1.0, abs(float(self.low)), abs(float(self.high)))
        return abs(mean - float(self.mean)) <= within + rounding


@dataclass(frozen=True, slots=True)
class Future:
    """What random play from a position comes to: the number of plies, then each player's return."""

    numbers: tuple[Moments, ...] | None  # None where a fault is possible
    fault: Fraction = Fraction(0)  # a lower bound of its probability


def playouts_agree(model: Model, limit: int) -> bool:
    """Compares playouts with the exact distribution; False if the game is too large to know it."""
    try:
        future = _Plays(ReferenceGame(model), limit).whole()
    except TooLarge:
        return False
    native = NativeGame(model)
    try:
        found = native.playouts(GAMES, seed=1)
    except Fault as fault:
        assert future.numbers is None, f"a playout ends in {fault}, which no play does"
        return True
    if future.numbers is None:
        assert (1 - float(future.fault)) ** GAMES > ALARM, f"no fault in {GAMES} playouts"
        return True
    assert found.finished == found.games == GAMES
    for moments, mean in zip(future.numbers, (found.plies / GAMES, *found.means), strict=True):
        assert moments.admits(mean, GAMES), f"mean {mean} instead of {float(moments.mean)}"
    return True


class _Plays:
    """Uniformly random plays on the reference engine, backwards from the ends."""

    def __init__(self, game: ReferenceGame, limit: int):
        self.game = game
        self.limit = limit
        self.known: dict[Position, Future | None] = {}  # None: being computed

    def whole(self) -> Future:
        try:
            start = self.game.initial()
        except Fault:
            return Future(None, Fraction(1))
        return _mixed([(Fraction(o.probability), self.after(o.position)) for o in start])

    def after(self, position: Position) -> Future:
        if position in self.known:
            future = self.known[position]
            if future is None:
                raise TooLarge
            return future
        if len(self.known) >= self.limit:
            raise TooLarge
        self.known[position] = None
        try:
            future = self._of(position)
        except Fault:
            future = Future(None, Fraction(1))
        self.known[position] = future
        return future

    def _of(self, position: Position) -> Future:
        game = self.game
        mover = game.to_move(position)
        if mover == TERMINAL:
            utility = game.utility(position)
            return Future((Moments.constant(0), *map(Moments.constant, utility)))
        moves = game.moves(position)
        uniform = [(move, Fraction(1, len(moves))) for move in moves]
        chances = game.chance(position) if mover == CHANCE else uniform
        return _mixed([(Fraction(p), self._move(position, move)) for move, p in chances])

    def _move(self, position: Position, move: Any) -> Future:
        try:
            outcomes = self.game.outcomes(position, move)
        except Fault:  # perhaps only in one of the ways that chance may go
            return Future(None)
        discount = Fraction(self.game.traits.discount)
        mixed = []
        for outcome in outcomes:
            future = self.after(outcome.position)
            if future.numbers is not None:
                plies, *returns = future.numbers
                paid = [m.then(Fraction(r), discount) for m, r in zip(returns, outcome.rewards, strict=True)]
                future = Future((plies.then(Fraction(1), Fraction(1)), *paid))
            mixed.append((Fraction(outcome.probability), future))
        return _mixed(mixed)


def _mixed(parts: list[tuple[Fraction, Future]]) -> Future:
    fault = sum((p * future.fault for p, future in parts), Fraction(0))
    known = [(p, future.numbers) for p, future in parts if future.numbers is not None]
    if len(known) < len(parts):
        return Future(None, fault)
    return Future(
        tuple(
            Moments(
                sum((p * numbers[k].mean for p, numbers in known), Fraction(0)),
                sum((p * numbers[k].square for p, numbers in known), Fraction(0)),
                min(numbers[k].low for _, numbers in known),
                max(numbers[k].high for _, numbers in known),
            )
            for k in range(len(known[0][1]))
        )
    )
