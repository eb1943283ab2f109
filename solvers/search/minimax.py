"""Minimax: both players play perfectly, and the tree says what comes of it.

    MINIMAX(s) = UTILITY(s)                        if s is terminal
                 max over moves a of MINIMAX(s.a)  if the first player is to move
                 min over moves a of MINIMAX(s.a)  if the second player is to move

Russell & Norvig, Artificial Intelligence, 4th ed., section 6.2.
"""

from __future__ import annotations

from typing import Any

from gdl.game import Game
from solvers.core.budget import Budget
from solvers.core.leaves import Leaf
from solvers.core.result import Result
from solvers.core.root_search import Backup, Observer
from solvers.core.trampoline import Call
from solvers.search.tree_search import Duel, maximum, minimum


def minimax(
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
    """The value and best moves of a game without chance, by plain search of its tree."""
    return Minimax(game, Budget(nodes, time), leaf).solve(
        at, depth, "plain minimax over the tree", observer=observer, rounds=rounds
    )


class Minimax(Duel):
    name = "minimax"

    def value(self, position: Any, depth: float) -> Call[Backup]:
        if (end := self.end(position, depth)) is not None:
            return end
        children = []
        with self.visiting(position, depth):
            for move in self.game.moves(position):
                children.append((yield self.move_value(position, move, self.less(depth, position))))
        return maximum(children) if self.game.to_move(position) == 0 else minimum(children)
