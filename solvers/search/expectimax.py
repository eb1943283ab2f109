"""Expectimax: one player's best play when everything else is chance or follows a known policy.

    EXPECTIMAX(s) = UTILITY(s)                                       if s is terminal
                    max over a of the expectation over a's outcomes  if it is our move
                    the expectation over the policy's moves          if it is another player's move
                    the expectation over chance's moves              if it is chance's move

Against the policy that it assumes, no play is better. Against another one it may be much worse than
minimax: see `best_response` for the same idea on position graphs with cycles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl.game import CHANCE, Game, Number, Outcome
from solvers.core.budget import Budget
from solvers.core.leaves import Leaf
from solvers.core.policies import Policies, PolicyFunction, policies_of_others
from solvers.core.result import Result
from solvers.core.root_search import Backup, Observer
from solvers.core.starts import player_to_move
from solvers.core.trampoline import Call
from solvers.registry import refuse
from solvers.search.tree_search import TreeSearch, maximum


def expectimax(
    game: Game[Any, Any],
    at: Any = None,
    *,
    against: Policies | None = None,
    player: int | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Leaf | None = None,
    rounds: int | None = None,
    observer: Observer | None = None,
) -> Result:
    """One player's value and best moves against the policies of the others.

    The player is the one to move unless given (the first player where chance begins). Moves of the other
    players count for the depth.
    """
    refuse("expectimax", game)
    player = player_to_move(game, at) if player is None else player
    policies = policies_of_others("expectimax", game, player, against)
    search = Expectimax(game, player, policies, Budget(nodes, time), leaf)
    return search.solve(
        at,
        depth,
        f"best play of {game.players[player]} against chance and given policies",
        observer=observer,
        rounds=rounds,
    )


class Expectimax(TreeSearch):
    """Values are those of `player`."""

    name = "expectimax"

    def __init__(
        self,
        game: Game[Any, Any],
        player: int,
        policies: Mapping[int, PolicyFunction],
        budget: Budget,
        leaf: Leaf | None = None,
    ):
        super().__init__(game, budget, leaf)
        self.player = player
        self.policies = policies
        self.expects = bool(policies)

    def value(self, position: Any, depth: float) -> Call[Backup]:
        if (end := self.end(position, depth)) is not None:
            return end
        mover = self.game.to_move(position)
        children = []
        with self.visiting(position, depth):
            if mover == CHANCE:
                inner: Backup = yield self.expectation(position, dict(self.game.chance(position)), depth)
                return inner
            if mover != self.player:
                inner = yield self.expectation(
                    position, self.policies[mover](position), self.less(depth, position)
                )
                return inner
            for move in self.game.moves(position):
                children.append((yield self.move_value(position, move, self.less(depth, position))))
        return maximum(children)

    def chooses(self, player: int) -> bool:
        return player == self.player

    def of_leaf(self, estimates: tuple[Number, ...]) -> Number:
        return estimates[self.player]

    def per_player(self, value: Number) -> tuple[Number | None, ...]:
        return tuple(value if i == self.player else None for i in range(self.game.traits.players))

    def better(self, player: int, value: Number, than: Number) -> bool:
        return value > than

    def backed_up(self, outcome: Outcome, value: Number) -> Number:
        reward = outcome.rewards[self.player] if outcome.rewards else 0
        return reward + self.discount * value
