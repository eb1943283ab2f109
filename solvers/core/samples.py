"""Means of what simulated plays pay, with 95 % confidence intervals where plays are independent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from gdl.game import Game, Number, Traits
from solvers.core.combine import expected
from solvers.core.intervals import confidence
from solvers.core.result import Value
from solvers.core.rollout import worth_of_rest
from solvers.core.rounding import nearest, to_float


class Mean:
    """The mean of what plays paid each player.

    No confidence interval comes with it: the plays of a growing tree are neither independent nor alike.
    """

    __slots__ = ("count", "totals")

    def __init__(self, players: int):
        self.count = 0
        self.totals = [0.0] * players

    def add(self, paid: Sequence[Number]) -> None:
        self.count += 1
        for i, amount in enumerate(paid):
            self.totals[i] += to_float(amount)

    def plus(self, other: Mean) -> Mean:
        both = Mean(len(self.totals))
        both.count = self.count + other.count
        both.totals = [a + b for a, b in zip(self.totals, other.totals, strict=True)]
        return both

    def of(self, player: int) -> float:
        return self.totals[player] / self.count


class Sample(Mean):
    """A growing sample of independent plays.

    `cut` plays did not come to their end; `rests` is the sum of how much the rest of each would have counted.
    """

    __slots__ = ("cut", "rests", "squares")

    def __init__(self, players: int):
        super().__init__(players)
        self.cut = 0
        self.rests = 0.0
        self.squares = [0.0] * players

    def add_play(self, paid: Sequence[Number], rest: float = 0.0) -> None:
        """Adds what a play paid, and how much its rest would have counted if it was cut."""
        self.add(paid)
        self.cut += rest > 0
        self.rests += rest
        for i, amount in enumerate(paid):
            self.squares[i] += float(amount) ** 2

    def value(self, player: int, traits: Traits) -> Value:
        """What plays of a game pay a player, with a 95 % confidence interval (none for a single play)."""
        low, high = traits.value_bounds[player]
        counted = to_float(worth_of_rest(traits)[player])
        return self.within(player, (nearest(low), nearest(high)), counted)

    def within(self, player: int, bounds: tuple[float, float], counted: float = 0.0) -> Value:
        """The mean with its confidence interval, of plays that pay something between the bounds.

        The rest of plays that were cut was `counted` as such, and may be anything between the bounds: so much
        wider is the interval, and there is none where no bounds are known.
        """
        mean = self.of(player)
        variance = self.squares[player] / self.count - mean * mean
        if variance < 1e-15 * mean * mean:  # rounding of equal payments
            variance = 0.0
        low, high = bounds
        if self.cut and not (isfinite(low) and isfinite(high)):
            return Value.estimate(mean)
        found = confidence(self.count, mean, variance, (low, high))
        if found is None:
            return Value.estimate(mean)
        bottom, top = found
        if self.cut:
            share = self.rests / self.count
            most = confidence(self.count, share, share * (1 - share), (0.0, 1.0))
            assert most is not None
            bottom = max(low, bottom + most[1] * min(0.0, low - counted))
            top = min(high, top + most[1] * max(0.0, high - counted))
        return Value(mean, "estimate", bottom, top)


def judged(game: Game[Any, Any], player: int, samples: Mapping[Any, Sample]) -> tuple[Any, tuple[Value, ...]]:
    """The move with the best mean for the player, and what it is worth to each; no move for chance.

    The largest of several means is too large more often than not: only the means of moves have intervals.
    """
    players = range(game.traits.players)
    if player < 0:
        return None, tuple(samples[None].value(i, game.traits) for i in players)
    tried = [move for move in samples if samples[move].count]
    best = max(tried, key=lambda move: samples[move].of(player))
    if len(tried) > 1:
        return best, tuple(Value.estimate(samples[best].of(i)) for i in players)
    return best, tuple(samples[best].value(i, game.traits) for i in players)


def combined(parts: Sequence[tuple[Number, Number, Value | None]]) -> Value | None:
    """The expectation over the starts of a game, each with its probability and what it pays at once.

    A start from which nothing was played has no value: what was played from others stands for it, but not
    what is proven of some, which was not drawn among them. None where there is nothing but that.
    """
    if len(parts) == 1 and parts[0][1] == 0:
        return parts[0][2]
    known = [(p, reward, value) for p, reward, value in parts if value is not None]
    if len(known) == len(parts) and all(value.kind != "estimate" for _, _, value in known):
        return expected(known, 1)
    played = [(float(p), value.number) for p, _, value in known if value.kind == "estimate"]
    weight = sum(p for p, _ in played)
    if not weight:
        return None
    mean = sum(p * float(number) for p, number in played) / weight
    return Value.estimate(
        sum(
            float(p) * (float(reward) + (mean if value is None else float(value.number)))
            for p, reward, value in parts
        )
    )
