"""Expectiminimax, Star1 and Star2 on machine code: the fast twins of the textbook's. The kernel is in
expectation.py; minimax is expectiminimax without chance."""

from __future__ import annotations

from typing import Any, ClassVar

from gdl.game import Game
from solvers.alphabeta import Window
from solvers.budget import Budget
from solvers.evaluation import Described
from solvers.kernels import expectation
from solvers.kernels.duel import TABLE_SIZE, Found, KernelDuel
from solvers.kernels.roots import legal_moves
from solvers.result import Result
from solvers.search import Backup, Line, RootAnswer


def expectiminimax(
    game: Game[Any, Any],
    at: Any = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Described | None = None,
) -> Result:
    """The value and best moves of a game for one or two opposed players and chance."""
    search = KernelExpectiminimax(game, Budget(nodes, time), leaf, 0)
    return search.solve(at, depth, "max, min and expectation over the tree")


def minimax(
    game: Game[Any, Any],
    at: Any = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Described | None = None,
) -> Result:
    """The value and best moves of a game without chance, from every play."""
    return KernelMinimax(game, Budget(nodes, time), leaf, 0).solve(
        at, depth, "max and min over the whole tree"
    )


def star1(
    game: Game[Any, Any],
    at: Any = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Described | None = None,
    table: int = TABLE_SIZE,
) -> Result:
    """Expectiminimax's value and best moves, pruning at chance nodes by the bounds of the utilities."""
    search = KernelStar1(game, Budget(nodes, time), leaf, table)
    return search.solve(at, depth, "expectiminimax, pruned at chance by bounds (Star1)")


def star2(
    game: Game[Any, Any],
    at: Any = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Described | None = None,
    table: int = TABLE_SIZE,
) -> Result:
    """Expectiminimax's value and best moves, pruning at chance nodes by bounds and probes."""
    search = KernelStar2(game, Budget(nodes, time), leaf, table)
    return search.solve(at, depth, "expectiminimax, pruned at chance by probing (Star2)")


class KernelExpectiminimax(KernelDuel):
    """Searches everything: no window, no table."""

    name = "expectiminimax"
    kernel = expectation
    mode: ClassVar[int] = expectation.PLAIN
    prunes = False

    def __init__(
        self, game: Game[Any, Any], budget: Budget, leaf: Described | None = None, table: int = TABLE_SIZE
    ):
        super().__init__(game, budget, leaf, table)
        self.options = expectation.Options(
            mode=self.mode,
            table=self.table_at,
            shift=self.shift,
            repeats=int(not game.traits.acyclic),
            only=-1,
            low=float(self.floor),
            high=float(self.ceiling),
        )
        self.numbers_of: dict[Any, dict[Any, int]] = {}  # per root, the numbers of its moves
        self.warm_up()

    def searched(self, position: Any, move: Any, depth: float, window: Window) -> Found:
        if position not in self.numbers_of:
            moves = legal_moves(self.machine, position)
            self.numbers_of[position] = {move: number for number, move in moves.items()}
        self.options = self.options._replace(only=self.numbers_of[position][move])
        value, low, high = self.run_kernel(position, self.game.to_move(position), depth, window)
        self.options = self.options._replace(only=-1)
        odds = max(outcome.probability for outcome in self.game.outcomes(position, move))
        return Found(value, low, high, float(odds))

    def chance_root(self, position: Any, depth: float) -> RootAnswer:
        window = Window(self.floor, self.ceiling)
        value, low, high = self.run_kernel(position, -1, depth, window)
        self.proven[position] = (low, high)
        return RootAnswer(Backup(value, None, low == high))

    def continued(self, position: Any, line: Line) -> Line:
        return line


class KernelMinimax(KernelExpectiminimax):
    name = "minimax"


class KernelStar1(KernelExpectiminimax):
    name = "star1"
    mode = expectation.STAR1
    prunes = True


class KernelStar2(KernelExpectiminimax):
    name = "star2"
    mode = expectation.STAR2
    prunes = True
