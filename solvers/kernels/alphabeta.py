"""Alpha-beta on machine code: the fast twin of solvers/alphabeta.py. The kernel is in negamax.py.

The root is the textbook's: every move that ties for best is found. What the kernel proves on the way, bounds
of the true value whatever the judged leaves say, is told beside the estimate.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from gdl.game import CHANCE, TERMINAL, Game
from solvers.alphabeta import AlphaBeta, Window
from solvers.budget import Budget
from solvers.evaluation import Described
from solvers.kernels import negamax
from solvers.kernels.calls import pointers
from solvers.kernels.entries import EXACT, NO_MOVE, bound_in, move_in, probe, table_of
from solvers.kernels.fault import KernelFault
from solvers.kernels.pace import Pace, ready
from solvers.kernels.rules import MIDDLE, Machine, enlarged, hash_form, scratch
from solvers.refusal import bad_option, cannot_go_on
from solvers.result import Result, Value
from solvers.search import Backup, Line, RootAnswer, RootMove
from solvers.table import choose

TABLE_SIZE = 1 << 22
"""Entries, of 16 bytes; memory is used as they are filled."""

_HOW = "alpha-beta with a transposition table"


def alphabeta(
    game: Game[Any, Any],
    at: Any = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Described | None = None,
    table: int = TABLE_SIZE,
    beam: int = 0,
) -> Result:
    """The value of a game without chance and all its best moves; moves that are worse stay unsettled.

    With a beam only so many moves are searched in each position, the most promising by evaluation: then the
    answer is heuristic, and nothing above it is proven.
    """
    return KernelAlphaBeta(game, Budget(nodes, time), leaf, table, beam).solve(at, depth, _HOW, deepen=True)


class Found(NamedTuple):
    """What a search came to, for the first player: the value, and between which numbers it surely lies."""

    value: float
    low: float
    high: float


class KernelAlphaBeta(AlphaBeta):
    """The textbook's root over the kernel's search."""

    def __init__(
        self,
        game: Game[Any, Any],
        budget: Budget,
        leaf: Described | None = None,
        table: int = TABLE_SIZE,
        beam: int = 0,
    ):
        super().__init__(game, budget, leaf, 0)
        self.floor, self.ceiling = float(self.floor), float(self.ceiling)
        self.machine = Machine(game, leaf)
        if beam and self.machine.rules.judged_by == MIDDLE:
            raise bad_option(
                f"a beam keeps the moves of the best evaluation, and {game.name} has none",
                "Give leaf=weights(..), or leave the beam out.",
            )
        self.numbers = pointers(self.machine.numbers)
        self.entries = table_of(table)
        buckets = len(self.entries) // 8
        self.options = negamax.Options(
            table=self.entries.ctypes.data if table else 0,
            shift=65 - buckets.bit_length(),
            beam=beam,
            evaluate_from=3,
            repeats=int(not game.traits.acyclic),
        )
        self.stack = negamax.stack_of(256)
        self.pool = negamax.pool_of(self.machine.rules, 1 << 13)
        self.room = scratch(self.machine.rules, 0)
        self.stop = np.zeros(1, np.uint8)
        self.proven: dict[Any, tuple[float, float]] = {}  # per root position
        self.order: dict[Any, list[Any]] = {}  # of the moves of a root, the best of the last search first
        self.last: dict[Any, float] = {}  # the value of a root in the last search
        self._warm_up()

    def _warm_up(self) -> None:
        before = self.budget.seconds
        ready(negamax.search, lambda: self._run(0))
        if self.budget.deadline is not None:
            self.budget.deadline += self.budget.seconds - before

    # ------------------------------------------------------------------------- the root

    def solve(self, at: Any, depth: int | None, how: str, deepen: bool = False) -> Result:
        if self.options.beam:
            how += f", {self.options.beam} moves in each position (heuristic)"
        if depth is not None or self.budget.limited:
            return super().solve(at, depth, how, deepen)
        try:
            return super().solve(at, None, how)
        except KeyboardInterrupt:
            self.budget.grace = True  # all that was found is in the table: one move ahead is quick
            return replace(super().solve(at, 1, how), partial=True)

    def root(self, position: Any, depth: float) -> RootAnswer:
        if (end := self.end(position, depth)) is not None:
            return RootAnswer(end)
        player = self.game.to_move(position)
        if player == CHANCE:
            raise KernelFault
        found: dict[Any, RootMove] = {}
        bounds: list[tuple[float, float]] = []
        best: float | None = None
        for move in self.order.get(position, self.game.moves(position)):
            window = self.window_for_ties(player, best)
            result = self.guessed(position, move, depth, window) if best is None else None
            if result is None:
                result = self.searched(position, move, depth, window)
            settled = (
                window.alpha < result.value < window.beta
                or result.value in (self.floor, self.ceiling)
                or result.low == result.high
            )
            line: Line = ((player, move, 1), None)
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

    def searched(self, position: Any, move: Any, depth: float, window: Window) -> Found:
        """What a move of the root is worth within a window."""
        (outcome,) = self.game.outcomes(position, move)
        after, seen = outcome.position, self.seen_from(outcome, window)
        player = self.game.to_move(after)
        if player == TERMINAL:
            self.budget.spend()
            value = float(self.game.utility(after)[0])
            found = Found(value, value, value)
        else:
            found = self.within(after, player, depth - 1, Window(float(seen.alpha), float(seen.beta)))
        return Found(*(float(self.backed_up(outcome, part)) for part in found))

    def within(self, position: Any, player: int, depth: float, window: Window) -> Found:
        """What a position is worth within a window."""
        alpha, beta = (window.alpha, window.beta) if player == 0 else (-window.beta, -window.alpha)
        form = self.machine.form(position)
        ahead = negamax.ENDLESS if depth == inf else int(depth)
        begin = (form.ctypes.data, player, ahead, float(alpha), float(beta))
        negamax.begin(self.machine.rules, pointers(self.stack), pointers(self.pool), *begin)
        self._search(position)
        value, low, high = (float(part) for part in self.stack.result)
        return Found(value, low, high) if player == 0 else Found(-value, -high, -low)

    def continued(self, position: Any, line: Line) -> Line:
        """The line, continued by what the table knows exactly."""
        steps = []
        while line is not None:
            step, line = line
            steps.append(step)
        seen = {position}
        for step in steps:
            (outcome,) = self.game.outcomes(position, step[1])
            position = outcome.position
        while position not in seen and (player := self.game.to_move(position)) >= 0:
            seen.add(position)
            form = self.machine.form(position)
            at = int(_best_in_table(self.options.table, self.options.shift, form.ctypes.data, form.size))
            moves = self.game.moves(position)
            if at < 0 or at >= len(moves):
                break
            steps.append((player, moves[at], 1))
            (outcome,) = self.game.outcomes(position, moves[at])
            position = outcome.position
        for step in reversed(steps):
            line = (step, line)
        return line

    # ------------------------------------------------------------------------ the kernel

    def _search(self, position: Any) -> None:
        """Runs the kernel in portions until it is done; raises Spent where the budget ends it."""
        budget = self.budget
        state = self.stack.state
        pace = Pace(budget, 4096)
        while True:
            before = int(state[negamax.NODES])
            portion = pace.portion()
            if budget.limit is not None and not budget.grace:
                portion = max(1, min(portion, budget.limit - budget.nodes))
            reason = self._run(before + portion)
            state = self.stack.state
            budget.spend(int(state[negamax.NODES]) - before)
            rules = self.machine.rules
            if reason == negamax.DONE:
                return
            if reason == negamax.MORE_MOVES:
                self.room = enlarged(self.room, rules, moves=4 * self.room.moves_room)
            elif reason == negamax.STACK_FULL:
                self.stack = negamax.enlarged(self.stack, negamax.stack_of(2 * self.stack.plies))
            elif reason == negamax.POOL_FULL:
                size = 2 * self.pool.room + 4 * self.room.moves_room
                self.pool = negamax.enlarged(self.pool, negamax.pool_of(rules, size))
            elif reason == negamax.REPEATED:
                raise cannot_go_on(
                    f"{self.name} follows plays to their end, but in {self.game.name} a play can come back "
                    f"to a position that follows {self.game.format_position(position)}.",
                    f"Give a depth, nodes or time, or use {choose(self.game)[0]}.",
                )
            elif reason == negamax.FAULT:
                raise KernelFault
            state = self.stack.state

    def _run(self, nodes: int) -> int:
        reason: int = negamax.search(
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
        if low <= self.floor and high >= self.ceiling:
            return result
        value = Value.exact(low) if low == high else Value(number, "bounded", low, high)
        return replace(result, values=(value, -value)[: len(result.values)])


@njit(cache=True)
def _best_in_table(table: Any, shift: Any, form: Any, size: Any) -> Any:
    """The index of the best move that is exactly known for a position, or -1."""
    if table == 0:
        return -1
    meta, _ = probe(table, shift, hash_form(form, size))
    if meta == 0 or bound_in(meta) != EXACT or move_in(meta) == NO_MOVE:
        return -1
    return move_in(meta)
