"""What textbook searches of the game tree share: expectations over outcomes, and the path that is searched.

Budgets, deepening and the answer at the root are those of every search: solvers/core/root_search.py.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from gdl.game import Game, Number, Outcome
from solvers.core.budget import Budget
from solvers.core.chance import Watched
from solvers.core.leaves import Leaf
from solvers.core.result import Distribution
from solvers.core.root_search import Backup, Line, OpposedValues, RootAnswer, RootMove, RootSearch
from solvers.core.trampoline import Call, run
from solvers.registry import refuse, without_end


class TreeSearch(RootSearch):
    """A depth-limited search of the game tree. Subclasses give `value`, as in the textbook."""

    nothing: Any = 0  # the value to which others are added

    def __init__(self, game: Game[Any, Any], budget: Budget, leaf: Leaf | None = None):
        refuse(self.name, game)
        super().__init__(game, budget, leaf)
        self._path: set[tuple[Hashable, float]] = set()
        self._no_path: AbstractContextManager[None] = nullcontext()

    def less(self, depth: float, position: Any) -> float:
        """The depth that is left after a move in this position."""
        last = self.game.traits.players - 1
        return depth if self.by_rounds and self.game.to_move(position) != last else depth - 1

    @abstractmethod
    def value(self, position: Any, depth: float) -> Call[Backup]:
        """The value of a position, looking `depth` moves ahead."""

    def move_value(self, position: Any, move: Any, depth: float) -> Call[Backup]:
        """The value of a move, looking `depth` moves beyond it: the expectation over its outcomes."""
        total = self.nothing
        complete = True
        likeliest: Number = 0
        line: Line = None
        for outcome in self.outcomes(position, move):
            after = yield self.value(outcome.position, depth)
            total += outcome.probability * self.backed_up(outcome, after.value)
            complete = complete and after.complete
            if outcome.probability > likeliest:
                likeliest, line = outcome.probability, after.line
        return Backup(total, ((self.game.to_move(position), move, likeliest), line), complete)

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        """What a move may lead to; the budget may end the listing where the game lets it."""
        if self.budget.limited and isinstance(self.game, Watched):
            return self.game.outcomes_watched(position, move, self.budget.look)
        return self.game.outcomes(position, move)

    def expectation(self, position: Any, moves: Distribution, depth: float) -> Call[Backup]:
        """The value of a position whose moves are made with known probabilities, by chance or a policy."""
        total = self.nothing
        complete = True
        likeliest: Number = 0
        line: Line = None
        for move, probability in moves.items():
            after = yield self.move_value(position, move, depth)
            total += probability * after.value
            complete = complete and after.complete
            if probability > likeliest:
                likeliest, line = probability, after.line
        if line is not None:
            (player, move, onward), rest = line
            line = ((player, move, likeliest * onward), rest)
        return Backup(total, line, complete)

    def root(self, position: Any, depth: float) -> RootAnswer:
        """The values of a position and of all its moves. Pruning searches do this their own way."""
        if (end := self.end(position, depth)) is not None:
            return RootAnswer(end)
        player = self.game.to_move(position)
        if not self.chooses(player):
            return RootAnswer(run(self.value(position, depth)))
        moves = tuple(
            RootMove(move, run(self.move_value(position, move, self.less(depth, position))))
            for move in self.game.moves(position)
        )
        best = self.best_of(player, moves)
        return RootAnswer(best.backup._replace(complete=all(m.backup.complete for m in moves)), moves)

    def _roots(self, starts: Any, depth: float, grace: bool = False) -> list[RootAnswer]:
        self._path.clear()
        return super()._roots(starts, depth, grace)

    def visiting(self, position: Any, depth: float) -> AbstractContextManager[None]:
        """Marks the position as being searched; refuses if it already is, for then the search has no end."""
        return self._no_path if self.game.traits.acyclic else self._on_path(position, depth)

    @contextmanager
    def _on_path(self, position: Any, depth: float) -> Iterator[None]:
        key = (position, depth)
        if key in self._path:
            raise without_end(self.name, self.game, position, depth)
        self._path.add(key)
        try:
            yield
        finally:
            self._path.discard(key)


class Duel(TreeSearch, OpposedValues):
    """A textbook search for one player, or for two with opposed interests."""


def maximum(backups: Sequence[Backup], by: Callable[[Any], Number] = lambda value: value) -> Backup:
    """The first backup of greatest value; complete if all are."""
    best = max(backups, key=lambda backup: by(backup.value))
    return best._replace(complete=all(backup.complete for backup in backups))


def minimum(backups: Sequence[Backup]) -> Backup:
    """The first backup of least value; complete if all are."""
    best = min(backups, key=lambda backup: backup.value)
    return best._replace(complete=all(backup.complete for backup in backups))
