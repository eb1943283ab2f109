"""What a search really did: every position and move that it looked at, in its order, with windows and values.

A `Record` is given to a textbook search as its `observer`. It puts itself around the steps of that one object
(its `value`, `search`, `move_value` ..), which call each other by name: so it sees the search that runs, not
a copy of it, and a search that nobody watches is not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from solvers.core.root_search import Backup, RootAnswer
from solvers.core.trampoline import Call
from solvers.core.windows import Window
from solvers.search.alphabeta import AlphaBeta
from solvers.search.star1 import Possible
from solvers.search.tree_search import TreeSearch


@dataclass(slots=True, eq=False)
class Visit:
    """One look of a search: at a position, at a move in it, or (Star2) at a probe of one.

    `inner` are the looks that it took in turn. A look that was given up in the middle has no backup.
    """

    position: Any
    number: int  # positions are counted from 1 in the order in which they were entered
    move: Any = None
    of_move: bool = False
    probe: bool = False
    depth: float = 0  # how much of it is left
    window: Window | None = None
    inner: list[Visit] = field(default_factory=list)
    backup: Backup | None = None
    possible: tuple[Possible, ...] = ()  # Star1 and Star2: the bounds with which chance was searched
    moves: RootAnswer | None = None  # of the root: what its moves are worth
    size: int = 1  # positions entered, this one and all below


class Record:
    """The looks of one search, told as it runs. `roots` has one look for every start of the game, of the last
    search that was finished where a search deepens.

    `enough(count)` is called for every position that is entered and may raise, to end the search.
    """

    def __init__(self, enough: Callable[[int], None] | None = None):
        self.roots: dict[Any, Visit] = {}
        self.search: TreeSearch | None = None
        self.entered = 0
        self.enough = enough
        self._open: list[Visit] = []

    def __call__(self, search: TreeSearch) -> None:
        self.search = search
        step = "search" if hasattr(search, "search") else "value"
        for name, around in (
            ("root", self._around_root),
            (step, self._around_position),
            ("move_value", self._around_move),
            ("move_search", self._around_move),
            ("expectation_within", self._around_expectation),
            ("probed", self._around_probe),
        ):
            if hasattr(search, name):
                setattr(search, name, wraps(getattr(search, name))(around(getattr(search, name))))

    @contextmanager
    def _looking(self, visit: Visit) -> Iterator[None]:
        if self._open:
            self._open[-1].inner.append(visit)
        self._open.append(visit)
        try:
            yield
        finally:
            self._open.pop()
            if self._open:
                self._open[-1].size += visit.size

    def _counted(self) -> int:
        self.entered += 1
        if self.enough is not None:
            self.enough(self.entered)
        return self.entered

    # ------------------------------------------------------------ around the steps of searches

    def _around_root(self, root: Callable[[Any, float], RootAnswer]) -> Callable[[Any, float], RootAnswer]:
        def watched(position: Any, depth: float) -> RootAnswer:
            if position == next(iter(self.roots), None):
                self.entered = 0  # a deeper search begins
            visit = Visit(position, self._counted(), depth=depth)
            if isinstance(self.search, AlphaBeta):
                visit.window = Window(self.search.floor, self.search.ceiling)
            with self._looking(visit):
                visit.moves = root(position, depth)
                visit.backup = visit.moves.backup
            if len(visit.inner) == 1 and not visit.inner[0].of_move:  # nobody chooses at the root
                visit = visit.inner[0]
            self.roots[position] = visit
            return RootAnswer(*visit.moves) if visit.moves else RootAnswer(_known(visit))

        return watched

    def _around_position(self, step: Callable[..., Call[Backup]]) -> Callable[..., Call[Backup]]:
        def watched(position: Any, depth: float, window: Window | None = None, *more: Any) -> Call[Backup]:
            at_root = len(self._open) == 1 and self._open[0].position == position
            number = self._open[0].number if at_root else self._counted()
            visit = Visit(position, number, window=window, depth=depth)
            with self._looking(visit):
                visit.backup = yield step(position, depth, *((window, *more) if window is not None else ()))
            return _known(visit)

        return watched

    def _around_move(self, step: Callable[..., Call[Backup]]) -> Callable[..., Call[Backup]]:
        def watched(
            position: Any, move: Any, depth: float, window: Window | None = None, *more: Any
        ) -> Call[Backup]:
            visit = Visit(position, self.entered, move, of_move=True, depth=depth, window=window, size=0)
            with self._looking(visit):
                visit.backup = yield step(
                    position, move, depth, *((window, *more) if window is not None else ())
                )
            return _known(visit)

        return watched

    def _around_expectation(self, step: Callable[..., Call[Backup]]) -> Callable[..., Call[Backup]]:
        def watched(possible: list[Possible], *more: Any) -> Call[Backup]:
            self._open[-1].possible = tuple(possible)
            return step(possible, *more)

        return watched

    def _around_probe(self, step: Callable[..., Call[Possible]]) -> Callable[..., Call[Possible]]:
        def watched(possible: Possible, *more: Any) -> Call[Possible]:
            visit = Visit(possible.outcome.position, self.entered, probe=True, size=0)
            with self._looking(visit):
                found: Possible = yield step(possible, *more)
            return found

        return watched


def _known(visit: Visit) -> Backup:
    assert visit.backup is not None
    return visit.backup
