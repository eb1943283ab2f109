"""Which choices tie for best, for all positions of a solved graph at once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from gdl.game import Number
from solvers.machine.kernels import kernel
from solvers.machine.types import i64
from solvers.whole.kernels.backward_induction import ExactWorth, enclosed
from solvers.whole.kernels.position_graph import PositionGraph


def best_choices(
    graph: PositionGraph,
    low: Any,
    high: Any,
    discount: Fraction,
    proven: Sequence[tuple[Number, ...]] | None = None,
) -> Any:
    """For every choice whether it is not known to be worse than another one of its position; with exact
    values, whether it is best.
    """
    best = _mark(graph.arrays, graph.reward, graph.reward_error, low, high, float(discount))
    if proven is not None:
        worth = ExactWorth(graph, discount, proven)
        columns = low.shape[1]
        start = graph.row.astype(np.int64)
        for v in np.flatnonzero((graph.mover >= 0) & (np.diff(np.append(0, np.cumsum(best))[start]) > 1)):
            who = int(graph.mover[v])
            left = np.arange(start[v], start[v + 1])[best[start[v] : start[v + 1]]]
            worths = [worth(int(c))[who if columns > 1 else 0] for c in left]
            most = min(worths) if columns == 1 and who == 1 else max(worths)
            best[left] = [x == most for x in worths]
    return best


@kernel
def _mark(graph: Any, reward: Any, reward_error: Any, low: Any, high: Any, discount: float) -> Any:
    mover, row, _first, _law, _target, _law_start, _odds = graph
    best = np.zeros(i64(row[len(mover)]), np.bool_)
    columns = low.shape[1]
    room = 1
    for v in range(len(mover)):
        room = max(room, i64(row[v + 1]) - i64(row[v]))
    highs = np.empty(room)
    for v in range(len(mover)):
        who = mover[v]
        if who < 0:
            continue
        column = who if columns > 1 else 0
        opposed = columns == 1 and who == 1
        start, end = i64(row[v]), i64(row[v + 1])
        at_least = -np.inf
        for c in range(start, end):
            least, most = enclosed(c, column, graph, reward, reward_error, low, high, discount)
            if opposed:
                least, most = -most, -least
            highs[c - start] = most
            at_least = max(at_least, least)
        for c in range(start, end):
            best[c] = highs[c - start] >= at_least
    return best
