"""Running a kernel in portions, so that budgets are kept and Ctrl-C is heard."""

from __future__ import annotations

from time import perf_counter

from solvers.core.budget import Budget

LONGEST = 0.02
"""Seconds that a kernel may run before Python looks at the clock and at signals."""


PATIENCE, TOGETHER = 5_000_000, 64
"""Moves of simulated plays that were cut before later plays are cut sooner, found out after every so many
plays: by counts, not by time, so that a seed gives the same plays."""


class Pace:
    """How much work to give a kernel next: as much as fits before the clock must be read again."""

    def __init__(self, budget: Budget, first: int = 32):
        self.budget = budget
        self.amount = first
        self._since = perf_counter()

    def portion(self) -> int:
        """Called before each portion; looks at how long the last one took."""
        now = perf_counter()
        goal = LONGEST
        if self.budget.deadline is not None:
            goal = min(goal, max(0.0005, (self.budget.deadline - now) / 4))
        took = max(now - self._since, 1e-6)
        self.amount = max(1, min(int(self.amount * min(4.0, goal / took)), 1 << 30))
        self._since = now
        return self.amount

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return self.budget.deadline is not None and perf_counter() >= self.budget.deadline
