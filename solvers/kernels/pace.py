"""Running a kernel in portions, so that budgets are kept and Ctrl-C is heard; compiling it once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from solvers.budget import Budget

LONGEST = 0.02
"""Seconds that a kernel may run before Python looks at the clock and at signals."""


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


_ready: set[str] = set()


def ready(kernel: Any, warm_up: Callable[[], Any]) -> None:
    """Makes sure that a kernel is compiled before the clock runs; says so when that takes a while.

    `warm_up` calls it with nothing to do. Compiled kernels are kept on disk: later starts only load them.
    """
    name = kernel.py_func.__name__
    if name in _ready:
        return
    if not _kept(kernel):
        sys.stderr.write(f"compiling the kernel of {_subject(kernel)}, once per machine …\n")
        sys.stderr.flush()
    warm_up()
    _ready.add(name)


def _subject(kernel: Any) -> str:
    return str(kernel.py_func.__module__).rpartition(".")[2]


def _kept(kernel: Any) -> bool:
    """Whether numba has this kernel on disk (an index of an older text of it does not count)."""
    cache = getattr(kernel, "_cache", None)
    files = getattr(cache, "_cache_file", None)
    path = getattr(files, "_index_path", None)
    if path is None or not Path(path).exists():
        return False
    stale = Path(kernel.py_func.__code__.co_filename).stat().st_mtime > Path(path).stat().st_mtime
    return not stale
