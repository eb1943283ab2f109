"""Backward induction on the position graph: each position once, after all that can follow it.

With one column of values it is the first player's, whom the second opposes; with one column per player
everyone maximises their own, and the first of equally good moves is played.

Where floats round, values are enclosed: two numbers per position and column, every rounding against us. With
a column per player, rounding may leave open which move is played; then what the others get is anything that
the moves in question would give them.

Small graphs are done in rationals, which leave nothing open.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from gdl.game import Game, Number, Traits
from gdl.movers import TERMINAL
from solvers.core.rounding import UNIT, exact_twin, outside
from solvers.machine.kernels import kernel, step, woven
from solvers.machine.types import i64
from solvers.whole.kernels.breadth_first import Reached
from solvers.whole.kernels.position_graph import PositionGraph
from solvers.whole.kernels.strong_components import Condensation, stages, strong_components

NARROW = 5_000
"""A level with fewer positions is not shared out."""

FEW_EDGES = 50_000
"""Graphs with no more edges than this are done in rationals, which takes a second at most."""

LONG = 2_000
"""Bits of a denominator above which rationals are given up."""


def induce(graph: PositionGraph, parts: Condensation, discount: float) -> tuple[Any, Any]:
    """The least and the greatest that every position of a graph without cycles may be worth, per column; one
    and the same array, `worth`, where nothing was rounded.

    Positions of one level do not lead to each other, so that threads share them out.
    """
    space = graph.space
    step = _Step(graph, discount)
    if space.size == 1:
        step(0, len(graph), parts.order)
        return step.low, step.high
    begin, wide = stages(parts.which, parts.level_start, parts.start, NARROW)
    ordered = parts.order[parts.which]
    for lo, hi, shared in zip(begin, [*begin[1:], len(graph)], wide, strict=True):
        cuts = np.linspace(lo, hi, (space.size if shared else 1) + 1).astype(np.int64)

        def work(p: int, cuts: Any = cuts, ordered: Any = ordered) -> None:
            step(cuts[p], cuts[p + 1], ordered)

        space.each(work, len(cuts) - 1)
    return step.low, step.high


def induce_layers(graph: PositionGraph, reached: Reached, discount: float) -> tuple[Any, Any]:
    """The same for a graded graph, whose layers are the order; the partitions work at the same time."""
    none = np.empty(0, np.uint32)
    step = _Step(graph, discount)
    for before, after in zip(reversed(reached.layers[:-1]), reversed(reached.layers[1:]), strict=True):

        def work(p: int, before: list[int] = before, after: list[int] = after) -> None:
            base = int(graph.base[p])
            step(base + before[p], base + after[p], none)

        graph.space.each(work, positions=sum(after) - sum(before))
    return step.low, step.high


def induce_exactly(game: Game[Any, Any], graph: PositionGraph) -> list[tuple[Number, ...]] | None:
    """The exact values of a small graph without cycles, per position and column; None where that is too much
    work.
    """
    if graph.edges > FEW_EDGES or not len(graph.exact_start):
        return None
    utility = exact_twin(game).utility
    columns = graph.worth.shape[1]
    values: list[tuple[Number, ...]] = [()] * len(graph)
    worth = ExactWorth(graph, game.traits.discount, values)
    for v in strong_components(graph.row, graph.first, graph.target)[0].tolist():
        who = int(graph.mover[v])
        if who == TERMINAL:
            values[v] = tuple(Fraction(x) for x in utility(graph.position(v))[:columns])
            continue
        worths = [worth(c) for c in range(int(graph.row[v]), int(graph.row[v + 1]))]
        column = max(who, 0) if columns > 1 else 0
        choose = min if who == 1 and columns == 1 else max  # both take the first of equals
        values[v] = choose(worths, key=lambda value: value[column])
        if any(Fraction(value).denominator.bit_length() > LONG for value in values[v]):
            return None
    return values


class ExactWorth:
    """What choices are worth in rationals, per column, given the values of positions."""

    def __init__(self, graph: PositionGraph, discount: Fraction, values: Sequence[tuple[Number, ...]]):
        self._graph, self._discount, self._values = graph, discount, values
        self._laws: dict[int, Any] = {}

    def __call__(self, c: int) -> tuple[Number, ...]:
        graph, discount = self._graph, self._discount
        if graph.simple:
            return tuple(discount * x for x in self._values[int(graph.target[c])])
        number = int(graph.law[c])
        if number not in self._laws:
            self._laws[number] = graph.exact_law(number)
        follow = graph.target[int(graph.first[c]) : int(graph.first[c + 1])].tolist()
        ways = [
            (self._values[t], odds, paid) for t, (odds, paid) in zip(follow, self._laws[number], strict=True)
        ]
        return tuple(
            sum(
                (odds * ((paid[k] if paid else 0) + discount * value[k]) for value, odds, paid in ways),
                Fraction(0),
            )
            for k in range(graph.worth.shape[1])
        )


class _Step:
    """Values of some positions from those of what follows: as they are, or enclosed where floats round."""

    def __init__(self, graph: PositionGraph, discount: float):
        self.graph, self.discount = graph, discount
        self.low = self.high = graph.worth
        self.rounds = graph.space.game.traits.rounds or not graph.simple
        if self.rounds:
            self.low, self.high = outside_utilities(graph)

    def __call__(self, lo: int, hi: int, order: Any) -> None:
        """Positions order[lo:hi], or lo .. hi - 1 where there is no order."""
        graph = self.graph
        if self.rounds:
            rewards = (graph.reward, graph.reward_error)
            _enclose(lo, hi, order, graph.arrays, *rewards, self.low, self.high, self.discount)
        else:
            _induce(lo, hi, order, graph.arrays, graph.worth)


def outside_utilities(graph: PositionGraph) -> tuple[Any, Any]:
    """`worth` rounded down and up, where the utilities are not known to be what floats hold."""
    worth = graph.worth
    over = (graph.mover == TERMINAL).reshape(-1, 1)
    safe = (graph.space.game.traits.whole & (np.abs(worth) < 2.0**53)) | (worth == 0)
    low, high = (np.where(safe, worth, np.nextafter(worth, side)) for side in (-np.inf, np.inf))
    return np.where(over, low, 0.0), np.where(over, high, 0.0)


def cut(low: Any, high: Any, traits: Traits) -> None:
    """Takes off of bounds, per position and column, what no value can be."""
    for k in range(low.shape[1]):
        least, most = outside(*traits.value_bounds[k])
        np.maximum(low[:, k], least, out=low[:, k])
        np.minimum(high[:, k], most, out=high[:, k])


@kernel
def _induce(lo: int, hi: int, order: Any, graph: Any, worth: Any) -> None:
    """In a game of whole utilities, without chance, rewards and discount."""
    mover, row, _first, _law, target, _law_start, _odds = graph
    columns = worth.shape[1]
    for i in range(lo, hi):
        v = i64(order[i]) if len(order) else i
        who = mover[v]
        if who == TERMINAL:
            continue
        chosen = i64(target[row[v]])
        for c in range(i64(row[v]) + 1, i64(row[v + 1])):
            t = i64(target[c])
            if columns > 1:
                better = worth[t, who] > worth[chosen, who]
            else:
                better = worth[t, 0] < worth[chosen, 0] if who == 1 else worth[t, 0] > worth[chosen, 0]
            if better:
                chosen = t
        for k in range(columns):
            worth[v, k] = worth[chosen, k]


@kernel
def _enclose(
    lo: int,
    hi: int,
    order: Any,
    graph: Any,
    reward: Any,
    reward_error: Any,
    low: Any,
    high: Any,
    discount: float,
) -> None:
    mover, row, _first, _law, _target, _law_start, _odds = graph
    columns = low.shape[1]
    room = 1
    for i in range(lo, hi):
        v = i64(order[i]) if len(order) else i
        room = max(room, i64(row[v + 1]) - i64(row[v]))
    least, most = np.empty((room, columns)), np.empty((room, columns))
    for i in range(lo, hi):
        v = i64(order[i]) if len(order) else i
        who = mover[v]
        if who == TERMINAL:
            continue
        start = i64(row[v])
        n = i64(row[v + 1]) - start
        for j in range(n):
            for k in range(columns):
                least[j, k], most[j, k] = enclosed(
                    start + j, k, graph, reward, reward_error, low, high, discount
                )
        settle(who, n, least, most, low[v], high[v])


@step
def settle(who: int, n: int, least: Any, most: Any, low: Any, high: Any) -> None:
    """What a position is worth per column, `low` and `high`, from what its n choices are worth."""
    columns = len(low)
    if columns == 1:
        low[0], high[0] = least[0, 0], most[0, 0]
        for j in range(1, n):
            if who == 1:
                low[0], high[0] = min(low[0], least[j, 0]), min(high[0], most[j, 0])
            else:
                low[0], high[0] = max(low[0], least[j, 0]), max(high[0], most[j, 0])
        return
    mine = max(who, 0)
    at_least = at_most = -np.inf
    for j in range(n):
        at_least, at_most = max(at_least, least[j, mine]), max(at_most, most[j, mine])
    before = -np.inf  # what the moves up to here give at least: a later one must give more
    none = True
    for j in range(n):
        if most[j, mine] >= at_least and most[j, mine] > before:
            for k in range(columns):
                low[k] = least[j, k] if none else min(low[k], least[j, k])
                high[k] = most[j, k] if none else max(high[k], most[j, k])
            none = False
        before = max(before, least[j, mine])
    low[mine], high[mine] = at_least, at_most


@step
def enclosed(
    c: int, k: int, graph: Any, reward: Any, reward_error: Any, low: Any, high: Any, discount: float
) -> Any:
    """What a choice is worth at least and at most in a column, every rounding against us."""
    _mover, _row, first, law, target, law_start, odds = graph
    if len(first) == 0:
        least, most = discount * low[target[c], k], discount * high[target[c], k]
        error = 0.0 if discount == 1.0 else 4.0 * UNIT * max(abs(least), abs(most))
        return least - error, most + error
    at = law_start[law[c]]
    begin, end = i64(first[c]), i64(first[c + 1])
    paid, error = reward[law[c], k], reward_error[law[c], k]
    if end - begin == 1 and paid == 0.0 and error == 0.0 and discount == 1.0:
        return low[target[begin], k], high[target[begin], k]
    least = most = size = 0.0
    for e in range(begin, end):
        a, b = low[target[e], k], high[target[e], k]
        least += odds[at] * a
        most += odds[at] * b
        size += odds[at] * max(abs(a), abs(b))
        at += 1
    error += rounding(end - begin) * (abs(paid) + size)
    if error > 0.0:
        error += 1e-300  # what was too small for a float
    return paid + discount * least - error, paid + discount * most + error


@woven
def rounding(outcomes: int) -> float:
    """By which share of its terms an expectation may be wrong: their odds, their products with values and
    the discount, their sum, and the computation of this very bound are rounded.
    """
    return (12.0 + outcomes) * UNIT
