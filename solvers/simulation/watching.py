"""What one simulation of Monte Carlo tree search really did: selection, expansion, simulation,
back-propagation.

A `Record` is given to `mcts` as its `observer`. It puts itself around the steps of that one tree, which call
each other by name: so the numbers are those by which moves were selected. A tree that nobody watches is not
touched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from gdl.game import Game, Number, Outcome
from solvers.core.budget import Budget
from solvers.simulation.mcts import Arm, Bound, Node, Tree
from solvers.views.delegate import Delegate


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move as it stood when one was selected; without a bound it had not been tried yet."""

    move: Any
    visits: int
    bound: Bound | None


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice on the way down, and what led to it."""

    position: Any
    player: int
    visits: int
    candidates: tuple[Candidate, ...]
    chosen: Any
    span: float = 0.0  # of a player: the range that c is in units of


@dataclass(frozen=True, slots=True)
class Credit:
    """What a move on the way was paid, and how it stands since."""

    position: Any
    player: int
    move: Any
    paid: tuple[Number, ...]
    visits: int
    mean: float


@dataclass(slots=True)
class Iteration:
    """One simulation: the choices on the way down, the position that was added to the tree (None where the
    walk ended in a proven one), the play beyond it and what that paid, and what was added to the moves on
    the way."""

    number: int
    selections: list[Selection] = field(default_factory=list)
    added: Any = None
    moves: list[tuple[int, Any]] = field(default_factory=list)  # of players, in the play beyond the tree
    end: Any = None  # where that play ended
    paid: tuple[Number, ...] = ()
    credits: list[Credit] = field(default_factory=list)


class Record:
    """The tree, and one of its simulations: that with number `step`, or the last where it has fewer."""

    def __init__(self, step: int | None = None):
        self.tree: Tree | None = None
        self.step = step
        self.iteration: Iteration | None = None
        self.simulations = 0

    def __call__(self, tree: Tree) -> None:
        self.tree = tree
        if self.step is None:
            return
        tree.playout = replace(tree.playout, game=_Overheard(tree.playout.game, self))
        around: dict[str, Callable[..., Any]] = {
            "simulate": self._simulate,
            "select": self._select,
            "credit": self._credit,
        }
        for name, step in around.items():
            setattr(tree, name, partial(step, tree, getattr(tree, name)))

    @property
    def now(self) -> Iteration | None:
        """The simulation that is made, if it is the one to remember."""
        return self.iteration if self.step is not None and self.simulations <= self.step else None

    # ------------------------------------------------------------ around the steps of the tree

    def _simulate(self, tree: Tree, simulate: Callable[..., None], node: Node, budget: Budget) -> None:
        self.simulations += 1
        if self.step is not None and self.simulations <= self.step:
            self.iteration = Iteration(self.simulations)
        simulate(node, budget)

    def _select(self, tree: Tree, select: Callable[..., Arm], arms: list[Arm], node: Node) -> Arm:
        bounds = {
            arm.move: tree.bound(node, arm)
            for arm in arms
            if self.now and node.player >= 0 and (arm.sample.count or arm.proven is not None)
        }
        span = tree.span(node.player) if node.player >= 0 else 0.0
        chosen = select(arms, node)
        if self.now:
            candidates = tuple(Candidate(arm.move, arm.sample.count, bounds.get(arm.move)) for arm in arms)
            self.now.selections.append(
                Selection(node.position, node.player, node.visits, candidates, chosen.move, span)
            )
        return chosen

    def _credit(
        self, tree: Tree, credit: Callable[..., None], node: Node, arm: Arm, paid: Sequence[Number]
    ) -> None:
        credit(node, arm, paid)
        if self.now:
            mean = arm.sample.of(max(node.player, 0))
            self.now.credits.append(
                Credit(node.position, node.player, arm.move, tuple(paid), arm.sample.count, mean)
            )


class _Overheard(Delegate):
    """The game in which plays go on beyond the tree: what happens in it is remembered."""

    def __init__(self, base: Game[Any, Any], record: Record):
        super().__init__(base)
        self.record = record

    def to_move(self, position: Any) -> int:
        player = super().to_move(position)
        if now := self.record.now:
            if now.added is None:
                now.added = position
            now.end = position
        return player

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        player = super().to_move(position)
        if (now := self.record.now) and player >= 0:
            now.moves.append((player, move))
        return super().outcomes(position, move)

    def utility(self, position: Any) -> tuple[Number, ...]:
        paid = super().utility(position)
        if now := self.record.now:
            now.paid = tuple(paid)
        return paid
