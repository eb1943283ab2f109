"""Expectiminimax, expectimax, Star1 and Star2 on machine code: the fast twins of the textbook's.

The kernel is in expectation.py; minimax is expectiminimax without chance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from gdl.game import Game, Number
from solvers.core.budget import Budget
from solvers.core.leaves import Described
from solvers.core.policies import Policies, Uniform, policies_of_others
from solvers.core.result import Result
from solvers.core.root_search import Backup, RootAnswer
from solvers.core.starts import player_to_move
from solvers.core.windows import Window
from solvers.machine.fault import KernelFault
from solvers.search.kernels import expectation, expectation_frames
from solvers.search.kernels.zero_sum_search import TABLE_SIZE, Found, KernelDuel


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


def expectimax(
    game: Game[Any, Any],
    at: Any = None,
    *,
    against: Policies | None = None,
    player: int | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Described | None = None,
) -> Result:
    """One player's value and best moves against an opponent who moves at random, or against chance alone.

    Other opponents are the textbook version's (KernelFault): their policies are functions of Python.
    """
    player = player_to_move(game, at) if player is None else player
    policies = policies_of_others("expectimax", game, player, against)
    traits = game.traits
    opposed = traits.players == 1 or (traits.players == 2 and traits.zero_sum)
    if not opposed or not all(isinstance(policies[other], Uniform) for other in policies if other != player):
        raise KernelFault
    search = KernelExpectimax(game, player, Budget(nodes, time), leaf)
    return search.solve(at, depth, f"best play of {game.players[player]} against chance and given policies")


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
    every: bool = False,
) -> Result:
    """Expectiminimax's value and best moves, pruning at chance nodes by the bounds of the utilities."""
    search = KernelStar1(game, Budget(nodes, time), leaf, table)
    search.every = every
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
    every: bool = False,
) -> Result:
    """Expectiminimax's value and best moves, pruning at chance nodes by bounds and probes."""
    search = KernelStar2(game, Budget(nodes, time), leaf, table)
    search.every = every
    return search.solve(at, depth, "expectiminimax, pruned at chance by probing (Star2)")


class KernelExpectiminimax(KernelDuel):
    """Searches everything: no window, no table."""

    name = "expectiminimax"
    kernel = expectation
    frames = expectation_frames
    mode: ClassVar[int] = expectation_frames.PLAIN
    prunes = False
    assumed = -1  # whose moves are taken to be random

    def __init__(
        self, game: Game[Any, Any], budget: Budget, leaf: Described | None = None, table: int = TABLE_SIZE
    ):
        super().__init__(game, budget, leaf, table)
        self.options = expectation_frames.Options(
            mode=self.mode,
            table=self.table_at,
            shift=self.shift,
            repeats=int(not game.traits.acyclic),
            only=-1,
            assumed=self.assumed,
            low=float(self.floor),
            high=float(self.ceiling),
            slack=self.slack,
        )

    def searched(self, position: Any, move: Any, depth: float, window: Window) -> Found:
        self.options = self.options._replace(only=self.numbers_at(position)[move])
        try:
            return Found(*self.run_kernel(position, self.game.to_move(position), depth, window))
        finally:
            self.options = self.options._replace(only=-1)

    def chance_root(self, position: Any, depth: float) -> RootAnswer:
        window = self.window_for_ties(0, None)
        found = Found(*self.run_kernel(position, self.game.to_move(position), depth, window))
        value, low, high = self.made_to_meet(found)
        self.proven[position] = (low, high)
        return RootAnswer(Backup(value, None, low == high))

    @property
    def plies(self) -> int:
        return int(self.stack.state[expectation_frames.DEEPEST]) + 2

    @property
    def widest(self) -> int:
        return int(self.stack.state[expectation_frames.WIDEST])


class KernelExpectimax(KernelExpectiminimax):
    """Values are those of the first player, like everywhere in a duel; only the player's own is told."""

    name = "expectimax"

    def __init__(self, game: Game[Any, Any], player: int, budget: Budget, leaf: Described | None = None):
        self.player = player
        self.assumed = 1 - player if game.traits.players == 2 else -1
        super().__init__(game, budget, leaf, 0)
        self.expects = self.assumed >= 0

    def root(self, position: Any, depth: float) -> RootAnswer:
        if depth > 0 and self.game.to_move(position) == self.assumed:
            return self.chance_root(position, depth)
        return super().root(position, depth)

    def chooses(self, player: int) -> bool:
        return player == self.player

    def per_player(self, value: Number) -> tuple[Number | None, ...]:
        known = super().per_player(value)
        return tuple(number if i == self.player else None for i, number in enumerate(known))

    def _result(self, starts: Any, answers: list[RootAnswer], how: str, partial: bool) -> Result:
        result = super()._result(starts, answers, how, partial)
        known = enumerate(result.values)
        return replace(result, values=tuple(v if i == self.player else None for i, v in known))


class KernelMinimax(KernelExpectiminimax):
    name = "minimax"


class KernelStar1(KernelExpectiminimax):
    name = "star1"
    mode = expectation_frames.STAR1
    prunes = True


class KernelStar2(KernelExpectiminimax):
    name = "star2"
    mode = expectation_frames.STAR2
    prunes = True
