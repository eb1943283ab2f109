"""Running a kernel in portions, so that budgets are kept and Ctrl-C is heard; compiling it once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from solvers.core.budget import Budget

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


def ready(kernel: Any, warm_up: Callable[[], Any], budget: Budget) -> None:
    """Makes sure that a kernel is compiled, while the clock waits; says so when that takes a while.

    `warm_up` calls it with nothing to do. Compiled kernels are kept on disk: later starts only load them.
    What is kept is out of date once any module changes whose functions the kernel uses; numba itself looks
    only at the module of the kernel.
    """
    name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}"
    if name in _ready:
        return
    with budget.paused():
        if _kept(kernel):
            warm_up()
        else:
            with _alone(kernel):  # another process may just be compiling it
                if not _kept(kernel):
                    sys.stderr.write(f"compiling {name}, once per machine …\n")
                    sys.stderr.flush()
                warm_up()
    _ready.add(name)


@contextmanager
def _alone(kernel: Any) -> Iterator[None]:
    """Waits until no other process compiles the kernel, where the system has locks for that."""
    index = _index(kernel)
    try:
        import fcntl
    except ImportError:
        index = None
    if index is None or not index.parent.is_dir():
        yield
        return
    with index.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _kept(kernel: Any) -> bool:
    """Whether numba has this kernel on disk. What it has of an older text of the kernel is removed."""
    index = _index(kernel)
    if index is None or not index.exists():
        return False
    modules: set[str] = set()
    _add_modules(kernel.py_func.__module__, modules)
    files = (sys.modules[module].__file__ for module in modules)
    if all(Path(file).stat().st_mtime <= index.stat().st_mtime for file in files if file):
        return True
    index.unlink(missing_ok=True)
    return False


def _add_modules(module: str, found: set[str]) -> None:
    """Adds a module of kernels, and those from which it takes functions."""
    found.add(module)
    for item in vars(sys.modules[module]).values():
        source = getattr(item, "__module__", None)
        if isinstance(source, str) and source.startswith("solvers.kernels.") and source not in found:
            _add_modules(source, found)


def _index(kernel: Any) -> Path | None:
    """The file in which numba lists what it has compiled of a kernel."""
    files = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    path = getattr(files, "_index_path", None)
    return None if path is None else Path(path)
