"""The root of a search: budgets, iterative deepening, the values of its moves, and the answer.

Textbook searches (`solvers/search/`) and their fast twins (`solvers/search/kernels/`) share this on purpose:
what is asked and told. What a position below the root is worth each finds in its own way.

**Depth.** A depth of d looks d moves of players ahead. Outcomes of a move, and the moves of chance as a
player, do not count. Where `rounds` are counted, as some lectures do, only the moves of the last player
count. At depth 0 a position is judged by the leaf; a finished game always has its utility.

**What is proven.** A backup is complete when no judged leaf has influenced it: then it is exact, or, where
floats were rounded on the way, as close as the count of roundings says.

**Discount.** One factor for every move, whoever makes it: a move is worth its reward plus the discount
times the value of the position it leads to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import inf
from random import Random
from typing import Any, ClassVar, NamedTuple

from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome
from solvers.core.budget import Budget, Spent
from solvers.core.chance import Watched
from solvers.core.interrupts import pass_on
from solvers.core.leaves import Leaf, own_evaluation
from solvers.core.refusal import bad_option
from solvers.core.result import LineStep, MoveValue, Result, Value, plain, player_name, tie
from solvers.core.rounding import UNIT, is_rational, nearest, outside

LAST_LOOK = 0.5
"""Seconds for the answer to who interrupts a search that had no limit."""

FURTHER = 32
"""So many moves further a search looks for moves that are as good as the one that proves the value: where
plays go round, it might look for ever."""

GLANCED_WAYS = 500
"""Ways for chance to go that are listed for a move where there is no time."""

Observer = Callable[[Any], None]
"""Is shown the object that searches before it begins, and may put itself around the object's steps: see
`solvers/search/watching.py`. A search without one is not touched and pays nothing."""

Line = tuple[tuple[int, Any, Number], Any] | None
"""A linked list of steps (player, move, probability of the outcome followed), so that adding one is cheap."""


class Backup(NamedTuple):
    """What a search knows of a position or move: its value (the first player's in a duel), where it leads,
    and whether the search saw everything that matters."""

    value: Any
    line: Line
    complete: bool


class RootMove(NamedTuple):
    """A move at the root; `settled` is False where only "no better than the best" is known."""

    move: Any
    backup: Backup
    settled: bool = True


class RootAnswer(NamedTuple):
    """The value of the root and, where a player is to move, of all its moves; `open_` where the value may be
    proven and still a move that is not may be as good as the best."""

    backup: Backup
    moves: tuple[RootMove, ...] = ()
    open_: bool = False


class RootSearch(ABC):
    """A search from one position, or from the starts of a game. Subclasses give `root`."""

    name: ClassVar[str]
    vectors: ClassVar[bool] = False  # whether a move's value says something else for every player
    looked: float = 0  # how many moves ahead the last search that was finished looked
    by_rounds: bool = False  # whether only moves of the last player count for the depth
    expects: bool = False  # whether values are expectations though no move draws: over starts or a policy

    def __init__(self, game: Game[Any, Any], budget: Budget, leaf: Leaf | None = None):
        self.game = game
        self.budget = budget
        self.judge = own_evaluation(game) if leaf is None else leaf
        self.discount = plain(game.traits.discount)
        self.rounds = game.traits.rounds
        bounds = game.traits.value_bounds
        # What every play pays, where all pay the same.
        self.only_value = (
            tuple(low for low, _ in bounds) if all(low == high for low, high in bounds) else None
        )

    @abstractmethod
    def root(self, position: Any, depth: float) -> RootAnswer:
        """The values of a position and of all its moves, looking `depth` moves ahead."""

    @abstractmethod
    def backed_up(self, outcome: Outcome, value: Any) -> Any:
        """What an outcome is worth when the position it leads to is worth `value`."""

    @abstractmethod
    def of_leaf(self, estimates: tuple[Number, ...]) -> Any:
        """The value that stands for one number per player."""

    @abstractmethod
    def per_player(self, value: Any) -> tuple[Number | None, ...]:
        """One number per player from a value; None for a player it says nothing about."""

    @abstractmethod
    def better(self, player: int, value: Any, than: Any) -> bool:
        """Whether the player strictly prefers a value."""

    def solve(
        self,
        at: Any,
        depth: int | None,
        how: str,
        deepen: bool | None = None,
        observer: Observer | None = None,
        rounds: int | None = None,
    ) -> Result:
        """The answer for a position (for the start of the game without one).

        Under a limit of nodes or time, and with `deepen`, but never where that is False (then Spent comes out
        of it), depth 1, 2, .. is searched in turn; the deepest search that was finished answers. The first is
        finished even if that takes a little more; where it takes much more, for there are thousands of
        outcomes, the likeliest ones answer. Once the value is proven, it deepens for about as long again
        while another move may be as good.
        """
        if rounds is not None:
            if depth is not None:
                raise bad_option("depth and rounds say the same in two ways", "Give one of them.")
            depth, self.by_rounds = rounds, True
        if depth is not None and depth < 1:
            raise bad_option(f"a depth of {depth} looks at no move", "Use a depth of 1 or more.")
        if observer is not None:
            observer(self)
        starts = self.game.initial() if at is None else [Outcome(at, 1, ())]
        self.expects = self.expects or len(starts) > 1
        deepest = inf if depth is None else depth
        partial = False
        if deepen is not False and (self.budget.limited or (deepen and depth is not None)):
            try:
                answers = self._roots(starts, 1, grace=True)
            except Spent:
                answers = [self._glance(start.position) for start in starts]
                looked = f"the limit allowed only {self.glanced_at} of each move; what follows was judged"
                return self._result(starts, answers, f"{how}; {looked}", True)
            reached = 1
            try:
                while not _proven(answers) and reached < deepest:
                    answers = self._roots(starts, reached + 1)
                    reached += 1
            except (Spent, KeyboardInterrupt) as end:
                pass_on(end)
                partial = True
            looked = self._ahead(reached)
            if len(answers) == 1 and _proven(answers) and answers[0].open_:
                answers = [self._with_ties(starts, answers[0], reached, min(deepest, reached + FURTHER))]
        else:
            try:
                answers = self._roots(starts, deepest)
            except KeyboardInterrupt as end:
                pass_on(end)
                return self._last_look(at, depth, how)
            looked = self._ahead(depth) if depth is not None else "followed every play to its end"
        if _proven(answers):
            partial, looked = False, "followed every play that matters to its end"
        elif self.looked < inf:
            looked += "; positions beyond that were judged, not searched"
        return self._result(starts, answers, f"{how}; {looked}", partial)

    def _with_ties(self, starts: Any, answer: RootAnswer, reached: int, deepest: float) -> RootAnswer:
        """A proven answer with the moves that a little more work proves to be as good."""
        player = self.game.to_move(starts[0].position)
        self.budget.as_much_again()
        self.distrust_leaves(player)
        try:
            while answer.open_ and reached < deepest:
                reached += 1
                (deeper,) = self._roots(starts, reached)
                moves = tuple(
                    new if new.backup.complete else old
                    for old, new in zip(answer.moves, deeper.moves, strict=True)
                )
                best = self.best_of(player, moves)
                answer = RootAnswer(best.backup, moves, deeper.open_)
        except (Spent, KeyboardInterrupt) as end:
            pass_on(end)
        return answer

    def distrust_leaves(self, player: int) -> None:
        """From now on positions that are judged count as the player's worst value: an estimate that looks as
        good as a proven value would end the search for a proof. Nothing changes where none is the worst."""
        bounds = self.game.traits.value_bounds
        worst = tuple(plain(low if each == player else high) for each, (low, high) in enumerate(bounds))
        if all(-inf < number < inf for number in worst):
            self.judge = lambda position: worst

    def _ahead(self, depth: int) -> str:
        thing = "round" if self.by_rounds else "move"
        return f"looked {depth} {thing}s ahead" if depth > 1 else f"looked one {thing} ahead"

    glanced_at: str = "the likeliest outcome"

    def _glance(self, position: Any) -> RootAnswer:
        """The moves of a position, each judged after its likeliest outcome, or after any where to list them
        all would take long."""
        player = self.game.to_move(position)
        if player < 0 or not self.chooses(player):
            return RootAnswer(Backup(self._judged(position), None, player == TERMINAL))
        moves = []
        for move in self.game.moves(position):
            outcome = self._likely(position, move)
            value = self.backed_up(outcome, self._judged(outcome.position))
            line = ((player, move, outcome.probability), None)
            moves.append(RootMove(move, Backup(value, line, False)))
        return RootAnswer(self.best_of(player, tuple(moves)).backup, tuple(moves))

    def _likely(self, position: Any, move: Any) -> Outcome:
        """The likeliest outcome of a move; where there are too many to look at, one at random."""
        if not isinstance(self.game, Watched):
            return max(self.game.outcomes(position, move), key=lambda each: each.probability)
        try:
            outcomes = self.game.outcomes_watched(position, move, _few)
        except Spent:
            self.glanced_at = "one outcome, drawn at random,"
            drawn = self.game.sample(position, move, Random(0))
            return Outcome(drawn.position, drawn.probability, drawn.rewards)
        return max(outcomes, key=lambda each: each.probability)

    def _judged(self, position: Any) -> Any:
        over = self.game.to_move(position) == TERMINAL
        return self.of_leaf(self.game.utility(position) if over else self.judge(position))

    def _last_look(self, at: Any, depth: int | None, how: str) -> Result:
        """The answer of a search that was interrupted before anything was finished: a short one, which can
        use what is in the table."""
        spent = self.budget
        self.budget = Budget(time=LAST_LOOK)
        answer = self.solve(at, depth, how)
        nodes = spent.nodes + self.budget.nodes
        return replace(answer, work=replace(answer.work, seconds=spent.seconds, nodes=nodes))

    def chooses(self, player: int) -> bool:
        """Whether the search looks for the best move of whoever is to move: not that of chance."""
        return player != CHANCE

    def best_of(self, player: int, moves: tuple[RootMove, ...]) -> RootMove:
        """The first of the best moves."""
        best = moves[0]
        for move in moves[1:]:
            if self.better(player, move.backup.value, best.backup.value):
                best = move
        return best

    def end(self, position: Any, depth: float) -> Backup | None:
        """The backup of a position that is not searched: the game is over, or the depth is used up."""
        self.budget.spend()
        player = self.game.to_move(position)
        if player == TERMINAL:
            return Backup(self.of_leaf(self.game.utility(position)), None, True)
        if depth <= 0 and player != CHANCE:
            return self.judged_leaf(position)
        return None

    def judged_leaf(self, position: Any) -> Backup:
        """The backup of a position that is judged: a proof only where nothing else can come out."""
        if self.only_value is not None:
            return Backup(self.of_leaf(self.only_value), None, True)
        return Backup(self.of_leaf(self.judge(position)), None, False)

    # ------------------------------------------------------------ the answer

    def _roots(self, starts: Any, depth: float, grace: bool = False) -> list[RootAnswer]:
        self.budget.grace = grace
        try:
            answers = [self.root(start.position, depth) for start in starts]
        finally:
            self.budget.grace = False
        self.looked = depth
        return answers

    def _result(self, starts: Any, answers: list[RootAnswer], how: str, partial: bool) -> Result:
        game = self.game
        complete = _proven(answers)
        values: list[Value | None] = []
        for player in range(game.traits.players):
            total: Number | None = 0
            for start, answer in zip(starts, answers, strict=True):
                number = self.per_player(answer.backup.value)[player]
                reward = start.rewards[player] if start.rewards else 0
                if number is None or total is None:
                    total = None
                else:
                    total += start.probability * (reward + number)
            values.append(None if total is None else self.known(player, total, complete))
        likeliest = max(range(len(starts)), key=lambda i: starts[i].probability)
        root, answer = starts[likeliest].position, answers[likeliest]
        mover = game.to_move(root)
        return Result(
            game=game.name,
            solver=self.name,
            values=tuple(values),
            players=game.players,
            how=how,
            work=self.budget.work(),
            to_move=game.players[mover] if mover >= 0 and len(starts) == 1 else None,
            moves=self._move_values(mover, answer) if mover >= 0 and len(starts) == 1 else (),
            line=self._line(self.whole_line(root, answer.backup.line)),
            partial=partial,
            complete=complete,
            looked=None if self.looked == inf else int(self.looked),
        )

    def known(self, player: int, number: Number, complete: bool) -> Value:
        """A player's value as far as a number tells it; `complete`: nothing judged has influenced it."""
        if is_rational(number):
            return Value.exact(number) if complete else Value.estimate(number)
        error = self.rounding()
        if not complete or error == inf:
            return Value.estimate(number + 0)  # -0.0 is 0
        if error == 0:
            return Value.exact(plain(Fraction(number)))
        floor, ceiling = outside(*self.game.traits.value_bounds[player])
        low, high = max(number - error, floor), min(number + error, ceiling)
        return Value.bounded(low, high)

    def rounding(self) -> float:
        """How far a complete value may be from the truth because floats are rounded; inf where that is not
        known. What a node adds to the error is bounded by a few roundings of the largest value."""
        if not (self.rounds or self.expects):
            return 0.0
        size = max(abs(nearest(bound)) for bounds in self.game.traits.value_bounds for bound in bounds)
        return 8 * (self.budget.nodes + 8) * UNIT * size

    def whole_line(self, position: Any, line: Line) -> Line:
        """The line from a position, continued where the search did not keep all of it."""
        return line

    def _move_values(self, player: int, answer: RootAnswer) -> tuple[MoveValue, ...]:
        found = []
        top = self.per_player(answer.backup.value)[player]
        for move, backup, settled in answer.moves:
            numbers = self.per_player(backup.value)
            number = numbers[player]
            assert number is not None and top is not None
            # Beside a proven value a move that was only judged is not named, however well it looks.
            best = settled and self.ties(number, top) and backup.complete >= answer.backup.complete
            value = self.known(player, number, backup.complete) if settled else None
            each = (
                tuple(
                    self.known(i, part, backup.complete) for i, part in enumerate(numbers) if part is not None
                )
                if self.vectors and settled
                else ()
            )
            found.append(MoveValue(move, self.game.format_move(move), value, best, values=each))
        return tuple(found)

    def ties(self, a: Number, b: Number) -> bool:
        """Whether two values of a player may be the same: they are, or rounding leaves it open."""
        if is_rational(a, b):
            return a == b
        error = self.rounding()
        return tie(a, b) or (error < inf and tie(a, b, error))

    def _line(self, line: Line) -> tuple[LineStep, ...]:
        steps = []
        while line is not None:
            (player, move, probability), line = line
            steps.append(LineStep(player_name(self.game, player), self.game.format_move(move), probability))
        return tuple(steps)


class OpposedValues(RootSearch):
    """A search for one player, or for two with opposed interests: values are the first player's."""

    def of_leaf(self, estimates: tuple[Number, ...]) -> Number:
        return estimates[0]

    def per_player(self, value: Number) -> tuple[Number | None, ...]:
        return (value, -value)[: self.game.traits.players]

    def better(self, player: int, value: Number, than: Number) -> bool:
        return value > than if player == 0 else value < than

    def best_of(self, player: int, moves: tuple[RootMove, ...]) -> RootMove:
        """The first of the best moves, and one that is proven before one that only looks as good."""
        first = super().best_of(player, moves)
        most = first.backup.value
        return next((move for move in moves if move.backup.complete and move.backup.value == most), first)

    def backed_up(self, outcome: Outcome, value: Number) -> Number:
        reward = outcome.rewards[0] if outcome.rewards else 0
        return reward + self.discount * value if self.discount else reward  # behind 0 it may be infinite


def _proven(answers: list[RootAnswer]) -> bool:
    return all(answer.backup.complete for answer in answers)


def _few(ways: int) -> None:
    """Ends the listing of outcomes of which there are more than a glance takes in."""
    if ways > GLANCED_WAYS:
        raise Spent


def with_table(table: int) -> str:
    """What is said of a transposition table of so many entries."""
    return "with a transposition table" if table else "without a transposition table"
