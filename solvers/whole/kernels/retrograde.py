"""Retrograde analysis on the position graph: values and distances backwards from the ends.

The twin of `whole/retrograde.py`, which explains it. For every payoff, best first, the set from which it can
be forced grows backwards over the reversed edges, one distance after another. A partition holds the edges
that lead to its positions. When some of these join the set it writes to the owners of the positions that
lead there, who count the escapes that are left and decide what joins next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gdl.movers import TERMINAL
from solvers.machine.kernels import kernel, woven
from solvers.machine.types import i64
from solvers.whole.kernels.position_graph import PositionGraph

NEVER = -1
"""The distance where play goes on for ever."""

LETTERS = 1 << 17
"""Letters from one partition in one round, about."""

Report = Callable[[str, float], None]


def attract(graph: PositionGraph, endless: float, report: Report | None = None) -> Any:
    """Fills `worth` and gives the distance of every position to the end, NEVER where there is none."""
    back_row, back = reversed_edges(graph)
    ends = graph.mover == TERMINAL
    payoffs = np.unique(graph.worth[ends, 0])
    distance = np.full(len(graph), NEVER, np.int32)
    utility = graph.worth[:, 0].copy()
    graph.worth[:, 0] = endless
    graph.worth[ends, 0] = utility[ends]
    values = graph.worth[:, 0]
    post = _Post(graph, np.diff(back_row))
    degree = np.diff(graph.row).astype(np.uint32)
    known = 0
    for player, wanted in (
        (0, payoffs[payoffs > endless][::-1]),
        (1, payoffs[payoffs < endless]),
    ):
        escapes = degree.copy()
        for payoff in wanted:
            seeds = np.flatnonzero(ends & (utility == payoff)).astype(np.uint32)
            distance[seeds] = 0
            joined: list[Any] = np.split(seeds, np.searchsorted(seeds, graph.base[1:-1]))
            away = 0
            while any(len(members) for members in joined):
                known += sum(len(members) for members in joined)
                if report is not None:
                    report("attracting", known / len(graph))
                away += 1
                found: list[list[Any]] = [[] for _ in joined]

                def send(p: int, at: int, joined: list[Any] = joined) -> int:
                    return int(
                        _write_back(joined[p], at, back_row, back, post.base, post.box[p], post.sent[p])
                    )

                def read(
                    q: int,
                    letters: Any,
                    found: list[list[Any]] = found,
                    away: int = away,
                    player: int = player,
                    payoff: float = payoff,
                    escapes: Any = escapes,
                ) -> None:
                    found[q].append(
                        _join(letters, player, payoff, away, graph.mover, escapes, values, distance)
                    )

                post.deliver([len(members) for members in joined], send, read)
                joined = [np.concatenate(new) if new else np.empty(0, np.uint32) for new in found]
    return distance


class _Post:
    """Letters between partitions, in rounds: all write, then all read. A letter is a pair of positions."""

    def __init__(self, graph: PositionGraph, most: Any):
        """`most[v]` is how many letters are written because of position v, all at once."""
        self._each = graph.space.each
        self.base = graph.base
        size = graph.space.size
        letters = max(LETTERS // size, int(most.max()) if len(most) else 0)
        self.box = np.empty((size, size, letters, 2), np.uint32)  # from, to
        self.sent = np.zeros((size, size), np.int64)

    def deliver(
        self,
        counts: Sequence[int],
        send: Callable[[int, int], int],
        read: Callable[[int, Any], None],
    ) -> None:
        """Until every partition p has sent for all of its counts[p] positions.

        `send(p, at)` writes from position `at` on while there is room and says how far it came;
        `read(q, letters)` is called with the letters from each partition to q, in order.
        """
        at = [0] * len(counts)

        def write(p: int) -> None:
            self.sent[p] = 0
            if at[p] < counts[p]:
                at[p] = send(p, at[p])

        def receive(q: int) -> None:
            for p in range(len(counts)):
                if self.sent[p, q]:
                    read(q, self.box[p, q, : self.sent[p, q]])

        positions = sum(counts)
        while any(done < count for done, count in zip(at, counts, strict=True)):
            self._each(write, positions=positions)
            self._each(receive, positions=positions)


def reversed_edges(graph: PositionGraph) -> tuple[Any, Any]:
    """(row, source): the positions that lead to v are source[row[v] : row[v + 1]].

    Every partition goes through all edges, which is quick, and enters those that lead to its positions.
    """
    row = np.zeros(len(graph) + 1, np.int64)
    source = np.empty(len(graph.target), np.uint32)

    def count(p: int) -> None:
        _count(graph.target, int(graph.base[p]), int(graph.base[p + 1]), row)

    def place(p: int) -> None:
        _place(graph.row, graph.target, int(graph.base[p]), int(graph.base[p + 1]), row, source)

    graph.space.each(count, positions=len(graph))
    np.cumsum(row, out=row)
    # Placing moves row[v + 1] from the end of the edges to v back to their beginning.
    graph.space.each(place, positions=len(graph))
    return np.append(row[1:], len(source)), source


@woven
def _owner(v: Any, base: Any) -> Any:
    p = 0
    while v >= base[p + 1]:
        p += 1
    return p


@kernel
def _count(target: Any, lo: int, hi: int, row: Any) -> None:
    """Counts the edges to each of the positions lo .. hi - 1."""
    for e in range(len(target)):
        t = i64(target[e])
        if lo <= t < hi:
            row[t + 1] += 1


@kernel
def _place(forward: Any, target: Any, lo: int, hi: int, row: Any, source: Any) -> None:
    """Enters where the edges to the positions lo .. hi - 1 come from, last ones first."""
    for v in range(len(forward) - 1):
        for e in range(i64(forward[v]), i64(forward[v + 1])):
            t = i64(target[e])
            if lo <= t < hi:
                row[t + 1] -= 1
                source[row[t + 1]] = v


@kernel
def _write_back(joined: Any, at: int, back_row: Any, back: Any, base: Any, box: Any, sent: Any) -> int:
    """Tells the owners of positions that lead to joined[at:], as far as there is room."""
    room = box.shape[1]
    while at < len(joined):
        v = i64(joined[at])
        lo, hi = back_row[v], back_row[v + 1]
        if sent.max() + hi - lo > room:
            break
        for k in range(lo, hi):
            q = _owner(back[k], base)
            box[q, sent[q], 0] = back[k]
            box[q, sent[q], 1] = v
            sent[q] += 1
        at += 1
    return at


@kernel
def _join(
    letters: Any,
    player: int,
    payoff: float,
    away: int,
    mover: Any,
    escapes: Any,
    values: Any,
    distance: Any,
) -> Any:
    """The positions that join: one of the player's moves leads there, or the opponent has no other."""
    new = np.empty(len(letters), np.uint32)
    n = 0
    for k in range(len(letters)):
        u = i64(letters[k, 0])
        escapes[u] -= np.uint32(1)
        if distance[u] >= 0 or mover[u] == TERMINAL:
            continue
        if mover[u] == player or escapes[u] == 0:
            values[u] = payoff
            distance[u] = away
            new[n] = u
            n += 1
    return new[:n].copy()
