"""Star1: alpha-beta through chance, by the bounds of the utilities.

At a chance node with outcomes of probability p_1, p_2, .. whose values lie between `low` and `high`, after
the first outcomes have been searched the expectation lies between

    searched + p_i v_i + low * rest     and     searched + p_i v_i + high * rest.

So outcome i matters only while v_i lies strictly between the value that would bring the upper end down to
alpha and the one that would bring the lower end up to beta: that is its window.

Ballard 1983, 'The *-minimax search procedure for trees containing chance nodes'; in this form, fail-soft,
Hauk, Buro & Schaeffer 2004, 'Rediscovering *-minimax search'. The value is expectiminimax's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gdl.game import Game, Number, Outcome
from solvers.core.budget import Budget
from solvers.core.leaves import Leaf
from solvers.core.result import Result
from solvers.core.root_search import Backup, Line, Observer
from solvers.core.trampoline import Call
from solvers.core.windows import Window, part
from solvers.search.alphabeta import TABLE_SIZE, AlphaBeta


def star1(
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
    """Expectiminimax's value and best moves, pruning at chance nodes by the bounds of the utilities."""
    search = Star1(game, Budget(nodes, time), leaf, table, order, seed)
    search.every = every
    return search.answer(at, depth, "expectiminimax, pruned at chance by bounds (Star1)", observer, rounds)


class Possible(NamedTuple):
    """An outcome, what its value counts for in the expectation, and between which numbers it lies.

    `complete`: whether the bounds are proven to the end of the game.
    """

    outcome: Outcome
    weight: Number
    low: Number
    high: Number
    complete: bool = True


class Star1(AlphaBeta):
    name = "star1"

    def outcomes_value(
        self, outcomes: Sequence[Outcome], depth: float, window: Window, ply: int
    ) -> Call[Backup]:
        return self.expectation_within(self.possible(outcomes), depth, window, ply)

    def possible(self, outcomes: Sequence[Outcome]) -> list[Possible]:
        """The likeliest first: their values narrow the expectation most."""
        return sorted(
            (
                Possible(outcome, outcome.probability * self.discount, self.floor, self.ceiling)
                for outcome in outcomes
            ),
            key=lambda possible: possible.weight,
            reverse=True,
        )

    def expectation_within(
        self, possible: Sequence[Possible], depth: float, window: Window, ply: int
    ) -> Call[Backup]:
        """The expectation, within a window, over outcomes whose values have known bounds."""
        searched: Number = 0
        low_rest: Number = sum(p.weight * p.low for p in possible)
        high_rest: Number = sum(p.weight * p.high for p in possible)
        complete = True
        line: Line = None
        for i, (outcome, weight, low, high, proven) in enumerate(possible):
            low_rest -= weight * low
            high_rest -= weight * high
            complete = complete and proven
            if weight == 0 or low == high:
                searched += weight * low
                continue
            alpha = part(window.alpha - searched - high_rest, weight)
            beta = part(window.beta - searched - low_rest, weight)
            if alpha >= high or beta <= low:  # the bounds decide: within an empty window nothing is found
                bound = weight * high + high_rest if alpha >= high else weight * low + low_rest
                self.cuts += 1
                return Backup(searched + bound, line, complete and rest_proven(possible, i))
            inner = Window(max(alpha, low), min(beta, high))
            after: Backup = yield self.search(outcome.position, depth, inner, ply)
            searched += weight * after.value
            complete = complete and after.complete
            if i == 0:
                line = after.line
            if after.value <= alpha or after.value >= beta:
                self.cuts += i + 1 < len(possible)
                bound = high_rest if after.value <= alpha else low_rest
                return Backup(searched + bound, line, complete and rest_proven(possible, i))
        return Backup(searched, line, complete)


def rest_proven(possible: Sequence[Possible], i: int) -> bool:
    """Whether the bounds of all outcomes after one are proven: a cut counts them in unsearched."""
    return all(outcome.complete for outcome in possible[i + 1 :])
