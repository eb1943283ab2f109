"""What solvers by simulated plays share: how plays go on outside the tree, and samples with confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from random import Random
from typing import Any

from gdl.game import Game, Number
from solvers.evaluation import Leaf, own_evaluation
from solvers.refusal import bad_option
from solvers.result import Value
from solvers.rollout import Chooser, greedy, rollout

CONFIDENCE = 1.959963984540054
"""Standard errors on either side of the mean in a 95 % interval (normal approximation)."""


@dataclass(frozen=True, slots=True)
class Playout:
    """How a simulated play goes on: uniformly or greedily, to the end or to a depth where a leaf judges."""

    game: Game[Any, Any]
    choose: Chooser | None
    depth: int | None
    leaf: Leaf

    def play(self, position: Any, rng: Random) -> tuple[float, ...]:
        return rollout(self.game, position, rng, self.choose, self.depth, self.leaf)


def playout(game: Game[Any, Any], kind: str, epsilon: float, depth: int | None, leaf: Leaf | None) -> Playout:
    """The playout that the options describe."""
    judge = own_evaluation(game) if leaf is None else leaf
    if kind not in ("uniform", "greedy"):
        raise bad_option(f"there is no rollout `{kind}`", "Known: uniform, greedy.")
    if not 0 <= epsilon <= 1:
        raise bad_option(f"epsilon is a probability, and {epsilon} is none", "Use a number from 0 to 1.")
    return Playout(game, greedy(game, judge, epsilon) if kind == "greedy" else None, depth, judge)


def limits(simulations: int | None, nodes: int | None, time: float | None, default: int) -> float:
    """How many simulations: the number asked for, no limit under another budget, else the default."""
    if simulations is not None and simulations < 1:
        raise bad_option(f"{simulations} simulations say nothing", "Use 1 or more.")
    return simulations if simulations is not None else default if nodes is None and time is None else inf


class Kept:
    """What a solver by simulated plays keeps for the next move of the same play: the tree, for `reuse`."""

    def __init__(self) -> None:
        self.tree: Any = None


class Sample:
    """A growing sample of what plays paid each player."""

    __slots__ = ("count", "squares", "totals")

    def __init__(self, players: int):
        self.count = 0
        self.totals = [0.0] * players
        self.squares = [0.0] * players

    def add(self, paid: Sequence[Number]) -> None:
        self.count += 1
        for i, amount in enumerate(paid):
            self.totals[i] += float(amount)
            self.squares[i] += float(amount) ** 2

    def mean(self, player: int) -> float:
        return self.totals[player] / self.count

    def value(self, player: int) -> Value:
        """The mean with its 95 % interval (none for a single play)."""
        mean = self.mean(player)
        if self.count < 2:
            return Value.estimate(mean)
        variance = max(0.0, self.squares[player] - self.count * mean * mean) / (self.count - 1)
        return Value.estimate(mean, CONFIDENCE * sqrt(variance / self.count))
