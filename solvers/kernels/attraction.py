"""Retrograde analysis on the position graph: values and distances backwards from the ends.

The twin of `solvers.retrograde`, which explains it. For every payoff, best first, the set from which it can
be forced grows backwards over the reversed edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.kernels.graph import PositionGraph
from solvers.kernels.types import i64

TERMINAL = -2
NEVER = -1
"""The distance where play goes on for ever."""


def attract(graph: PositionGraph, endless: float) -> Any:
    """Fills `worth` and gives the distance of every position to the end, NEVER where there is none."""
    back_row, back = reversed_edges(graph.row, graph.target)
    ends = graph.mover == TERMINAL
    payoffs = np.unique(graph.worth[ends, 0])
    distance = np.full(len(graph), NEVER, np.int32)
    utility = graph.worth[:, 0].copy()
    graph.worth[:, 0] = endless
    graph.worth[ends, 0] = utility[ends]
    queue = np.empty(len(graph), np.uint32)
    degree = np.diff(graph.row).astype(np.uint32)
    for player, wanted in (
        (0, payoffs[payoffs > endless][::-1]),
        (1, payoffs[payoffs < endless]),
    ):
        escapes = degree.copy()
        for payoff in wanted:
            seeds = np.flatnonzero(ends & (utility == payoff)).astype(np.uint32)
            _attract(
                player,
                payoff,
                seeds,
                graph.mover,
                back_row,
                back,
                escapes,
                graph.worth[:, 0],
                distance,
                queue,
            )
    return distance


@njit(cache=True, nogil=True)
def reversed_edges(row: Any, target: Any) -> Any:
    """The positions that lead to each position, in compressed rows."""
    n = len(row) - 1
    start = np.zeros(n + 1, np.int64)
    for e in range(len(target)):
        start[target[e] + 1] += 1
    for v in range(n):
        start[v + 1] += start[v]
    at = start[:-1].copy()
    source = np.empty(len(target), np.uint32)
    for v in range(n):
        for e in range(i64(row[v]), i64(row[v + 1])):
            t = target[e]
            source[at[t]] = v
            at[t] += 1
    return start, source


@njit(cache=True, nogil=True)
def _attract(
    player: int,
    payoff: float,
    seeds: Any,
    mover: Any,
    back_row: Any,
    back: Any,
    escapes: Any,
    values: Any,
    distance: Any,
    queue: Any,
) -> None:
    head = tail = 0
    for v in seeds:
        distance[v] = 0
        queue[tail] = v
        tail += 1
    while head < tail:
        v = queue[head]
        head += 1
        for k in range(back_row[v], back_row[v + 1]):
            u = back[k]
            escapes[u] -= 1
            if distance[u] >= 0 or mover[u] == TERMINAL:
                continue
            if mover[u] == player or escapes[u] == 0:
                values[u] = payoff
                distance[u] = distance[v] + 1
                queue[tail] = u
                tail += 1
