"""Expectiminimax: minimax with chance, which takes the expectation over its outcomes.

    EXPECTIMINIMAX(s) = UTILITY(s)                                  if s is terminal
                        max over a of the expectation over a's outcomes,  first player to move
                        min over a of the expectation over a's outcomes,  second player to move
                        the expectation over all moves and outcomes,      chance to move

Russell & Norvig, Artificial Intelligence, 4th ed., section 6.5; Michie 1966.
"""

from __future__ import annotations

from typing import Any

from gdl.game import CHANCE, Game
from solvers.core.budget import Budget
from solvers.core.leaves import Leaf
from solvers.core.result import Result
from solvers.core.root_search import Backup, Observer
from solvers.core.trampoline import Call
from solvers.search.tree_search import Duel, maximum, minimum


def expectiminimax(
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
    """The value and best moves of a game for one or two opposed players and chance."""
    search = Expectiminimax(game, Budget(nodes, time), leaf)
    return search.solve(at, depth, "max, min and expectation over the tree", observer=observer, rounds=rounds)


class Expectiminimax(Duel):
    name = "expectiminimax"

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
        return maximum(children) if player == 0 else minimum(children)
