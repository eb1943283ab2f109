"""Which choices tie for best, for all positions of a solved graph at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.kernels.graph import PositionGraph
from solvers.kernels.types import i64

TIE = 1e-9
"""Values that differ by less than this share of their size count as the same, as in solvers.result.tie."""


def best_choices(graph: PositionGraph, low: Any, high: Any, discount: float) -> Any:
    """For every choice whether it is not known to be worse than another one of its position."""
    return _mark(graph.arrays, graph.reward, low, high, discount)


@njit(cache=True, nogil=True)
def _mark(graph: Any, reward: Any, low: Any, high: Any, discount: float) -> Any:
    mover, row, first, law, target, law_start, odds = graph
    best = np.zeros(i64(row[len(mover)]), np.bool_)
    columns = low.shape[1]
    most = 0
    for v in range(len(mover)):
        most = max(most, i64(row[v + 1]) - i64(row[v]))
    lows, highs = np.empty(most), np.empty(most)
    for v in range(len(mover)):
        who = mover[v]
        if who < 0:
            continue
        column = who if columns > 1 else 0
        sign = -1.0 if columns == 1 and who == 1 else 1.0
        start, end = i64(row[v]), i64(row[v + 1])
        at_least = -np.inf
        for c in range(start, end):
            least = most_ = 0.0
            if len(first) == 0:
                least, most_ = low[target[c], column], high[target[c], column]
            else:
                at = law_start[law[c]]
                for e in range(i64(first[c]), i64(first[c + 1])):
                    least += odds[at] * low[target[e], column]
                    most_ += odds[at] * high[target[e], column]
                    at += 1
            paid = reward[law[c], column] if len(first) else 0.0
            least, most_ = sign * (paid + discount * least), sign * (paid + discount * most_)
            lows[c - start], highs[c - start] = min(least, most_), max(least, most_)
            at_least = max(at_least, lows[c - start])
        for c in range(start, end):
            slack = TIE * max(1.0, max(abs(highs[c - start]), abs(at_least)))
            best[c] = highs[c - start] >= at_least - slack
    return best
