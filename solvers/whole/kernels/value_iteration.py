"""Value iteration over a position graph: proven bounds, component by component, on all threads.

Components of one level do not lead to each other (components.levels), so that they are solved at the same
time, shared out in chunks; a large component is solved by all threads together (blocks.py). What comes out
depends on neither. Between rounds the clock and the keyboard are looked at, and checkpoints are left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from gdl.game import Game, Number
from gdl.movers import TERMINAL
from solvers.whole.kernels import bellman
from solvers.whole.kernels.backward_induction import induce
from solvers.whole.kernels.blocks import Blocks, ComponentBlocks, Standing
from solvers.whole.kernels.checkpoint import Checkpoint
from solvers.whole.kernels.end_components import SMALL, Hard, rounded_discount
from solvers.whole.kernels.position_graph import PositionGraph
from solvers.whole.kernels.strong_components import condense, stages

Report = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done."""

QUOTA = 2_000_000
"""Updates of a chunk between two looks."""

NARROW = 2_000
"""A level with fewer positions is not shared out."""

CHUNKS = 4
"""Chunks of a level per thread: components take different times."""

LARGE = 200_000
"""A component with more positions is solved by all threads together."""

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
    endless: Number,
    precision: float,
    *,
    anything: tuple[float, float] = (-np.inf, np.inf),
    deadline: float | None = None,
    report: Report | None = None,
    checkpoint: Checkpoint | None = None,
) -> Bounds:
    """Bounds at most `precision` apart, as far as floats allow; no value lies outside `anything`.

    Raises Infinite where some positions are worth less or more than any number.
    """
    return _Run(game, graph, endless, precision, anything, deadline, report, checkpoint).bounds()


class _OutOfTime(Exception):
    pass


class _Run:
    """One computation of bounds.

    The components are taken stage by stage. In a stage each chunk goes through its components on its own;
    `self.at[k]` is where chunk k stands, `self.ends[k]` where it ends.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        graph: PositionGraph,
        endless: Number,
        precision: float,
        anything: tuple[float, float],
        deadline: float | None,
        report: Report | None,
        checkpoint: Checkpoint | None,
    ):
        self.game, self.graph, self.endless, self.anything = game, graph, endless, anything
        self.deadline, self.report, self.checkpoint = deadline, report, checkpoint
        self.threads = graph.space.size
        self.discount = rounded_discount(game.traits.discount)
        self.equations = bellman.Equations(graph.arrays, graph.paid, self.discount)
        self.parts = condense(graph.row, graph.first, graph.target)
        self.order, self.start, self.total = self.parts.order, self.parts.start, len(self.parts)
        self.share = precision / (2 * max(1, self.parts.longest))
        self.which = np.empty(0, np.uint32)
        self.stages = [(0, self.total, False)]
        if self.threads > 1:
            self.which = self.parts.which
            begin, wide = stages(self.which, self.parts.level_start, self.start, NARROW)
            ends = [*begin[1:].tolist(), self.total]
            self.stages = list(zip(begin.tolist(), ends, wide.tolist(), strict=True))
        whole = game.traits.whole
        self.low, self.high = _rounded_utilities(graph, -1, whole), _rounded_utilities(graph, 1, whole)
        # For bellman.cut_out, one for each thread: in a common one they would wait for each other's caches.
        self.local = [np.full(len(graph), -1, np.int32) for _ in range(self.threads)]
        self.stage = 0
        self.at: list[int] = []
        self.ends: list[int] = []
        self.standing: Standing | None = None
        self.tally = np.zeros((CHUNKS * self.threads, 1), np.int64)
        self.updates = self.hard = 0

    def bounds(self) -> Bounds:
        if not self.parts.cyclic:  # nothing to iterate: one pass leaves but the rounding of floats
            low, high = induce(self.graph, self.parts, float(self.game.traits.discount))
            return Bounds(low[:, 0], high[:, 0], self.total, 0, 0, len(low), 0, False)
        self._resume()
        partial = False
        try:
            while self.stage < len(self.stages):
                self._solve_stage()
                self.stage += 1
                self.at = []
        except _OutOfTime:
            left = self._unsolved()
            self.low[left], self.high[left] = self.anything
            partial = True
        lowest, highest = self.anything
        return Bounds(
            np.maximum(self.low, lowest),
            np.minimum(self.high, highest),
            self.total,
            self.parts.cyclic,
            self.parts.largest,
            self.updates + int(self.tally.sum()),
            self.hard,
            partial,
        )

    def _solve_stage(self) -> None:
        self.ends = self._chunks()
        if not self.at:
            self.at = [self.stages[self.stage][0], *self.ends[:-1]]
        room = [np.empty(max(1, min(self.parts.largest, LARGE))) for _ in self.at]
        status = [bellman.PAUSED] * len(self.at)
        components = bellman.Components(self.order, self.start, self.which)
        sweeps = FEW_SWEEPS if self.parts.largest <= SMALL else MOST_SWEEPS
        aim = bellman.Aim(self.share, float(self.endless), sweeps)

        def work(k: int) -> None:
            if status[k] == bellman.FINISHED:
                return
            local = self.local.pop()
            status[k], self.at[k] = bellman.iterate(
                components,
                self.at[k],
                self.ends[k],
                QUOTA,
                self.low,
                self.high,
                self.equations,
                aim,
                bellman.Room(local, room[k], self.tally[k]),
            )
            self.local.append(local)

        while any(s != bellman.FINISHED for s in status):
            self.graph.space.each(work, len(self.at))
            for k, why in enumerate(status):
                if why in (bellman.HARD, bellman.LARGE):
                    component = int(self.which[self.at[k]]) if len(self.which) else self.at[k]
                    self._solve_alone(component, why == bellman.LARGE)
                    self.at[k] += 1
            if any(s != bellman.FINISHED for s in status):
                self._look()
        if self.report is not None:
            done = self.stages[self.stage][1]
            self.report("bounding", done / max(1, self.total))

    def _chunks(self) -> list[int]:
        """Where the chunks of the stage end: about equally many positions in each."""
        first, last, wide = self.stages[self.stage]
        if not wide:
            return [last]
        which = self.which[first:last].astype(np.int64)
        sizes = np.cumsum(self.start[which + 1].astype(np.int64) - self.start[which])
        parts = min(CHUNKS * self.threads, last - first)
        cuts = np.searchsorted(sizes, np.arange(1, parts) * (sizes[-1] / parts), side="left") + 1
        return [*(first + cuts).tolist(), last]

    def _solve_alone(self, component: int, large: bool) -> None:
        """A component that is large, or that simple iteration does not bring to an end."""
        nodes = self.order[int(self.start[component]) : int(self.start[component + 1])]
        if large and self._solve_in_blocks(component, nodes):
            return
        known = (self.low, self.high)
        Hard(self.game, self.graph, nodes, *known, self.endless, self.anything, self._look).solve(self.share)
        self.hard += 1

    def _solve_in_blocks(self, component: int, nodes: Any) -> bool:
        standing = self.standing
        if standing is None or standing.component != component:
            standing = Standing(component, self.share / 8)
            self.high[nodes] = float(self.endless)
        blocks = ComponentBlocks(self.graph, nodes, self.low, self.high, self.local[0], self.discount)

        def look(standing: Standing) -> None:
            self._look(standing, blocks, nodes)

        good = blocks.solve(self.share, MOST_SWEEPS, look, standing)
        self.updates += standing.updates
        if good:
            self.low[nodes], self.high[nodes] = blocks.low[: len(nodes)], blocks.high[: len(nodes)]
        return good

    # ------------------------------------------------------------------- clock, keyboard, checkpoints

    def _look(
        self, standing: Standing | None = None, blocks: Blocks | None = None, nodes: Any = None
    ) -> None:
        if self.report is not None:
            self.report("bounding", sum(self.at) / len(self.at) / max(1, self.total))
        if self.checkpoint is not None and self.checkpoint.due():
            if blocks is not None:
                self.low[nodes], self.high[nodes] = blocks.low[: len(nodes)], blocks.high[: len(nodes)]
            step = {"stage": self.stage, "at": self.at, "standing": standing and standing.as_data()}
            arrays = {"low": self.low, "high": self.high}
            self.checkpoint.save_bounds(self.graph.space, "value_iteration", step, arrays)
        if self.deadline is not None and perf_counter() > self.deadline:
            raise _OutOfTime

    def _resume(self) -> None:
        if self.checkpoint is None:
            return
        earlier = self.checkpoint.load_bounds(self.graph.space, "value_iteration")
        if earlier is None or len(earlier[1]["low"]) != len(self.graph):
            return
        step, arrays = earlier
        self.low, self.high = arrays["low"], arrays["high"]
        self.stage, self.at = step["stage"], step["at"]
        self.standing = None if step["standing"] is None else Standing(**step["standing"])

    def _unsolved(self) -> Any:
        """The positions of components whose turn has not come."""
        left = np.zeros(self.total, np.bool_)
        _, last, _ = self.stages[self.stage]
        for lo, hi in [*zip(self.at, self.ends, strict=True), (last, self.total)]:
            left[self.which[lo:hi] if len(self.which) else slice(lo, hi)] = True
        nodes = self.order[np.repeat(left, np.diff(self.start.astype(np.int64)))]
        return nodes[self.graph.mover[nodes] != TERMINAL]


def _rounded_utilities(graph: PositionGraph, side: int, whole: bool) -> Any:
    """Utilities of finished games, rounded outwards; 0 elsewhere."""
    return bellman.outwards(np.where(graph.mover == TERMINAL, graph.worth[:, 0], 0.0), side, whole)
