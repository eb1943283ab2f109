"""Bounds for components in which somebody may want to stay for ever, or that mix too slowly for sweeps.

Small ones go to the textbook solver, which also solves their equations, and proves strategies in rationals
where floats are too coarse. Large ones are iterated here from both sides, with end components deflated as
`solvers.whole.value_iteration` explains: the same method on arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from gdl.game import Game, Number
from gdl.movers import TERMINAL
from solvers.core.budget import Budget
from solvers.core.graph import Choice, Edge, Graph
from solvers.core.iteration import CLOSER, EFFORT, PATIENCE
from solvers.core.refusal import unproven
from solvers.core.rounding import outside
from solvers.machine.kernels import kernel
from solvers.machine.types import i64
from solvers.whole.component import component_of
from solvers.whole.kernels.bellman import ROUNDING, Equations, best_of, worth_of
from solvers.whole.kernels.position_graph import PositionGraph, offsets
from solvers.whole.kernels.strong_components import strong_components
from solvers.whole.value_iteration import Bounds as TextbookBounds
from solvers.whole.value_iteration import Part, proven_bounds

SMALL = 400
"""Components up to this size go to the textbook solver."""

ROUNDS = 30
"""Sweeps between two looks at the keyboard."""

ROUNDS_BEFORE_PROOF = 600
LARGEST_PROOF = 3_000
"""Components up to this size are handed to rationals after so many sweeps."""


def rounded_discount(discount: Number) -> float:
    """The discount as a float, below 1 if it is."""
    return float(discount) if discount == 1 else min(float(discount), 1 - ROUNDING)


class Hard:
    """A component whose bounds simple iteration does not bring together.

    `low` and `high` are those of the whole graph, `look` is called every now and then and may raise, and no
    value lies outside `anything`.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        graph: PositionGraph,
        nodes: Any,
        low: Any,
        high: Any,
        endless: Number,
        anything: tuple[float, float],
        look: Callable[[], None],
    ):
        self.game, self.graph, self.nodes, self.low, self.high = game, graph, nodes, low, high
        self.endless = endless
        self._anything, self._look = anything, look

    def solve(self, share: float) -> None:
        """Bounds of the component to within `share` of the uncertainty outside."""
        if len(self.nodes) <= SMALL:
            self._solve_small(share)
        else:
            self._solve_large(share)

    def _solve_small(self, share: float) -> None:
        bounds = self._textbook()
        inside = range(len(self.nodes))
        Part(bounds, component_of(bounds.graph, inside, bounds.discount, float), True).solve(share)
        self.low[self.nodes] = bounds.low[: len(self.nodes)]
        self.high[self.nodes] = bounds.high[: len(self.nodes)]

    def _textbook(self) -> TextbookBounds:
        """The component as the textbook solver takes it: its positions, then those that they lead to."""
        local, numbers = textbook_graph(self.graph, self.nodes)
        bounds = TextbookBounds(self.game, local, _Watched(self._look))
        bounds.endless = self.endless
        bounds.lowest, bounds.highest = self._anything
        for i, v in enumerate(numbers):
            bounds.low[i], bounds.high[i] = float(self.low[v]), float(self.high[v])
        return bounds

    def _solve_large(self, share: float) -> None:
        nodes, low, high, graph = self.nodes, self.low, self.high, self.graph
        discount = rounded_discount(self.game.traits.discount)
        endless = outside(self.endless, self.endless)
        where = np.full(len(graph), -1, np.int64)
        where[nodes] = np.arange(len(nodes))
        sub = _subgraph(nodes, where, graph.arrays)
        gap_outside = _first_bounds(graph, nodes, where, sub, low, high, endless, discount)
        equations = Equations(graph.arrays, graph.paid, discount)
        gap = wide = float((high[nodes] - low[nodes]).max())
        rounds = since = 0
        proof_due = ROUNDS_BEFORE_PROOF if gap < np.inf else 0
        while gap > gap_outside + share:
            if proof_due <= rounds:
                if self._prove(known=gap < np.inf):
                    return
                proof_due = sys.maxsize
            for _ in range(ROUNDS // 3):
                _sweep(nodes, low, high, equations, rounds % 2 == 1)
                _sweep(nodes, low, high, equations, rounds % 2 == 0)
                if discount == 1.0:
                    tolerance = 2.0 ** -(rounds // 3 % 50)
                    label = _attractive_ends(nodes, sub, low, high, equations, tolerance)
                    if label is not None:
                        _deflate(nodes, sub, label[0], label[1], low, high, equations, endless)
                rounds += 3
            self._look()
            gap = float((high[nodes] - low[nodes]).max())
            if gap <= CLOSER * wide:
                wide, since = gap, rounds
            elif rounds - since > PATIENCE:
                return

    def _prove(self, known: bool) -> bool:
        """Finds the bounds in rationals if that is not too much work; it must not be if none are known."""
        count = len(self.nodes)
        if count > LARGEST_PROOF:
            if not known:
                raise unproven(self.game, self.graph.position(int(self.nodes[0])))
            return False
        bounds = self._textbook()
        pair = None
        if known:
            discount = rounded_discount(self.game.traits.discount)
            pair = best_choices(self.graph, self.nodes, (self.low + self.high) / 2, discount)
        found = proven_bounds(bounds, range(count), pair, EFFORT if known else None)
        if found is None:
            return False
        self.low[self.nodes], self.high[self.nodes] = found
        return True


class _Watched(Budget):
    """Looks up from the work every tenth of a second."""

    def __init__(self, look: Callable[[], None]):
        super().__init__()
        self._look, self._looked = look, perf_counter()

    def spend(self, nodes: int = 1) -> None:
        super().spend(nodes)
        now = perf_counter()
        if now - self._looked > 0.1:
            self._look()
            self._looked = now


def best_choices(graph: PositionGraph, nodes: Any, values: Any, discount: float) -> list[int]:
    """For each position the choice that is best by the given values, counted from its first."""
    equations = Equations(graph.arrays, graph.paid, discount)
    found = []
    for v in nodes.tolist():
        choices = range(int(graph.row[v]), int(graph.row[v + 1]))
        worths = [worth_of(c, values, equations)[0] for c in choices]
        found.append(int(np.argmin(worths) if graph.mover[v] == 1 else np.argmax(worths)))
    return found


# ----------------------------------------------------------------------------------- small


def textbook_graph(graph: PositionGraph, nodes: Any) -> tuple[Graph, list[int]]:
    """Some positions with their exact laws, and those that they lead to as ends, as a graph of the textbook
    solvers.

    Also the numbers of its positions in the whole graph: first `nodes`, then the others.
    """
    numbers = [int(v) for v in nodes]
    index = {v: i for i, v in enumerate(numbers)}
    count = len(numbers)

    def local(v: int) -> int:
        if v not in index:
            index[v] = len(numbers)
            numbers.append(v)
        return index[v]

    choices = []
    for v in numbers[:count]:
        made = []
        for c in range(int(graph.row[v]), int(graph.row[v + 1])):
            if graph.simple:
                edges: tuple[Edge, ...] = (Edge(local(int(graph.target[c])), 1, ()),)
            else:
                targets = graph.target[int(graph.first[c]) : int(graph.first[c + 1])]
                edges = tuple(
                    Edge(local(int(t)), odds, paid)
                    for t, (odds, paid) in zip(targets, graph.exact_law(int(graph.law[c])), strict=True)
                )
            made.append(Choice(c, edges))
        choices.append(tuple(made))
    players = [int(graph.mover[v]) for v in numbers[:count]] + [TERMINAL] * (len(numbers) - count)
    choices += [()] * (len(numbers) - count)
    utilities = [None if i < count else (0,) for i in range(len(numbers))]
    positions = _Positions(graph, numbers)
    return Graph(positions, {}, players, choices, utilities), numbers


class _Positions(list[Any]):
    """Positions by number, made only when an error message wants one."""

    def __init__(self, graph: PositionGraph, numbers: list[int]):
        super().__init__(numbers)
        self._graph = graph

    def __getitem__(self, i: Any) -> Any:
        return self._graph.position(super().__getitem__(i))


# ----------------------------------------------------------------------------------- large


@kernel
def _subgraph(nodes: Any, where: Any, graph: Any) -> Any:
    """Choices and targets of the component in local numbers: -1 for what lies outside."""
    _mover, row, first, _law, target, _law_start, _odds = graph
    m = len(nodes)
    row_of = np.zeros(m + 1, np.int64)
    choices = edges = 0
    for i in range(m):
        v = nodes[i]
        for c in range(i64(row[v]), i64(row[v + 1])):
            edges += i64(first[c + 1]) - i64(first[c]) if len(first) else 1
            choices += 1
        row_of[i + 1] = choices
    name = np.empty(choices, np.int64)
    start = np.zeros(choices + 1, np.int64)
    targets = np.empty(edges, np.int64)
    k = at = 0
    for i in range(m):
        v = nodes[i]
        for c in range(i64(row[v]), i64(row[v + 1])):
            lo, hi = c, c + 1
            if len(first):
                lo, hi = i64(first[c]), i64(first[c + 1])
            for e in range(lo, hi):
                targets[at] = where[target[e]]
                at += 1
            name[k] = c
            k += 1
            start[k] = at
    return row_of, name, start, targets


@kernel
def _sweep(nodes: Any, low: Any, high: Any, equations: Any, backwards: bool) -> bool:
    """One update of every position, in place; bounds never get worse."""
    changed = False
    m = len(nodes)
    for k in range(m):
        v = i64(nodes[m - 1 - k if backwards else k])
        down = best_of(v, low, equations, -1.0)
        up = best_of(v, high, equations, 1.0)
        if down > low[v]:
            low[v] = down
            changed = True
        if up < high[v]:
            high[v] = up
            changed = True
    return changed


def _attractive_ends(
    nodes: Any, sub: Any, low: Any, high: Any, equations: Equations, tolerance: float
) -> Any | None:
    """End components of choices that look best: the label of each position (-1: none), and the choices that
    stay.
    """
    row, _, start, targets = sub
    allowed = _look_best(nodes, sub, low, high, equations, tolerance)
    label = np.zeros(len(nodes), np.int64)
    while True:
        _drop_leaving(row, start, targets, allowed, label)
        if (label < 0).all():
            return None
        sub_row, sub_target = _allowed_edges(row, start, targets, allowed, label)
        order, parts = strong_components(offsets(sub_row), np.empty(0, np.uint32), sub_target)
        if not _relabel(order, parts, row, start, targets, allowed, label):
            return label, allowed


@kernel
def _look_best(nodes: Any, sub: Any, low: Any, high: Any, equations: Any, tolerance: float) -> Any:
    """Max's choices that are best by `high`, Min's by `low`, within the tolerance; all of chance."""
    mover = equations.graph[0]
    row, name, _, _ = sub
    allowed = np.ones(len(name), np.bool_)
    for i in range(len(nodes)):
        who = mover[nodes[i]]
        if who < 0:
            continue
        best = 0.0
        for k in range(row[i], row[i + 1]):
            value, error = worth_of(name[k], high if who == 0 else low, equations)
            value = value + error if who == 0 else -(value - error)
            if k == row[i] or value > best:
                best = value
        for k in range(row[i], row[i + 1]):
            value, error = worth_of(name[k], high if who == 0 else low, equations)
            value = value + error if who == 0 else -(value - error)
            allowed[k] = value >= best - tolerance
    return allowed


@kernel
def _drop_leaving(row: Any, start: Any, targets: Any, allowed: Any, label: Any) -> None:
    """Forbids choices that leave their part, and drops positions without any (label -1), until nothing
    changes.
    """
    changed = True
    while changed:
        changed = False
        for i in range(len(label)):
            if label[i] < 0:
                continue
            stays = False
            for k in range(row[i], row[i + 1]):
                if not allowed[k]:
                    continue
                for e in range(start[k], start[k + 1]):
                    t = targets[e]
                    if t < 0 or label[t] != label[i]:
                        allowed[k] = False
                        break
                stays |= allowed[k]
            if not stays:
                label[i] = -1
                changed = True


@kernel
def _allowed_edges(row: Any, start: Any, targets: Any, allowed: Any, label: Any) -> Any:
    """The graph of the allowed choices."""
    m = len(label)
    count = 0
    for k in range(len(allowed)):
        if allowed[k]:
            count += start[k + 1] - start[k]
    sub_row = np.zeros(m + 1, np.int64)
    sub_target = np.empty(count, np.uint32)
    at = 0
    for i in range(m):
        if label[i] >= 0:
            for k in range(row[i], row[i + 1]):
                if allowed[k]:
                    for e in range(start[k], start[k + 1]):
                        sub_target[at] = targets[e]
                        at += 1
        sub_row[i + 1] = at
    return sub_row, sub_target[:at]


@kernel
def _relabel(order: Any, parts: Any, row: Any, start: Any, targets: Any, allowed: Any, label: Any) -> bool:
    """Labels positions by strong component; whether some allowed choice now leaves its part."""
    for part in range(len(parts) - 1):
        for k in range(i64(parts[part]), i64(parts[part + 1])):
            if label[order[k]] >= 0:
                label[order[k]] = part
    for i in range(len(label)):
        if label[i] < 0:
            continue
        for k in range(row[i], row[i + 1]):
            if allowed[k]:
                for e in range(start[k], start[k + 1]):
                    if label[targets[e]] != label[i]:
                        return True
    return False


@kernel
def _deflate(
    nodes: Any,
    sub: Any,
    label: Any,
    staying: Any,
    low: Any,
    high: Any,
    equations: Any,
    endless: Any,
) -> bool:
    """Brings `high` down, and `low` up, to what ways out and endless play allow, in every end component."""
    mover, law, reward = equations.graph[0], equations.graph[3], equations.reward
    endless_low, endless_high = endless
    row, name, start, targets = sub
    parts = 0
    for i in range(len(label)):
        parts = max(parts, label[i] + 1)
    most = np.full(parts, endless_high)
    least = np.full(parts, endless_low)
    gains = np.zeros(parts, np.bool_)  # something is won by staying: deflating would be wrong
    pains = np.zeros(parts, np.bool_)
    for i in range(len(label)):
        part = label[i]
        if part < 0:
            continue
        who = mover[nodes[i]]
        for k in range(row[i], row[i + 1]):
            inside = True
            for e in range(start[k], start[k + 1]):
                if targets[e] < 0 or label[targets[e]] != part:
                    inside = False
                    break
            if not inside:
                if who == 0:
                    value, error = worth_of(name[k], high, equations)
                    most[part] = max(most[part], value + error)
                elif who == 1:
                    value, error = worth_of(name[k], low, equations)
                    least[part] = min(least[part], value - error)
            elif len(law):
                paid = reward[law[name[k]], 0]
                if paid > 0 and (who == 0 or staying[k]):
                    gains[part] = True
                if paid < 0 and (who == 1 or staying[k]):
                    pains[part] = True
    changed = False
    for i in range(len(label)):
        part = label[i]
        if part < 0:
            continue
        v = nodes[i]
        if not gains[part] and most[part] < high[v]:
            high[v] = most[part]
            changed = True
        if not pains[part] and least[part] > low[v]:
            low[v] = least[part]
            changed = True
    return changed


def _first_bounds(
    graph: PositionGraph,
    nodes: Any,
    where: Any,
    sub: Any,
    low: Any,
    high: Any,
    endless: tuple[float, float],
    discount: float,
) -> float:
    """Sets bounds that hold without looking inside, infinite ones where it must be looked at what is paid;
    gives the widest gap outside.
    """
    exits = _exits(nodes, where, graph.arrays)
    lows, highs = low[exits], high[exits]
    rewards = np.zeros(1)
    if not graph.simple:
        chosen = np.concatenate([graph.law[int(graph.row[v]) : int(graph.row[v + 1])] for v in nodes])
        paid = graph.paid[np.unique(chosen)]
        rewards = np.concatenate([paid[:, 0] - paid[:, 1], paid[:, 0] + paid[:, 1]])
    most, least = float(rewards.max()), float(rewards.min())
    if discount != 1.0:
        left = 1 - discount
        lowest, highest = min([*lows, 0.0, least / left]), max([*highs, 0.0, most / left])
    else:
        lowest, highest = min([*lows, endless[0]]), max([*highs, endless[1]])
        if most > 0:
            highest += most * _longest_stay(graph, nodes, sub, 1)
        if least < 0:
            lowest += least * _longest_stay(graph, nodes, sub, 0)
    margin = 16 * ROUNDING * max(abs(lowest), abs(highest))
    low[nodes], high[nodes] = lowest - margin, highest + margin
    return float((highs - lows).max()) if len(exits) else 0.0


@kernel
def _exits(nodes: Any, where: Any, graph: Any) -> Any:
    """The positions outside that can be reached in one move; some more than once."""
    _mover, row, first, _law, target, _law_start, _odds = graph
    found = [i64(0) for _ in range(0)]
    for i in range(len(nodes)):
        v = nodes[i]
        lo, hi = i64(row[v]), i64(row[v + 1])
        if len(first):
            lo, hi = i64(first[lo]), i64(first[hi])
        for e in range(lo, hi):
            if where[target[e]] < 0:
                found.append(i64(target[e]))
    return np.array(found, np.int64)


def _longest_stay(graph: PositionGraph, nodes: Any, sub: Any, leaver: int) -> float:
    """A bound of the expected number of moves inside when one player wants to leave and the other to stay;
    infinite where the other can stay for ever, though perhaps not where anything is paid.

    If from everywhere the component is left within k moves with probability at least g, then the
    expectation is at most k / g.
    """
    return float(_stay(nodes, sub, graph.arrays, leaver, min(4 * len(nodes), 10_000))) * (1 + 1e-9)


@kernel
def _stay(nodes: Any, sub: Any, graph: Any, leaver: int, rounds: int) -> float:
    mover, law, law_start, odds = graph[0], graph[3], graph[5], graph[6]
    row, name, start, targets = sub
    leaving = np.zeros(len(nodes))
    after = np.zeros(len(nodes))
    best = np.inf
    for k in range(1, rounds + 1):
        least = np.inf
        for i in range(len(nodes)):
            chosen = 0.0
            for c in range(row[i], row[i + 1]):
                chance = 0.0
                for e in range(start[c], start[c + 1]):
                    p = odds[law_start[law[name[c]]] + e - start[c]] if len(law) else 1.0
                    chance += p * (1.0 if targets[e] < 0 else leaving[targets[e]])
                if c == row[i] or (chance > chosen if mover[nodes[i]] == leaver else chance < chosen):
                    chosen = chance
            after[i] = chosen
            least = min(least, chosen)
        leaving, after = after, leaving
        if least > 0:
            best = min(best, k / least)
    return best
