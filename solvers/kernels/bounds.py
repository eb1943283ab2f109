"""Value iteration over a position graph: the components in turn, with a look at clock and keyboard in
between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from gdl.game import TERMINAL, Game
from solvers.kernels import iteration
from solvers.kernels.bounding import SMALL, solve_hard
from solvers.kernels.checkpoint import Checkpoint
from solvers.kernels.components import count_cyclic, strong_components
from solvers.kernels.graph import PositionGraph

Report = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done."""

QUOTA = 4_000_000
"""Updates between two looks."""

MOST_SWEEPS = 20_000
FEW_SWEEPS = 300
"""Sweeps before a component is called hard; few for those that the textbook solver can take over."""


@dataclass
class Bounds:
    """Proven bounds of the value of every position, and what they cost."""

    low: Any
    high: Any
    components: int
    cyclic: int
    largest: int
    updates: int
    hard: int
    partial: bool  # time ran out; unsolved positions have the widest bounds

    @property
    def widest(self) -> float:
        return float((self.high - self.low).max())


def bound(
    game: Game[Any, Any],
    graph: PositionGraph,
    endless: float,
    precision: float,
    *,
    anything: tuple[float, float] = (-np.inf, np.inf),
    deadline: float | None = None,
    report: Report | None = None,
    checkpoint: Checkpoint | None = None,
) -> Bounds:
    """Bounds at most `precision` apart, as far as floats allow; `anything` bounds what time does not
    suffice for.
    """
    discount = float(game.traits.discount)
    order, start = strong_components(graph.row, graph.first, graph.target)
    cyclic, largest, longest = (
        int(x) for x in count_cyclic(graph.row, graph.first, graph.target, order, start)
    )
    share = precision / (2 * max(1, longest))
    low, high = _rounded_utilities(graph, -1), _rounded_utilities(graph, 1)
    inside = np.full(len(graph), -1, np.int32)
    tally = np.zeros(2, np.int64)
    steps = np.empty(max(1, largest))
    component, total, hard = 0, len(start) - 1, 0
    partial = False
    earlier = None if checkpoint is None else checkpoint.load_bounds(graph.space, "value_iteration")
    if earlier is not None and len(earlier[1]["low"]) == len(graph):
        component, low, high = earlier[0], earlier[1]["low"], earlier[1]["high"]
    while component < total:
        status, component = iteration.iterate(
            order,
            start,
            component,
            QUOTA,
            low,
            high,
            graph.arrays,
            graph.reward,
            discount,
            share,
            endless,
            inside,
            FEW_SWEEPS if largest <= SMALL else MOST_SWEEPS,
            steps,
            tally,
        )
        if status == iteration.HARD:
            solve_hard(game, graph, order[start[component] : start[component + 1]], low, high, share, endless)
            hard += 1
            component += 1
        if report is not None:
            report("bounding", float(start[component]) / max(1, len(graph)))
        if checkpoint is not None and checkpoint.due():
            checkpoint.save_bounds(graph.space, "value_iteration", component, {"low": low, "high": high})
        if deadline is not None and perf_counter() > deadline and component < total:
            left = order[start[component] :]
            left = left[graph.mover[left] != TERMINAL]
            low[left], high[left] = anything
            partial = True
            break
    return Bounds(low, high, total, cyclic, largest, int(tally[0]), hard, partial)


def _rounded_utilities(graph: PositionGraph, side: int) -> Any:
    """Utilities of finished games, rounded outwards where they are no whole numbers; 0 elsewhere."""
    worth = graph.worth[:, 0].copy()
    worth[graph.mover != TERMINAL] = 0.0
    fractional = worth != np.rint(worth)
    worth[fractional] = np.nextafter(worth[fractional], side * np.inf)
    return worth
