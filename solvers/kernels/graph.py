"""The position graph in compressed rows, all partitions numbered one after another.

    position v        mover[v], choices  row[v] .. row[v + 1]
    choice c          outcomes  first[c] .. first[c + 1],  law[c]
    outcome e         target[e];  its probability is odds[law_start[law[c]] + e - first[c]]

In a simple game (no chance, no rewards) choices are outcomes: `first` and `law` are empty, and c is e.
Rewards count by their expectation over the outcomes of a choice: reward[law, player].
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numba import njit

from solvers.kernels.explore import Explored
from solvers.kernels.space import Space, bases
from solvers.kernels.types import i64


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
    exact_laws: Any  # the numerators and denominators of laws.py
    exact_start: Any

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
        return sum(part.nbytes for part in (*parts, self.exact_laws, self.exact_start))

    @property
    def position_bytes(self) -> int:
        """Keys, the table that finds them, who moves and the values."""
        return self.space.bytes + int(self.mover.nbytes + self.worth.nbytes)

    def index(self, position: Any) -> int | None:
        """The number of a position; None if it cannot be reached."""
        found = self.space.find(position)
        return None if found is None else int(self.base[found[0]]) + found[1]

    def position(self, node: int) -> Any:
        p = int(np.searchsorted(self.base, node, side="right")) - 1
        return self.space.position(p, node - int(self.base[p]))

    def key(self, node: int) -> bytes:
        p = int(np.searchsorted(self.base, node, side="right")) - 1
        return bytes(self.space.parts[p].keys[node - int(self.base[p])].tobytes())

    def keys(self) -> Any:
        """All keys in the order of the positions."""
        return np.concatenate([part.keys[: part.count] for part in self.space.parts])

    def exact_law(self, law: int) -> list[tuple[Fraction, tuple[Fraction, ...]]]:
        """Per outcome its probability and the rewards, exactly; no rewards in a game without."""
        players = self.space.game.traits.players if self.space.game.traits.rewards else 0
        row = self.exact_laws[self.exact_start[law] : self.exact_start[law + 1]].reshape(-1, 2 + 2 * players)
        return [
            (
                Fraction(int(r[0]), int(r[1])),
                tuple(Fraction(int(r[2 + 2 * i]), int(r[3 + 2 * i])) for i in range(players)),
            )
            for r in row
        ]


def merged(explored: Explored) -> PositionGraph:
    """One graph from the edges that the partitions kept, which are let go on the way."""
    space, kept = explored.space, explored.kept
    assert kept is not None
    base = bases(space.parts)
    n, c, e = (sum(getattr(k, name) for k in kept) for name in ("positions", "choices", "edges"))
    simple = space.simple
    mover = np.empty(n, np.int8)
    worth = np.empty((n, space.values), np.float64)
    offset = np.uint32 if max(c, e) < 1 << 32 else np.int64
    row = np.zeros(n + 1, offset)
    first = np.zeros(0 if simple else c + 1, offset)
    law = np.empty(0 if simple else c, np.uint32)
    target = np.empty(e, np.uint32)
    store = _LawStore(space)
    at_choice = at_edge = 0
    for p, part in enumerate(kept):
        lo, hi = int(base[p]), int(base[p + 1])
        mover[lo:hi] = part.mover[: part.positions]
        worth[lo:hi] = part.worth[: part.positions]
        _accumulate(part.degree[: part.positions], row[lo:])
        if not simple:
            _accumulate(part.spread[: part.choices], first[at_choice:])
            law[at_choice : at_choice + part.choices] = store.add(p)[part.law[: part.choices]]
        _relabel(part.target[: part.edges], space.size, base, target[at_edge:])
        at_choice += part.choices
        at_edge += part.edges
        kept[p] = None  # type: ignore[call-overload]
    law_start, odds, reward = store.numbers()
    return PositionGraph(
        space, base, mover, worth, row, first, law, target, law_start, odds, reward, store.data, store.start
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

    def numbers(self) -> tuple[Any, Any, Any]:
        """Where each law begins, the probabilities, and the expected reward per player (or column)."""
        traits = self._space.game.traits
        width = 2 + (2 * traits.players if traits.rewards else 0)
        table = self.data.reshape(-1, width)
        start = self.start // width
        odds = table[:, 0] / table[:, 1] if len(table) else np.empty(0)
        reward = np.zeros((len(self._known), self._space.values))
        if traits.rewards and len(table):
            for i in range(self._space.values):
                paid = odds * (table[:, 2 + 2 * i] / table[:, 3 + 2 * i])
                reward[:, i] = np.add.reduceat(paid, start[:-1])
        return start, odds, reward


@njit(cache=True, nogil=True)
def _accumulate(sizes: Any, row: Any) -> None:
    """row[k + 1] = row[k] + sizes[k]; row[0] is given."""
    for k in range(len(sizes)):
        row[k + 1] = row[k] + sizes[k]


@njit(cache=True, nogil=True)
def _relabel(targets: Any, partitions: int, base: Any, out: Any) -> None:
    """From number * partitions + partition to numbers that run through all partitions."""
    for e in range(len(targets)):
        t = i64(targets[e])
        out[e] = base[t % partitions] + t // partitions
