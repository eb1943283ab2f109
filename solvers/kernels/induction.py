"""Backward induction on the position graph: each position once, after all that can follow it.

With one column of values it is the first player's, whom the second opposes; with one column per player
everyone maximises their own, and the first of equally good moves is played.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.kernels.components import Condensation, stages
from solvers.kernels.explore import Explored
from solvers.kernels.graph import PositionGraph
from solvers.kernels.types import i64

TERMINAL = -2

NARROW = 5_000
"""A level with fewer positions is not shared out."""


def induce(graph: PositionGraph, parts: Condensation, discount: float) -> None:
    """Fills `worth` of all positions of a graph without cycles.

    Positions of one level do not lead to each other, so that threads share them out.
    """
    space = graph.space
    if space.size == 1:
        _induce(0, len(graph), parts.order, graph.arrays, graph.reward, graph.worth, discount)
        return
    begin, wide = stages(parts.which, parts.level_start, parts.start, NARROW)
    ordered = parts.order[parts.which]
    for lo, hi, shared in zip(begin, [*begin[1:], len(graph)], wide, strict=True):
        cuts = np.linspace(lo, hi, (space.size if shared else 1) + 1).astype(np.int64)

        def work(p: int, cuts: Any = cuts, ordered: Any = ordered) -> None:
            _induce(cuts[p], cuts[p + 1], ordered, graph.arrays, graph.reward, graph.worth, discount)

        space.each(work, len(cuts) - 1)


def induce_layers(graph: PositionGraph, explored: Explored, discount: float) -> None:
    """The same for a graded graph, whose layers are the order; the partitions work at the same time."""
    none = np.empty(0, np.uint32)
    for before, after in zip(reversed(explored.layers[:-1]), reversed(explored.layers[1:]), strict=True):

        def work(p: int, before: list[int] = before, after: list[int] = after) -> None:
            base = int(graph.base[p])
            lo, hi = base + before[p], base + after[p]
            _induce(lo, hi, none, graph.arrays, graph.reward, graph.worth, discount)

        graph.space.each(work, positions=sum(after) - sum(before))


@njit(cache=True, nogil=True)
def _induce(lo: int, hi: int, order: Any, graph: Any, reward: Any, worth: Any, discount: float) -> None:
    mover, row, first, law, target, law_start, odds = graph
    columns = worth.shape[1]
    best = np.empty(columns)
    here = np.empty(columns)
    for i in range(lo, hi):
        v = i64(order[i]) if len(order) else i
        who = mover[v]
        if who == TERMINAL:
            continue
        for c in range(i64(row[v]), i64(row[v + 1])):
            if len(first) == 0:
                for k in range(columns):
                    here[k] = discount * worth[target[c], k]
            else:
                at = law_start[law[c]]
                for k in range(columns):
                    here[k] = 0.0
                for e in range(i64(first[c]), i64(first[c + 1])):
                    for k in range(columns):
                        here[k] += odds[at] * worth[target[e], k]
                    at += 1
                for k in range(columns):
                    here[k] = reward[law[c], k] + discount * here[k]
            if c == i64(row[v]):
                better = True
            elif columns > 1:
                better = here[who] > best[who]
            else:
                better = here[0] < best[0] if who == 1 else here[0] > best[0]
            if better:
                best[:] = here
        worth[v, :] = best
