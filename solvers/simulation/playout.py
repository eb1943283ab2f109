"""How simulated plays go on outside the tree."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from gdl.game import Game
from solvers.core.leaves import Leaf, own_evaluation
from solvers.core.refusal import bad_option
from solvers.core.rollout import Chooser, Patience, Rollout, greedy, rollout


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
