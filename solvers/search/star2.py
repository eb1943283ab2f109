"""Star2: Star1 preceded by a probing phase.

Before any outcome of chance is searched fully, one move is probed in each position it leads to. A move of
the maximising player is worth at most what the position is worth, so it gives a lower bound; a move of the
minimising player gives an upper bound. When the sharpened bounds already put the expectation outside the
window, nothing needs to be searched; otherwise Star1 goes on with narrower windows.

Ballard 1983; Hauk, Buro & Schaeffer 2004. Good first moves make good probes: the table, killers and history
choose them. The value is expectiminimax's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl.game import TERMINAL, Game, Number, Outcome
from solvers.core.budget import Budget
from solvers.core.leaves import Leaf
from solvers.core.result import Result
from solvers.core.root_search import Backup, Observer
from solvers.core.trampoline import Call
from solvers.core.windows import Window, part
from solvers.search.alphabeta import TABLE_SIZE
from solvers.search.star1 import Possible, Star1


def star2(
    game: Game[Any, Any],
    at: Any = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Leaf | None = None,
    table: int = TABLE_SIZE,
    every: bool = False,
    order: str | None = None,
    seed: int = 0,
    rounds: int | None = None,
    observer: Observer | None = None,
) -> Result:
    """Expectiminimax's value and best moves, pruning at chance nodes by bounds and probes."""
    search = Star2(game, Budget(nodes, time), leaf, table, order, seed)
    search.every = every
    return search.answer(at, depth, "expectiminimax, pruned at chance by probing (Star2)", observer, rounds)


FEWEST_MOVES = 4
"""A probe costs the search of one move; where there are few, searching them all costs little more."""


class Star2(Star1):
    name = "star2"

    def outcomes_value(
        self, outcomes: Sequence[Outcome], depth: float, window: Window, ply: int
    ) -> Call[Backup]:
        possible = [self.known_before(p, depth) for p in self.possible(outcomes)]
        low: Number = sum(p.weight * p.low for p in possible)
        high: Number = sum(p.weight * p.high for p in possible)
        rise, fall = self.reach_of_probes(possible, depth)
        for i, before in enumerate(possible):
            if low >= window.beta or high <= window.alpha:
                break
            if low + sum(rise[i:]) < window.beta and high - sum(fall[i:]) > window.alpha:
                break  # no probe can bring the expectation out of the window
            if rise[i] or fall[i]:
                after: Possible = yield self.probed(before, low, high, depth, window, ply)
                low += after.weight * (after.low - before.low)
                high += after.weight * (after.high - before.high)
                possible[i] = after
        complete = all(p.complete for p in possible)
        if low >= window.beta:
            return Backup(low, None, complete)
        if high <= window.alpha:
            return Backup(high, None, complete)
        found: Backup = yield self.expectation_within(possible, depth, window, ply)
        return found

    def known_before(self, possible: Possible, depth: float) -> Possible:
        """The bounds that cost nothing: a finished game has its utility, the table may know the position."""
        position = possible.outcome.position
        if self.game.to_move(position) == TERMINAL:
            self.budget.spend()
            utility = self.of_leaf(self.game.utility(position))
            return possible._replace(low=utility, high=utility)
        entry = self.table.get(position)
        if entry is None or not entry.answers(depth):
            return possible
        return possible._replace(low=entry.low, high=entry.high, complete=entry.complete)

    def reach_of_probes(
        self, possible: Sequence[Possible], depth: float
    ) -> tuple[list[Number], list[Number]]:
        """By how much a probe of each outcome may raise or lower the bounds; 0 where none is made."""
        rise: list[Number] = []
        fall: list[Number] = []
        for p in possible:
            player = self.game.to_move(p.outcome.position)
            worth = depth > 0 and player >= 0 and len(self.game.moves(p.outcome.position)) >= FEWEST_MOVES
            span = p.weight * (p.high - p.low) if worth else 0
            rise.append(span if player == 0 else 0)
            fall.append(span if player != 0 else 0)
        return rise, fall

    def probed(
        self, possible: Possible, low: Number, high: Number, depth: float, window: Window, ply: int
    ) -> Call[Possible]:
        """The outcome with the bound that one move of its position gives.

        `low` and `high` bound the whole expectation. The move is searched only as far as it may matter: a
        value at or beyond the end of the window that decides is as good as an exact one.
        """
        outcome, weight, lowest, highest, proven = possible
        player = self.game.to_move(outcome.position)
        move = self.ordered(outcome.position, player, depth, ply)[0]
        if player == 0:
            enough = lowest + part(window.beta - low, weight)
            inner = Window(lowest, min(enough, highest))
            probe: Backup = yield self.probe(outcome.position, move, depth, inner, ply)
            if probe.value > lowest:
                return possible._replace(low=min(probe.value, highest), complete=proven and probe.complete)
        else:
            enough = highest + part(window.alpha - high, weight)
            inner = Window(max(enough, lowest), highest)
            probe = yield self.probe(outcome.position, move, depth, inner, ply)
            if probe.value < highest:
                return possible._replace(high=max(probe.value, lowest), complete=proven and probe.complete)
        return possible

    def probe(self, position: Any, move: Any, depth: float, window: Window, ply: int) -> Call[Backup]:
        """The value of a move within a window. The position counts as searched meanwhile: a probe that comes
        back to it would probe it again, without end."""
        with self.visiting(position, depth):
            found: Backup = yield self.move_search(
                position, move, self.less(depth, position), window, ply + 1
            )
        return found
