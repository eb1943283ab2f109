"""Bounds of many positions that depend on each other, swept in blocks at the same time.

A large component is cut into as many blocks as threads can run, along the order of its sweep: cut that way, a
sweep remains nearly one-directional within a block, where blocks by hash would make every other step wait for
the next sweep. A block owns its positions and holds a copy of the numbers of all others. In a sweep it
updates its own and posts them; before the next one it reads what the others have posted. The numbers
therefore do not depend on how threads are scheduled, and whether they are bounds is tested as for small
components (bellman.py).

Between two sweeps the clock and the keyboard are looked at, and where the computation stands may be saved.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from solvers.whole.kernels import bellman
from solvers.whole.kernels.position_graph import PositionGraph

Look = Callable[["Standing"], None]
"""Called every third sweep; may raise."""


@dataclass
class Standing:
    """How far a component is: what, beside its numbers, is needed to go on with it."""

    component: int
    eta: float
    attempt: int = 0
    side: int = 1  # 1: the upper bounds are being settled, -1: the lower ones
    sweep: int = 0
    smallest: float = inf  # the smallest change of a sweep
    since: int = 0  # sweeps since then
    updates: int = 0

    def as_data(self) -> dict[str, Any]:
        return asdict(self)

    def turn_to(self, side: int) -> None:
        self.side, self.sweep, self.smallest, self.since = side, 0, inf, 0


class Blocks(ABC):
    """Positions 0 .. size - 1 in blocks; behind them in `low` and `high` are exits, whose bounds are known.

    `most` is the largest number of roundings in an update, `each` does something for every block.
    """

    def __init__(
        self,
        size: int,
        low: Any,
        high: Any,
        blocks: list[tuple[int, int]],
        most: int,
        each: Callable[..., None],
    ):
        self.low, self.high = low, high
        self._size, self._blocks, self._most, self._each = size, blocks, most, each
        self._steps = np.zeros(size)

    @abstractmethod
    def sweep(self, block: int, values: Any, extra: float, steps: Any) -> tuple[float, float, float]:
        """bellman.sweep of a block."""

    @abstractmethod
    def passes(self, block: int, values: Any, side: float) -> bool:
        """bellman.passes of a block."""

    def solve(self, share: float, sweeps: int, look: Look, standing: Standing) -> bool:
        """Bounds at most `share` further apart than those of the exits, or as rounding allows; whether that
        succeeded. `high` holds first guesses, or all numbers are as they were at the given standing.
        """
        size, low, high = self._size, self.low, self.high
        outside = float(bellman.measure(len(low) - size, low[size:], high[size:])[0])
        while standing.attempt < bellman.ATTEMPTS:
            if standing.side == 1:
                if not self._settle(high, standing, sweeps, look):
                    return False
                if standing.attempt == 0:
                    low[:size] = high[:size] - outside
                standing.turn_to(-1)
            if not self._settle(low, standing, sweeps, look):
                return False
            sound = self._passes(high, 1.0) and self._passes(low, -1.0)
            gap, scale = bellman.measure(size, low, high)
            verdict, eta = bellman.judge(sound, gap, outside + share, scale, self._most, standing.eta)
            if verdict != bellman.ONCE_MORE:
                return bool(verdict == bellman.GOOD)
            standing.attempt += 1
            standing.eta = float(eta)
            standing.turn_to(1)
        return False

    def _settle(self, values: Any, standing: Standing, sweeps: int, look: Look) -> bool:
        """Sweeps until hardly anything changes; whether that happens. The twin of bellman._settle."""
        size, blocks, steps = self._size, self._blocks, self._steps
        count = len(blocks)
        copies = [values, *(values.copy() for _ in blocks[1:])]
        boards = np.empty((2, size if count > 1 else 0))  # news of this sweep and of the one before, in turn
        extra = standing.side * standing.eta
        found = [(0.0, 0.0, 0.0)] * count
        news: Any = None  # the board with what copies do not have yet
        factor = 0.0

        def receive(b: int) -> None:
            if news is not None:
                for other, (lo, hi) in enumerate(blocks):
                    if other != b:
                        copies[b][lo:hi] = news[lo:hi]

        def update(b: int) -> None:
            lo, hi = blocks[b]
            receive(b)
            found[b] = self.sweep(b, copies[b], extra, steps)
            if count > 1:
                boards[standing.sweep % 2, lo:hi] = copies[b][lo:hi]

        def carry_on(b: int) -> None:
            receive(b)
            if factor:
                bellman.carry_on(size, copies[b], factor, steps)

        settled = False
        while standing.sweep < sweeps and standing.since <= bellman.STALLED:
            turn = standing.sweep % 3
            if turn == 0:
                look(standing)
            self._each(update, count)
            news = boards[standing.sweep % 2] if count > 1 else None
            standing.sweep += 1
            standing.updates += size
            change = float(max(f[0] for f in found))
            settled = change <= standing.eta / 4
            if settled:
                break
            if turn == 2:
                factor = bellman.leap(turn, sum(f[1] for f in found), sum(f[2] for f in found))
                self._each(carry_on, count)
                news = None
            if change < bellman.SHRINKING * standing.smallest:
                standing.smallest, standing.since = change, 0
            else:
                standing.since += 1
        receive(0)
        return settled

    def _passes(self, values: Any, side: float) -> bool:
        passed = [False] * len(self._blocks)

        def test(b: int) -> None:
            passed[b] = self.passes(b, values, side)

        self._each(test, len(self._blocks))
        return all(passed)


class ComponentBlocks(Blocks):
    """A component, cut out of its graph and into blocks along the order of its sweep."""

    def __init__(self, graph: PositionGraph, nodes: Any, low: Any, high: Any, local: Any, discount: float):
        own, exits, most = bellman.cut_out(nodes, local, graph.arrays)
        self._equations = bellman.Equations(own, graph.paid, discount)
        low, high = (bellman.numbers_of(nodes, exits, values) for values in (low, high))
        cuts = np.linspace(0, len(nodes), graph.space.size + 1).astype(np.int64).tolist()
        super().__init__(len(nodes), low, high, list(pairwise(cuts)), most, graph.space.each)

    def sweep(self, block: int, values: Any, extra: float, steps: Any) -> tuple[float, float, float]:
        found: tuple[float, float, float] = bellman.sweep(
            *self._blocks[block], values, self._equations, extra, steps
        )
        return found

    def passes(self, block: int, values: Any, side: float) -> bool:
        return bool(bellman.passes(*self._blocks[block], values, self._equations, side))
