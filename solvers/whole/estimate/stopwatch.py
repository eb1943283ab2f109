"""Keeping sampling to its time, however long a game takes to expand a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import thread_time
from typing import Any

from solvers.whole.kernels.space import BATCH, Batch, Space

Report = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done."""

PIECE = 0.1
"""Seconds of work between two looks at the clock, about."""

TIMED = 64
"""Positions of a piece that says something about speed; the first may load machine code."""


class Stopwatch:
    """Expands positions in pieces that take a moment each, until time is over.

    What counts is this thread's own time, so that a busy machine gives the same answers.
    """

    def __init__(self, seconds: float, report: Report | None = None):
        self._began = thread_time()
        self._seconds = seconds
        self._report = report
        self._piece = 1
        self._edges = 0
        self._worked = 0.0

    @property
    def elapsed(self) -> float:
        """The share of the time that has gone."""
        return (thread_time() - self._began) / self._seconds

    @property
    def over(self) -> bool:
        return self.elapsed >= 1

    @property
    def speed(self) -> float:
        """Edges that were followed in a second of expanding; 0 where nothing was measured."""
        return self._edges / self._worked if self._worked > 0 else 0.0

    def expansions(self, space: Space, keys: Any, first: int = 0) -> Iterator[Batch]:
        """The batches of the positions with the given keys, from `first` on, while there is time; each is
        valid until the next.
        """
        at = first
        while at < len(keys) and not self.over:
            started = thread_time()
            space.expand(0, at, min(len(keys), at + self._piece), keys)
            batch = space.batches[0]
            at += batch.positions
            spent = thread_time() - started
            if batch.positions >= TIMED:
                self._worked += spent
                self._edges += batch.edges
            if spent < PIECE / 2 and batch.positions == self._piece:
                self._piece = min(BATCH, 2 * self._piece)
            elif spent > 2 * PIECE:
                self._piece = max(1, self._piece // 4)
            if self._report is not None:
                self._report("estimating the size", min(1.0, self.elapsed))
            yield batch
