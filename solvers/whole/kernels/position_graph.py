"""The position graph in compressed rows.

    position v        mover[v], choices  row[v] .. row[v + 1]
    choice c          outcomes  first[c] .. first[c + 1],  law[c]
    outcome e         target[e];  its probability is odds[law_start[law[c]] + e - first[c]]

In a simple game (no chance, no rewards) choices are outcomes: `first` and `law` are empty, and c is e.
Rewards count by their expectation over the outcomes of a choice: reward[law, player], which rounding has
moved by no more than reward_error[law, player]: where rewards cancel, that is much beside what is left.

Positions are numbered as one partition would have found them, however many there were: what follows a
position lies close together then, which the search for components gains from, and solvers do the same
whatever the number of threads. Where all edges lead from layer to layer that costs more than it gains, and
the partitions are numbered one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from gdl.game import Outcome
from solvers.machine.kernels import kernel
from solvers.machine.types import i64
from solvers.whole.kernels.breadth_first import Reached
from solvers.whole.kernels.distributions import expected_reward
from solvers.whole.kernels.space import Space, bases
from solvers.whole.kernels.strong_components import edges_from

ExactLaw = list[tuple[Fraction, tuple[Fraction, ...]]]
"""Per outcome its probability and the rewards."""

Mixed = Callable[[int], ExactLaw]


@dataclass(slots=True)
class PositionGraph:
    """See above. `worth` holds the utilities of finished games, one column or one per player
    (`Space.values`).
    """

    space: Space
    base: Any  # where each partition begins
    mover: Any
    worth: Any
    row: Any
    first: Any
    law: Any
    target: Any
    law_start: Any
    odds: Any
    reward: Any
    reward_error: Any
    exact_laws: Any  # the numerators and denominators of distributions.py
    exact_start: Any
    mixed: Mixed | None = None  # exact laws where policies have been mixed in, in place of those
    order: Any = None  # by number: the place among all partitions, one after another; None: the same
    rank: Any = None  # the other way round

    def __len__(self) -> int:
        return len(self.mover)

    @property
    def simple(self) -> bool:
        return len(self.first) == 0

    @property
    def edges(self) -> int:
        return len(self.target)

    @property
    def choices(self) -> int:
        return int(self.row[-1])

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What kernels read of the graph, in their order."""
        return (self.mover, self.row, self.first, self.law, self.target, self.law_start, self.odds)

    @property
    def edge_bytes(self) -> int:
        parts = (self.row, self.first, self.law, self.target, self.law_start, self.odds, self.reward)
        return sum(part.nbytes for part in (*parts, self.reward_error, self.exact_laws, self.exact_start))

    @property
    def position_bytes(self) -> int:
        """Keys, the table that finds them, who moves and the values."""
        return self.space.bytes + int(self.mover.nbytes + self.worth.nbytes)

    def index(self, position: Any) -> int | None:
        """The number of a position; None if it cannot be reached."""
        found = self.space.find(position)
        if found is None:
            return None
        place = int(self.base[found[0]]) + found[1]
        return place if self.rank is None else int(self.rank[place])

    def position(self, node: int) -> Any:
        return self.space.position(*self._place(node))

    def key(self, node: int) -> bytes:
        p, number = self._place(node)
        return bytes(self.space.parts[p].keys[number].tobytes())

    def _place(self, node: int) -> tuple[int, int]:
        """The partition of a position and its number there."""
        place = node if self.order is None else int(self.order[node])
        p = int(np.searchsorted(self.base, place, side="right")) - 1
        return p, place - int(self.base[p])

    def keys(self) -> Any:
        """All keys in the order of the positions."""
        keys = np.concatenate([part.keys[: part.count] for part in self.space.parts])
        return keys if self.order is None else keys[self.order]

    @property
    def paid(self) -> Any:
        """Per law the first expected reward and its error, side by side as kernels read them."""
        return np.column_stack([self.reward[:, 0], self.reward_error[:, 0]])

    def exact_law(self, law: int) -> ExactLaw:
        """Per outcome its probability and the rewards, exactly; no rewards in a game without."""
        if self.mixed is not None:
            return self.mixed(law)
        players = self.space.game.traits.players if self.space.game.traits.rewards else 0
        row = self.exact_laws[self.exact_start[law] : self.exact_start[law + 1]].reshape(-1, 2 + 2 * players)
        return [
            (
                Fraction(int(r[0]), int(r[1])),
                tuple(Fraction(int(r[2 + 2 * i]), int(r[3 + 2 * i])) for i in range(players)),
            )
            for r in row
        ]


def _offset_type(most: int) -> Any:
    return np.uint32 if most < 1 << 32 else np.int64


def offsets(numbers: Any) -> Any:
    """Rising numbers of choices or edges as graphs keep them: in 32 bits, and only the largest in 64."""
    return numbers.astype(_offset_type(int(numbers[-1])), copy=False)


def merged(reached: Reached) -> PositionGraph:
    """One graph from the edges that the partitions kept, which are let go on the way."""
    space, kept = reached.space, reached.kept
    assert kept is not None
    base = bases(space.parts)
    n, c, e = (sum(getattr(k, name) for k in kept) for name in ("positions", "choices", "edges"))
    simple = space.simple
    mover = np.empty(n, np.int8)
    worth = np.empty((n, space.values), np.float64)
    offset = _offset_type(max(c, e))
    row = np.zeros(n + 1, offset)
    first = np.zeros(0 if simple else c + 1, offset)
    law = np.empty(0 if simple else c, np.uint32)
    target = np.empty(e, np.uint32)
    store = _LawStore(space)
    laws = [store.add(p) for p in range(space.size)]
    choice = np.cumsum([0, *(k.choices for k in kept)])
    edge = np.cumsum([0, *(k.edges for k in kept)])
    row[base[:-1]] = choice[:-1]
    if not simple:
        first[choice[:-1]] = edge[:-1]

    def enter(p: int) -> None:
        part = kept[p]
        lo, hi = int(base[p]), int(base[p + 1])
        mover[lo:hi] = part.mover[: part.positions]
        worth[lo:hi] = part.worth[: part.positions]
        _accumulate(part.degree[: part.positions], row[lo:])
        if not simple:
            at = int(choice[p])
            _accumulate(part.spread[: part.choices], first[at:])
            law[at : at + part.choices] = laws[p][part.law[: part.choices]]
        _relabel(part.target[: part.edges], base, target[int(edge[p]) :])
        kept[p] = None

    space.each(enter, positions=n)
    law_start, odds, reward, reward_error = store.numbers()
    graph = PositionGraph(
        space,
        base,
        mover,
        worth,
        row,
        first,
        law,
        target,
        law_start,
        odds,
        reward,
        reward_error,
        store.data,
        store.start,
    )
    return graph if space.size == 1 or reached.graded else as_discovered(graph, reached.starts)


def as_discovered(graph: PositionGraph, starts: Iterable[Outcome]) -> PositionGraph:
    """The same graph, its positions numbered as a search from the starts meets them, breadth first."""
    first_ones = np.array([graph.index(start.position) for start in starts], np.int64)
    order, rank = _discovery(first_ones, graph.row, graph.first, graph.target)
    row, first, target = np.empty_like(graph.row), np.empty_like(graph.first), np.empty_like(graph.target)
    law = np.empty_like(graph.law)
    _copy_sizes(order, graph.row, graph.first, row, first)
    mover, worth = np.empty_like(graph.mover), np.empty_like(graph.worth)
    cuts = np.linspace(0, len(graph), graph.space.size + 1).astype(np.int64)

    def enter(p: int) -> None:
        lo, hi = int(cuts[p]), int(cuts[p + 1])
        old = (graph.mover, graph.worth, graph.row, graph.first, graph.law, graph.target)
        _copy(lo, hi, order, rank, old, (mover, worth, row, first, law, target))

    graph.space.each(enter, positions=len(graph))
    return replace(
        graph,
        mover=mover,
        worth=worth,
        row=row,
        first=first,
        law=law,
        target=target,
        order=order,
        rank=rank,
    )


class _LawStore:
    """The laws of all partitions, each kept once."""

    def __init__(self, space: Space):
        self._space = space
        self._known: dict[bytes, int] = {}

    def add(self, p: int) -> Any:
        """For each law of the partition its number among all."""
        laws = self._space.laws[p]
        numbers = []
        for i in range(int(laws.count[0])):
            row = laws.data[laws.start[i] : laws.start[i + 1]].tobytes()
            numbers.append(self._known.setdefault(row, len(self._known)))
        return np.array(numbers, np.uint32)

    @property
    def start(self) -> Any:
        return np.cumsum([0, *(len(row) // 8 for row in self._known)]).astype(np.int64)

    @property
    def data(self) -> Any:
        return np.frombuffer(b"".join(self._known), np.int64)

    def numbers(self) -> tuple[Any, Any, Any, Any]:
        """Where each law begins, the probabilities, and per player (or column) the expected reward, and how
        far from it rounding may have led.
        """
        traits = self._space.game.traits
        width = 2 + (2 * traits.players if traits.rewards else 0)
        table = self.data.reshape(-1, width)
        start = self.start // width
        odds = table[:, 0] / table[:, 1] if len(table) else np.empty(0)
        reward = np.zeros((len(self._known), self._space.values))
        error = np.zeros_like(reward)
        if traits.rewards and len(table):
            for i in range(self._space.values):
                reward[:, i], error[:, i] = expected_reward(table, start, i)
        return start, odds, reward, error


@kernel
def _accumulate(sizes: Any, row: Any) -> None:
    """row[k + 1] = row[k] + sizes[k]; row[0] is given."""
    for k in range(len(sizes)):
        row[k + 1] = row[k] + sizes[k]


@kernel
def _relabel(targets: Any, base: Any, out: Any) -> None:
    """From number * partitions + partition to numbers that run through all partitions."""
    partitions = len(base) - 1
    bits = 0
    while 1 << bits < partitions:
        bits += 1
    for e in range(len(targets)):
        t = i64(targets[e])
        out[e] = base[t & (partitions - 1)] + (t >> bits)


@kernel
def _discovery(starts: Any, row: Any, first: Any, target: Any) -> Any:
    """(order, rank): positions in the order in which they are met, and for each when that is."""
    n = len(row) - 1
    unseen = np.uint32(0xFFFFFFFF)
    order = np.empty(n, np.uint32)
    rank = np.full(n, unseen, np.uint32)
    met = 0
    for k in range(len(starts)):
        if rank[starts[k]] == unseen:
            rank[starts[k]] = met
            order[met] = starts[k]
            met += 1
    for i in range(n):
        lo, hi = edges_from(row, first, i64(order[i]))
        for e in range(lo, hi):
            t = target[e]
            if rank[t] == unseen:
                rank[t] = met
                order[met] = t
                met += 1
    return order, rank


@kernel
def _copy_sizes(order: Any, row: Any, first: Any, new_row: Any, new_first: Any) -> None:
    """The rows of positions and of choices in another order."""
    new_row[0] = 0
    if len(first):
        new_first[0] = 0
    at = 0
    for i in range(len(order)):
        v = i64(order[i])
        lo, hi = i64(row[v]), i64(row[v + 1])
        if len(first):
            for c in range(lo, hi):
                new_first[at + 1] = new_first[at] + (first[c + 1] - first[c])
                at += 1
        else:
            at += hi - lo
        new_row[i + 1] = at


@kernel
def _copy(begin: int, end: int, order: Any, rank: Any, old: Any, new: Any) -> None:
    """All that is not sizes of positions begin .. end - 1 of the new order."""
    mover, worth, row, first, law, target = old
    new_mover, new_worth, new_row, new_first, new_law, new_target = new
    for i in range(begin, end):
        v = i64(order[i])
        new_mover[i] = mover[v]
        for k in range(worth.shape[1]):
            new_worth[i, k] = worth[v, k]
        c, d = i64(row[v]), i64(new_row[i])
        if len(first):
            for k in range(i64(row[v + 1]) - c):
                new_law[d + k] = law[c + k]
        lo, hi = edges_from(row, first, v)
        at = edges_from(new_row, new_first, i)[0]
        for e in range(lo, hi):
            new_target[at + e - lo] = rank[target[e]]
