"""What solvers by simulated plays share: how plays go on outside the tree, and samples with confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from random import Random
from typing import Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import Game, Number, Traits
from solvers.core.intervals import OUTSIDE, confidence
from solvers.core.leaves import Leaf, own_evaluation
from solvers.core.refusal import bad_option
from solvers.core.result import Value
from solvers.core.rollout import Chooser, Patience, Rollout, greedy, rollout, worth_of_rest
from solvers.core.rounding import nearest, to_float


@dataclass(frozen=True, slots=True)
class Playout:
    """How a simulated play goes on: uniformly or greedily, to the end or to a depth where a leaf judges."""

    game: Game[Any, Any]
    choose: Chooser | None
    depth: int | None
    leaf: Leaf
    patience: Patience

    def play(self, position: Any, rng: Random) -> Rollout:
        return rollout(self.game, position, rng, self.choose, self.depth, self.leaf, self.patience)


def playout(game: Game[Any, Any], kind: str, epsilon: float, depth: int | None, leaf: Leaf | None) -> Playout:
    """The playout that the options describe."""
    judge = own_evaluation(game) if leaf is None else leaf
    if kind not in ("uniform", "greedy"):
        raise bad_option(f"there is no rollout `{kind}`", "Known: uniform, greedy.")
    if not 0 <= epsilon <= 1:
        raise bad_option(f"epsilon is a probability, and {epsilon} is none", "Use a number from 0 to 1.")
    choose = greedy(game, judge, epsilon) if kind == "greedy" else None
    return Playout(game, choose, depth, judge, Patience(game.traits))


def limits(simulations: int | None, nodes: int | None, time: float | None, default: int) -> float:
    """How many simulations: the number asked for, no limit under another budget, else the default."""
    if simulations is not None and simulations < 1:
        raise bad_option(f"{simulations} simulations say nothing", "Use 1 or more.")
    return simulations if simulations is not None else default if nodes is None and time is None else inf


class Kept:
    """What a solver by simulated plays keeps for the next move of the same play: the tree, for `reuse`."""

    def __init__(self) -> None:
        self.tree: Any = None


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

    def value(self, player: int, traits: Traits, below: float = OUTSIDE, above: float = OUTSIDE) -> Value:
        """What plays of a game pay a player, with a 95 % confidence interval (none for a single play)."""
        low, high = traits.value_bounds[player]
        counted = to_float(worth_of_rest(traits)[player])
        return self.within(player, (nearest(low), nearest(high)), counted, below, above)

    def within(
        self,
        player: int,
        bounds: tuple[float, float],
        counted: float = 0.0,
        below: float = OUTSIDE,
        above: float = OUTSIDE,
    ) -> Value:
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
        found = confidence(self.count, mean, variance, (low, high), below, above)
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


def best_of(samples: Sequence[Sample], player: int, traits: Traits) -> Value:
    """What the best of several moves is worth to a player, from independent plays after each.

    The largest of several means is too large more often than not, so its lower end has to hold for all of
    them at once; the upper end has only to hold for the move that is best.
    """
    best = max(samples, key=lambda plays: plays.of(player))
    found = [plays.value(player, traits, OUTSIDE / len(samples)) for plays in samples]
    lows, highs = [value.low for value in found], [value.high for value in found]
    if None in lows or None in highs:
        return Value.estimate(best.of(player))
    ends = max(low for low in lows if low is not None), max(high for high in highs if high is not None)
    return Value(best.of(player), "estimate", *ends)


def by_simulations(done: int) -> str:
    return f"UCT with {counted(done, 'simulation')}"


def of_cut_plays(cut: int) -> str:
    """What an answer says of plays that did not come to their end."""
    if not cut:
        return ""
    return (
        "; 1 of them was cut before its end" if cut == 1 else f"; {cut:,} of them were cut before their end"
    )
