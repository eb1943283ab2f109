"""The order of moves as a choice, to see what it does to alpha-beta.

    given      as the game lists them
    best       the best for the mover first, by their true values: about b^(d/2) leaves (Knuth & Moore 1975)
    worst      the best last: nothing is cut that the order could save
    random     shuffled
    evaluate   by what the leaf says of the positions they lead to

`best` and `worst` search every move before the search that they are for: they show what an order is worth,
and save no work.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from gdl.game import Game, Number
from solvers.core.budget import Budget
from solvers.core.leaves import Leaf
from solvers.core.refusal import bad_option
from solvers.core.rollout import estimate_of_move
from solvers.core.trampoline import run
from solvers.options import OPTIONS
from solvers.search.expectiminimax import Expectiminimax

IN_WORDS = {
    "given": "moves as the game lists them",
    "best": "the best moves first",
    "worst": "the best moves last",
    "random": "moves in random order",
    "evaluate": "moves by their evaluation",
}


class PlainOrder:
    """Orders the moves of positions; the same for the same seed."""

    def __init__(self, game: Game[Any, Any], order: str, leaf: Leaf, seed: int = 0):
        if order not in OPTIONS["order"].words:
            raise bad_option(f"there is no order `{order}`", f"Known: {', '.join(OPTIONS['order'].words)}.")
        self.game = game
        self.order = order
        self.leaf = leaf
        self.rng = Random(seed)
        self.oracle = Expectiminimax(game, Budget(), leaf)
        self.known: dict[tuple[Any, float], Sequence[Any]] = {}

    def how(self, name: str) -> str:
        """The search in a few words."""
        search = "alpha-beta" if name == "alphabeta" else name
        return f"plain {search}, {IN_WORDS[self.order]}"

    def ordered(self, position: Any, player: int, depth: float) -> Sequence[Any]:
        """The moves of a position after which so much depth is left; equals stay as the game has them."""
        moves = self.game.moves(position)
        if self.order == "given":
            return moves
        if self.order == "random":
            return self.rng.sample(moves, len(moves))
        key = (position, depth)
        if key not in self.known:
            worth = {move: self._worth(position, move, depth) for move in moves}
            likes_much = (player == 0) != (self.order == "worst")
            self.known[key] = sorted(moves, key=lambda move: -worth[move] if likes_much else worth[move])
        return self.known[key]

    def _worth(self, position: Any, move: Any, depth: float) -> Number:
        """What a move is worth to the first player."""
        if self.order == "evaluate":
            return estimate_of_move(self.game, position, move, self.leaf)[0]
        value: Number = run(self.oracle.move_value(position, move, depth)).value
        return value
