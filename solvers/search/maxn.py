"""Max^n: every player maximises their own utility and expects the others to do the same.

    MAXN(s) = UTILITY(s), one number per player                   if s is terminal
              the MAXN(s.a) that is best for the player to move   otherwise
              the expectation, player by player                   at chance

Luckhardt & Irani, 'An algorithmic solution of n-person games', AAAI 1986.

**Ties.** Where several moves are equally good for the player to move, the first in the game's order is
expected. Another rule may give the other players other values: with three players or interests that are
not opposed, a game has no single value.
"""

from __future__ import annotations

from typing import Any

from gdl.game import CHANCE, Game, Number, Outcome
from solvers.core.budget import Budget
from solvers.core.leaves import Leaf
from solvers.core.result import Result
from solvers.core.root_search import Backup, Observer
from solvers.core.trampoline import Call
from solvers.search.tree_search import TreeSearch, maximum


def maxn(
    game: Game[Any, Any],
    at: Any = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Leaf | None = None,
    rounds: int | None = None,
    observer: Observer | None = None,
) -> Result:
    """Each player's value when all maximise their own utility; ties go to the first move."""
    search = MaxN(game, Budget(nodes, time), leaf)
    return search.solve(
        at,
        depth,
        "every player maximises their own utility, ties go to the first move",
        observer=observer,
        rounds=rounds,
    )


class Vector(tuple[Number, ...]):
    """One number per player, added and scaled player by player."""

    def __add__(self, other: Vector) -> Vector:  # type: ignore[override]
        return Vector(a + b for a, b in zip(self, other, strict=True))

    def __rmul__(self, factor: Number) -> Vector:  # type: ignore[override]
        return Vector(factor * a for a in self)


class MaxN(TreeSearch):
    name = "maxn"
    vectors = True

    def __init__(self, game: Game[Any, Any], budget: Budget, leaf: Leaf | None = None):
        super().__init__(game, budget, leaf)
        self.nothing = Vector((0,) * game.traits.players)

    def value(self, position: Any, depth: float) -> Call[Backup]:
        if (end := self.end(position, depth)) is not None:
            return end
        player = self.game.to_move(position)
        children = []
        with self.visiting(position, depth):
            if player == CHANCE:
                inner: Backup = yield self.expectation(position, dict(self.game.chance(position)), depth)
                return inner
            for move in self.game.moves(position):
                children.append((yield self.move_value(position, move, self.less(depth, position))))
        return maximum(children, by=lambda utilities: utilities[player])

    def backed_up(self, outcome: Outcome, value: Vector) -> Vector:
        rewards = Vector(outcome.rewards) if outcome.rewards else self.nothing
        return rewards + self.discount * value

    def of_leaf(self, estimates: tuple[Number, ...]) -> Vector:
        return Vector(estimates)

    def per_player(self, value: Vector) -> tuple[Number | None, ...]:
        return value

    def better(self, player: int, value: Vector, than: Vector) -> bool:
        return value[player] > than[player]
