"""What the kernels for two opposed players share: the root, budgets, room, and the answer.

The root is the textbook's (solvers/alphabeta.py): every move that ties for best is found. What a kernel
proves on the way, bounds of the true value whatever the judged leaves say, is told beside the estimate.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from math import inf
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gdl.game import Game
from solvers.alphabeta import AlphaBeta, Window
from solvers.budget import Budget
from solvers.evaluation import Described
from solvers.kernels.calls import pointers
from solvers.kernels.entries import ENDLESS, shift_of, table_of
from solvers.kernels.fault import KernelFault
from solvers.kernels.pace import Pace, ready
from solvers.kernels.rules import MIDDLE, Machine, enlarged, scratch
from solvers.result import Result, Value
from solvers.search import Backup, Line, RootAnswer, RootMove

_SMALL_TABLE = 1 << 14
"""Entries of the table at first: a short search would take longer to clear a large one than to think."""

TABLE_SIZE = 1 << 22
"""Entries, of 16 bytes; memory is used as they are filled."""


class Found(NamedTuple):
    """What a search came to, for the first player: the value, and between which numbers it surely lies."""

    value: float
    low: float
    high: float
    likeliest: float = 1  # the probability of the outcome that a line follows


class KernelDuel(AlphaBeta):
    """The textbook's root over a kernel: a module with `search` and `begin`, and that of their frames."""

    kernel: Any
    frames: Any
    prunes: ClassVar[bool] = True  # whether a move's value may be a bound only

    def __init__(
        self,
        game: Game[Any, Any],
        budget: Budget,
        leaf: Described | None = None,
        table: int = TABLE_SIZE,
    ):
        super().__init__(game, budget, leaf, 0)
        self.floor, self.ceiling = float(self.floor), float(self.ceiling)
        self.machine = Machine(game, leaf)
        self.numbers = pointers(self.machine.numbers)
        self.table_size = table
        self.entries = table_of(min(table, _SMALL_TABLE))
        self.table_at = self.entries.ctypes.data if table else 0
        self.shift = shift_of(self.entries)
        self.stack = self.frames.stack_of(256)
        self.pool = self.frames.pool_of(self.machine.rules, 1 << 13)
        self.room = scratch(self.machine.rules, 0)
        self.stop = np.zeros(1, np.uint8)
        self.options: Any = None
        self.proven: dict[Any, tuple[float, float]] = {}  # per root position
        self.order: dict[Any, list[Any]] = {}  # of the moves of a root, the best of the last search first
        self.last: dict[Any, float] = {}  # the value of a root in the last search

    def warm_up(self) -> None:
        """Compiles the kernel, once per machine; the clock waits."""
        ready(self.kernel.search, lambda: self._run(0), self.budget)

    # ------------------------------------------------------------------------- the root

    def _roots(self, starts: Any, depth: float, grace: bool = False) -> list[RootAnswer]:
        """Searches with a table that suits the work: sixteen entries for each node so far, and all that are
        allowed where nothing tells how much there will be to do."""
        deepening = depth < 3 or (depth < inf and self.budget.nodes > 0)
        wanted = min(self.table_size, 16 * self.budget.nodes if deepening else self.table_size)
        if wanted >= len(self.entries):  # of two words each: the table would at least double
            self.entries = table_of(wanted)
            self.table_at = self.entries.ctypes.data
            self.shift = shift_of(self.entries)
            self.options = self.options._replace(table=self.table_at, shift=self.shift)
        return super()._roots(starts, depth, grace)

    def root(self, position: Any, depth: float) -> RootAnswer:
        if (end := self.end(position, depth)) is not None:
            return RootAnswer(end)
        player = self.game.to_move(position)
        if player < 0:
            return self.chance_root(position, depth)
        found: dict[Any, RootMove] = {}
        bounds: list[tuple[float, float]] = []
        best: float | None = None
        for move in self.order.get(position, self.game.moves(position)):
            window = self.window_for_ties(player, best)
            result = self.guessed(position, move, depth, window) if best is None else None
            if result is None:
                result = self.searched(position, move, depth, window)
            settled = (
                not self.prunes
                or window.alpha < result.value < window.beta
                or result.value in (self.floor, self.ceiling)
                or result.low == result.high
            )
            line: Line = ((player, move, result.likeliest), None)
            found[move] = RootMove(move, Backup(result.value, line, result.low == result.high), settled)
            bounds.append((result.low, result.high))
            if best is None or self.better(player, result.value, best):
                best = result.value
        choose_from = max if player == 0 else min
        self.proven[position] = (choose_from(b[0] for b in bounds), choose_from(b[1] for b in bounds))
        moves = tuple(found[move] for move in self.game.moves(position))
        chosen = self.best_of(player, moves)
        self.last[position] = float(chosen.backup.value)
        self.order[position] = sorted(
            found, key=lambda move: (found[move].settled, found[move].backup.value), reverse=player == 0
        )
        self.order[position].remove(chosen.move)
        self.order[position].insert(0, chosen.move)
        low, high = self.proven[position]
        value = chosen.backup.value
        complete = all(move.backup.complete for move in moves) or low == high == value
        return RootAnswer(Backup(value, self.continued(position, chosen.backup.line), complete), moves)

    def guessed(self, position: Any, move: Any, depth: float, window: Window) -> Found | None:
        """The first move's value searched in a narrow window around the last one; None where that fails."""
        last = self.last.get(position)
        width = (self.ceiling - self.floor) / 32
        if last is None or self.machine.rules.judged_by == MIDDLE or width == inf:
            return None
        narrow = Window(max(window.alpha, last - width), min(window.beta, last + width))
        found = self.searched(position, move, depth, narrow)
        return found if narrow.alpha < found.value < narrow.beta or found.low == found.high else None

    @abstractmethod
    def searched(self, position: Any, move: Any, depth: float, window: Window) -> Found:
        """What a move of the root is worth within a window."""

    def chance_root(self, position: Any, depth: float) -> RootAnswer:
        """What a position is worth in which chance moves."""
        raise KernelFault

    # ------------------------------------------------------------------------ the kernel

    def run_kernel(self, position: Any, player: int, depth: float, window: Window) -> tuple[float, ...]:
        """Begins the search of a position and runs it in portions until it is done: value, low and high.

        Raises Spent where the budget ends it.
        """
        form = self.machine.form(position)
        ahead = ENDLESS if depth == inf else int(depth)
        begin = (form.ctypes.data, player, ahead, float(window.alpha), float(window.beta))
        self.kernel.begin(self.machine.rules, pointers(self.stack), pointers(self.pool), *begin)
        frames, budget, rules = self.frames, self.budget, self.machine.rules
        pace = Pace(budget, 4096)
        while True:
            before = int(self.stack.state[frames.NODES])
            portion = pace.portion()
            if budget.left is not None:
                portion = max(1, min(portion, budget.left + 1))
            reason = self._run(before + portion)
            budget.spend(int(self.stack.state[frames.NODES]) - before)
            if reason == frames.DONE:
                return tuple(self.stack.result.tolist())
            if reason == frames.MORE_MOVES:
                self.room = enlarged(self.room, rules, moves=4 * self.room.moves_room)
            elif reason == frames.STACK_FULL:
                self.stack = _copied(self.stack, frames.stack_of(2 * self.stack.plies))
            elif reason == frames.POOL_FULL:
                spare = self.room.moves_room + self.room.outcomes_room
                self.pool = _copied(self.pool, frames.pool_of(rules, 2 * self.pool.room + 4 * spare))
            elif reason == frames.REPEATED:
                raise self._endless(position, depth)
            elif reason == frames.FAULT:
                raise KernelFault
            elif reason != frames.PAUSED:
                self.room = enlarged(self.room, rules, outcomes=4 * self.room.outcomes_room)

    def _run(self, nodes: int) -> int:
        reason: int = self.kernel.search(
            self.machine.rules,
            self.numbers,
            self.options,
            pointers(self.stack),
            pointers(self.pool),
            pointers(self.room),
            nodes,
            self.stop.ctypes.data,
        )
        return reason

    # ------------------------------------------------------------------------ the answer

    def _result(self, starts: Any, answers: list[RootAnswer], how: str, partial: bool) -> Result:
        """The textbook's answer, with what is proven where the value itself is not."""
        result = super()._result(starts, answers, how, partial)
        if result.kind == "exact" or any(start.position not in self.proven for start in starts):
            return result
        low = high = number = 0.0
        for start, answer in zip(starts, answers, strict=True):
            reward = float(start.rewards[0]) if start.rewards else 0.0
            proven = self.proven[start.position]
            low += float(start.probability) * (reward + proven[0])
            high += float(start.probability) * (reward + proven[1])
            number += float(start.probability) * (reward + float(answer.backup.value))
        if not low > self.floor + 1e-9 * abs(low) and not high < self.ceiling - 1e-9 * abs(high):
            return result  # nothing is proven
        value = Value.exact(low) if low == high else Value(number, "bounded", low, high)
        return replace(result, values=(value, -value)[: len(result.values)])


def _copied(arrays: Any, larger: Any) -> Any:
    """The contents of a stack or a pool in a larger one."""
    for old, new in zip(arrays, larger, strict=True):
        if isinstance(old, np.ndarray):
            new[: len(old)] = old
    return larger
