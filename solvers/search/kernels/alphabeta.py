"""Alpha-beta on machine code: the fast twin of solvers/search/alphabeta.py. The kernel is in negamax.py."""

from __future__ import annotations

from typing import Any

from gdl.game import Game, Passing
from gdl.movers import TERMINAL
from solvers.core.budget import Budget
from solvers.core.leaves import Described
from solvers.core.refusal import bad_option
from solvers.core.result import Result
from solvers.core.root_search import with_table
from solvers.core.windows import Window, seen_from
from solvers.machine.pointers import Function
from solvers.machine.rules import MIDDLE
from solvers.search.kernels import negamax, negamax_frames
from solvers.search.kernels.zero_sum_search import TABLE_SIZE, Found, KernelDuel


def alphabeta(
    game: Game[Any, Any],
    at: Any = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Described | None = None,
    table: int = TABLE_SIZE,
    every: bool = False,
    beam: int = 0,
    null_move: int = 0,
) -> Result:
    """The value of a game without chance and all its best moves; moves that are worse stay unsettled, unless
    `every` one is asked for.

    With a beam only so many moves are searched in each position, the most promising by evaluation. With a
    null move a position in which passing is good enough is searched no further than that, so many moves less
    deep. Either way the answer is heuristic, and nothing above a position left out is proven.
    """
    how = f"alpha-beta {with_table(table)}"
    if beam:
        how += f", {beam} moves in each position (heuristic)"
    if null_move:
        how += f", null moves {null_move} less deep (heuristic)"
    search = KernelAlphaBeta(game, Budget(nodes, time), leaf, table, beam, null_move)
    search.every = every
    return search.solve(at, depth, how, deepen=True)


class KernelAlphaBeta(KernelDuel):
    name = "alphabeta"
    kernel = negamax
    frames = negamax_frames
    mirrored = True

    def __init__(
        self,
        game: Game[Any, Any],
        budget: Budget,
        leaf: Described | None = None,
        table: int = TABLE_SIZE,
        beam: int = 0,
        null_move: int = 0,
    ):
        super().__init__(game, budget, leaf, table)
        if beam and self.machine.rules.judged_by == MIDDLE:
            raise bad_option(
                f"a beam keeps the moves of the best evaluation, and {game.name} has none",
                "Give leaf=weights(..), or leave the beam out.",
            )
        self.options = negamax_frames.Options(
            table=self.table_at,
            shift=self.shift,
            beam=beam,
            evaluate_from=3,
            repeats=int(not game.traits.acyclic),
            null_move=null_move,
            pass_turn=Function("pass_turn", self._pass_turn() if null_move else 0),
        )

    def _pass_turn(self) -> int:
        """Where the function lies that hands the turn on."""
        game = self.game
        if not isinstance(game, Passing) or game.passed(game.initial()[0].position) is None:
            raise bad_option(
                f"a null move hands the turn on, and {game.name} does not keep the turn in one variable",
                "Leave null_move out.",
            )
        return int(self.machine.code.address("pass_turn"))

    def searched(self, position: Any, move: Any, depth: float, window: Window) -> Found:
        """What a move of the root is worth within a window."""
        (outcome,) = self.game.outcomes(position, move)
        after, seen = outcome.position, seen_from(outcome, window, self.discount)
        player = self.game.to_move(after)
        if outcome.rewards:
            self.stack.largest[0] = max(self.stack.largest[0], abs(outcome.rewards[0]))
        if player == TERMINAL:
            self.budget.spend()
            value = float(self.game.utility(after)[0])
            self.stack.largest[0] = max(self.stack.largest[0], abs(value))
            found = Found(value, value, value)
        else:
            found = self.within(after, player, depth - 1, seen)
        return Found(*(float(self.backed_up(outcome, part)) for part in found))

    def within(self, position: Any, player: int, depth: float, window: Window) -> Found:
        """What a position is worth within a window; the kernel's numbers are the mover's."""
        if player == 0:
            return Found(*self.run_kernel(position, player, depth, window))
        turned = Window(-window.beta, -window.alpha)
        value, low, high = self.run_kernel(position, player, depth, turned)
        return Found(-value, -high, -low)
