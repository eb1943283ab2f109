"""What the kernels for two opposed players share: the root, budgets, room, and the answer.

Every move that ties for best is found at the root. What a kernel proves on the way, bounds of the true value
whatever the judged leaves say, is told beside the estimate.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from math import inf, nextafter
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gdl.game import Game
from gdl.movers import CHANCE, TERMINAL
from solvers.core.budget import Budget, Spent
from solvers.core.chance import ways_of_chance
from solvers.core.interrupts import pass_on
from solvers.core.leaves import Described
from solvers.core.result import Result, Value
from solvers.core.root_search import Backup, Line, OpposedValues, RootAnswer, RootMove
from solvers.core.rounding import UNIT, exact_twin, outside
from solvers.core.windows import TIES, Window
from solvers.machine.fault import KernelFault
from solvers.machine.kernels import kernel
from solvers.machine.pointers import Pointer, Struct, copy_bytes, struct
from solvers.machine.portions import Pace
from solvers.machine.root_moves import legal_moves
from solvers.machine.rules import MIDDLE, Machine, hash_form, worth
from solvers.machine.scratch import enlarged, scratch
from solvers.registry import refuse, without_end
from solvers.search.kernels.frames import (
    DONE,
    FAULT,
    MORE_MOVES,
    NODES,
    PAUSED,
    POOL_FULL,
    REPEATED,
    STACK_FULL,
)
from solvers.search.kernels.transposition_table import ENDLESS, NO_MOVE, move_in, probe, shift_of, table_of

_SMALL_TABLE = 1 << 14
"""Entries of the table at first: a short search would take longer to clear a large one than to think."""

TABLE_SIZE = 1 << 22
"""Entries, of 16 bytes; memory is used as they are filled."""

SLACK = 2.0**-49
"""Proven bounds that differ by no more than this share of the largest value meet: the rest is rounding."""

ROUNDINGS = 40
"""Roundings that a ply adds beside one for each outcome: odds, products, rewards, and bounds made to meet."""

LONGEST_LINE, LINE_NODES, LINE_SECONDS = 200, 20_000, 0.1
"""How far the principal line is followed, and how much is searched for it where the table does not say."""

MOST_OUTCOMES = 5_000
"""A line does not go on where so many outcomes would have to be listed for the likeliest."""


class Found(NamedTuple):
    """What a search came to, for the first player: the value, and between which numbers it surely lies."""

    value: float
    low: float
    high: float


class KernelDuel(OpposedValues):
    """A root that finds all best moves, over a kernel: a module with `search` and `begin`, and that of their
    frames."""

    kernel: Any
    frames: Any
    prunes: ClassVar[bool] = True  # whether a move's value may be a bound only
    mirrored: ClassVar[bool] = False  # whether the kernel's numbers are the mover's
    every = False  # whether every move of the root has its value looked for

    def __init__(
        self,
        game: Game[Any, Any],
        budget: Budget,
        leaf: Described | None = None,
        table: int = TABLE_SIZE,
    ):
        refuse(self.name, game)
        super().__init__(game, budget, leaf)
        low, high = game.traits.value_bounds[0]
        self.floor, self.ceiling = float(low), float(high)
        self.size = max(abs(self.floor), abs(self.ceiling))
        self.machine = Machine(game, leaf)
        self.table_size = table
        self.entries = table_of(min(table, _SMALL_TABLE))
        self.table_at = Pointer(self.entries) if table else Pointer.none(np.uint64)
        self.shift = shift_of(self.entries)
        self.stack = self.frames.stack_of(256)
        self.pool = self.frames.pool_of(self.machine.rules, 1 << 13)
        self.room = scratch(self.machine.sizes, 0 if leaf is None else leaf.seed)
        self.stop = np.zeros(1, np.uint8)
        self.options: Any = None
        self._handed: dict[str, tuple[Any, Struct]] = {}
        self.proven: dict[Any, tuple[float, float]] = {}  # per root position
        self.order: dict[Any, list[Any]] = {}  # of the moves of a root, the best of the last search first
        self.last: dict[Any, float] = {}  # the value of a root in the last search
        self.numbers_of: dict[Any, dict[Any, int]] = {}  # per root, the numbers of its moves
        self.starts, self.ahead = 1, inf

    # ------------------------------------------------------------------------- the root

    def _roots(self, starts: Any, depth: float, grace: bool = False) -> list[RootAnswer]:
        """Searches with a table that suits the work: sixteen entries for each node so far, and all that are
        allowed where nothing tells how much there will be to do."""
        self.starts, self.ahead = len(starts), depth
        deepening = depth < 3 or (depth < inf and self.budget.nodes > 0)
        wanted = min(self.table_size, 16 * self.budget.nodes if deepening else self.table_size)
        if wanted >= len(self.entries):  # of two words each: the table would at least double
            self.entries = table_of(wanted)
            self.table_at = Pointer(self.entries)
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
        for move in self.order.get(position) or list(self.numbers_at(position)):
            window = self.window_for_ties(player, None if self.every else best)
            result = self.guessed(position, move, depth, window) if best is None else None
            if result is None:
                result = self.searched(position, move, depth, window)
            result = self.made_to_meet(result)
            settled = (
                not self.prunes
                or window.alpha < result.value < window.beta
                or result.value in (self.floor, self.ceiling)
                or result.low == result.high
            )
            line: Line = ((player, move, 1), None)  # see whole_line
            found[move] = RootMove(move, Backup(result.value, line, result.low == result.high), settled)
            bounds.append((result.low, result.high))
            if best is None or self.better(player, result.value, best):
                best = result.value
        choose_from = max if player == 0 else min
        moves = tuple(found[move] for move in self.numbers_at(position))
        chosen = self.best_of(player, moves)
        value = float(chosen.backup.value)
        lows, highs = choose_from(b[0] for b in bounds), choose_from(b[1] for b in bounds)
        value, low, high = self.made_to_meet(Found(value, lows, highs))
        self.proven[position] = (low, high)
        self.last[position] = value
        self.order[position] = sorted(
            found, key=lambda move: (found[move].settled, found[move].backup.value), reverse=player == 0
        )
        self.order[position].remove(chosen.move)
        self.order[position].insert(0, chosen.move)
        may_be_best = [b for b in bounds if not (b[1] < low if player == 0 else b[0] > high)]
        return RootAnswer(
            Backup(value, chosen.backup.line, low == high), moves, any(b[0] < b[1] for b in may_be_best)
        )

    def window_for_ties(self, player: int, best: Any) -> Window:
        """Open at first even where all values are the same; then wide enough to see a move that is as good as
        the best so far, or may be for all that is rounded."""
        alpha, beta = self.floor, self.ceiling
        if alpha == beta:
            alpha, beta = alpha - 1, beta + 1
        if best is None:
            return Window(alpha, beta)
        below, above = nextafter(best, -inf), nextafter(best, inf)
        if self.rounds or self.expects:
            margin = TIES * (self.size if self.size < inf else max(1.0, abs(best)))
            below, above = best - margin, best + margin
        return Window(max(below, alpha), beta) if player == 0 else Window(alpha, min(above, beta))

    def distrust_leaves(self, player: int) -> None:
        worst = self.floor if player == 0 else self.ceiling
        if abs(worst) < inf:
            self.machine.judge_as(worst)
            self.entries[:] = 0

    @property
    def slack(self) -> float:
        """By how much rounding may keep bounds apart: not at all where numbers are only handed on."""
        return SLACK * self.size if (self.rounds or self.expects) and self.size < inf else 0.0

    def made_to_meet(self, found: Found) -> Found:
        """Bounds that only rounding keeps apart meet, and the value lies between them and among the values
        that the game has. What contradicts itself, an entry of the table that was taken for another one's,
        proves nothing."""
        floor, ceiling = float(self.floor), float(self.ceiling)
        value, low, high = (min(max(each, floor), ceiling) for each in found)
        if abs(high - low) <= self.slack:
            low = high = min(max(value, min(low, high)), max(low, high))
        elif low > high:
            low, high = floor, ceiling
        return Found(min(max(value, low), high), low, high)

    def guessed(self, position: Any, move: Any, depth: float, window: Window) -> Found | None:
        """The first move's value searched in a narrow window around the last one; None where that fails."""
        last = self.last.get(position)
        width = (self.ceiling - self.floor) / 32
        if last is None or self.machine.rules.judged_by == MIDDLE or not 0 < width < inf:
            return None
        narrow = Window(max(window.alpha, last - width), min(window.beta, last + width))
        if not narrow.alpha < narrow.beta:  # floats are too far apart there: a closed window proves nothing
            return None
        found = self.searched(position, move, depth, narrow)
        return found if narrow.alpha < found.value < narrow.beta or found.low == found.high else None

    @abstractmethod
    def searched(self, position: Any, move: Any, depth: float, window: Window) -> Found:
        """What a move of the root is worth within a window."""

    def chance_root(self, position: Any, depth: float) -> RootAnswer:
        """What a position is worth in which chance moves."""
        raise KernelFault

    glanced_at = "one outcome"

    def _glance(self, position: Any) -> RootAnswer:
        """The moves of a position, each judged after one outcome, any: to list them all may take long."""
        player = self.game.to_move(position)
        if player < 0 or not self.chooses(player):
            return super()._glance(position)
        form = self.machine.form(position)
        moves = []
        for move, number in self.numbers_at(position).items():
            value, status = _after_one_outcome(
                self.machine.rules_struct,
                self.machine.numbers_struct,
                Pointer(form),
                number,
                self.handed("room"),
            )
            if status != 0:
                raise KernelFault
            moves.append(RootMove(move, Backup(value, ((player, move, 1), None), False)))
        return RootAnswer(self.best_of(player, tuple(moves)).backup, tuple(moves))

    def numbers_at(self, position: Any) -> dict[Any, int]:
        """The moves of a root with their numbers in machine code."""
        if position not in self.numbers_of:
            moves = legal_moves(self.machine, position)
            self.numbers_of[position] = {move: number for number, move in moves.items()}
        return self.numbers_of[position]

    # ------------------------------------------------------------------------- the line

    def whole_line(self, position: Any, line: Line) -> Line:
        """From the first move on: best moves by the table or a short search, and likeliest outcomes."""
        if self.looked == 0 or self.widest > MOST_OUTCOMES:
            return None
        steps: list[tuple[int, Any, Any]] = []
        seen = set()
        twin = exact_twin(self.game)
        depth = self.looked
        spent, self.budget = self.budget, self._budget_for_line()
        try:
            while position not in seen and len(steps) < LONGEST_LINE:
                seen.add(position)
                player = self.game.to_move(position)
                if player == TERMINAL or (depth <= 0 and player != CHANCE):
                    break
                if player == CHANCE:
                    ways = ways_of_chance(twin, position)
                else:
                    move = line[0][1] if line else self.best_move_at(position, player, depth)
                    line = None
                    if move is None:
                        break
                    ways = [(move, outcome) for outcome in twin.outcomes(position, move)]
                    depth -= 1
                move, outcome = max(ways, key=lambda way: way[1].probability)
                steps.append((player, move, outcome.probability))
                position = outcome.position
        except (Spent, KeyboardInterrupt) as end:
            pass_on(end)
        finally:
            self.budget = spent
        whole: Line = None
        for step in reversed(steps):
            whole = (step, whole)
        return whole

    def _budget_for_line(self) -> Budget:
        """As much again as the search took, or a moment."""
        return Budget(
            max(LINE_NODES, self.budget.nodes), None if self.budget.deadline is None else LINE_SECONDS
        )

    def best_move_at(self, position: Any, player: int, depth: float) -> Any:
        """A best move of a position below the root, searched as the root is; None where none is found."""
        if not self.chooses(player):
            return None
        self.stack.best_move[0] = answered = -1
        window = self.window_for_ties(0, None)
        if player == 1 and self.mirrored:
            window = Window(-window.beta, -window.alpha)
        self.run_kernel(position, player, depth, window)
        best = int(self.stack.best_move[0])
        if best == answered and self.table_size:  # by the table
            form = self.machine.form(position)
            best = int(_move_in_table(self.table_at, self.shift, Pointer(form), form.size))
        moves = self.game.moves(position)
        return moves[best] if 0 <= best < len(moves) and best != NO_MOVE else None

    # ------------------------------------------------------------------------ the kernel

    def run_kernel(self, position: Any, player: int, depth: float, window: Window) -> tuple[float, ...]:
        """Begins the search of a position and runs it in portions until it is done: value, low and high.

        Raises Spent where the budget ends it.
        """
        form = self.machine.form(position)
        ahead = ENDLESS if depth == inf else int(depth)
        begin = (Pointer(form), player, ahead, float(window.alpha), float(window.beta))
        self.kernel.begin(self.machine.rules_struct, self.handed("stack"), self.handed("pool"), *begin)
        frames, budget, rules = self.frames, self.budget, self.machine.rules
        pace = Pace(budget, 4096)
        while True:
            before = int(self.stack.state[NODES])
            portion = pace.portion()
            if budget.left is not None:
                portion = max(1, min(portion, budget.left + 1))
            reason = self._run(before + portion)
            budget.spend(int(self.stack.state[NODES]) - before)
            if reason == DONE:
                return tuple(self.stack.result.tolist())
            if reason == MORE_MOVES:
                self.room = enlarged(self.room, self.machine.sizes, moves=4 * self.room.moves_room)
            elif reason == STACK_FULL:
                self.stack = _copied(self.stack, frames.stack_of(2 * self.stack.plies))
            elif reason == POOL_FULL:
                spare = self.room.moves_room + self.room.outcomes_room
                self.pool = _copied(self.pool, frames.pool_of(rules, 2 * self.pool.room + 4 * spare))
            elif reason == REPEATED:
                raise without_end(self.name, self.game, position, depth)
            elif reason == FAULT:
                raise KernelFault
            elif reason != PAUSED:
                budget.look(4 * self.room.outcomes_room)
                self.room = enlarged(self.room, self.machine.sizes, outcomes=4 * self.room.outcomes_room)

    def _run(self, nodes: int) -> int:
        reason: int = self.kernel.search(
            self.machine.rules_struct,
            self.machine.numbers_struct,
            self.handed("options"),
            self.handed("stack"),
            self.handed("pool"),
            self.handed("room"),
            nodes,
            Pointer(self.stop),
        )
        return reason

    def handed(self, name: str) -> Struct:
        """One of our records as kernels take it, made anew where the record is another than last time."""
        record = getattr(self, name)
        made = self._handed.get(name)
        if made is None or made[0] is not record:
            made = self._handed[name] = record, struct(record)
        return made[1]

    # ------------------------------------------------------------------------ the answer

    def rounding(self) -> float:
        """Every ply of the deepest play adds roundings, as many as it has outcomes and a few, of numbers no
        larger than the largest value."""
        rules, traits = self.machine.rules, self.game.traits
        if not (self.rounds or self.expects):
            return 0.0
        drawn = traits.chance or self.expects
        plies = self.plies if rules.pays or rules.discounts or drawn else 1
        size = self.size if self.size < inf else (plies + 1) * self.largest_payment
        if traits.whole and not drawn and not rules.discounts and size < 2**53:
            return 0.0  # sums of whole numbers
        return 1.01 * plies * (max(self.widest, self.starts) + ROUNDINGS) * UNIT * size

    @property
    def largest_payment(self) -> float:
        """No utility is larger, and no reward that was met; the kernel meets none where the root is over."""
        ends = [abs(float(end)) for bounds in self.game.traits.utility_bounds for end in bounds]
        return max([float(self.stack.largest[0]), *ends])

    @property
    def plies(self) -> int:
        """No play that was searched was longer."""
        return int(min(self.stack.plies, self.ahead)) + 1

    @property
    def widest(self) -> int:
        """No move that was searched had more outcomes."""
        return 1

    def _result(self, starts: Any, answers: list[RootAnswer], how: str, partial: bool) -> Result:
        """The answer, with what is proven where the value itself is not."""
        result = super()._result(starts, answers, how, partial)
        complete = all(answer.backup.complete for answer in answers)
        if complete:
            return result
        error = self.rounding()
        low, high, number = -error, error, 0.0
        for start, answer in zip(starts, answers, strict=True):
            reward = float(start.rewards[0]) if start.rewards else 0.0
            ended = (answer.backup.value, answer.backup.value)
            open_ = (self.floor, self.ceiling)
            proven = self.proven.get(start.position, ended if answer.backup.complete else open_)
            low += float(start.probability) * (reward + float(proven[0]))
            high += float(start.probability) * (reward + float(proven[1]))
            number += float(start.probability) * (reward + float(answer.backup.value))
        floor, ceiling = outside(*self.game.traits.value_bounds[0])
        if not low > self.floor and not high < self.ceiling:
            return result  # nothing is proven
        low, high = max(low, floor), min(high, ceiling)
        value = Value(min(max(number, low), high), "bounded", low, high)
        return replace(result, values=(value, -value)[: len(result.values)])


@kernel
def _after_one_outcome(rules: Any, numbers: Any, at: Any, move: Any, room: Any) -> Any:
    """What a move is worth to the first player if the position after an outcome, drawn, is judged."""
    after = room.form + rules.form
    copy_bytes(after, at, rules.form)
    status = rules.sample(after, move, room.random, room.rewards)
    if status != 0:
        return 0.0, status
    reward = room.rewards[0] if rules.pays else 0.0
    status = worth(rules, numbers, after, room)
    return reward + numbers.discount * room.paid[0], status


@kernel
def _move_in_table(table: Any, shift: Any, form: Any, size: Any) -> Any:
    """The index of the move that the table keeps for a position, or NO_MOVE."""
    meta, _ = probe(table, shift, hash_form(form, size))
    return NO_MOVE if meta == 0 else move_in(meta)


def _copied(arrays: Any, larger: Any) -> Any:
    """The contents of a stack or a pool in a larger one."""
    for old, new in zip(arrays, larger, strict=True):
        if isinstance(old, np.ndarray):
            new[: len(old)] = old
    return larger
