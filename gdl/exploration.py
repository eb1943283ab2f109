"""Exploring a game: which positions can be reached, how many plays there are, and whether a rule ever breaks.

Everything here works breadth first and without recursion, so that neither long plays nor plays that go
round in circles are a problem. Finished games are not extended. A merged outcome of a move counts as one.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from time import process_time
from typing import Any, Generic, TypeVar

from gdl.diagnostics import Diagnostic, GameError
from gdl.game import TERMINAL, Game, Number

P = TypeVar("P", bound=Hashable)
M = TypeVar("M", bound=Hashable)

Watch = Callable[[int, int, int], None]
"""Told now and then: positions found, positions still to expand, depth."""

_WATCH_EVERY = 1000


@dataclass(frozen=True, slots=True)
class Violation(Generic[P, M]):
    """A rule that broke, and the shortest play that leads there.

    `path` holds the moves with the positions they led to, from the initial position `start` on; `start` is
    None if the initial positions themselves could not be made. `move` is the move that failed, if one did.
    """

    diagnostics: tuple[Diagnostic, ...]
    start: P | None
    path: tuple[tuple[M, P], ...]
    move: M | None


@dataclass(frozen=True, slots=True)
class Branching:
    """How many moves are legal where the game goes on."""

    least: int
    mean: float
    most: int


@dataclass(frozen=True, slots=True)
class Exploration(Generic[P, M]):
    """What was found. Numbers per depth start with the initial positions at depth 0.

    Where `complete` is False a limit or a violation left some positions unexpanded, and all counts are of
    what was seen.
    """

    complete: bool
    positions: int
    first_met: tuple[int, ...]  # positions by the length of the shortest play that reaches them
    distinct: tuple[int, ...]  # positions that a play of exactly so many moves can reach
    perft: tuple[int, ...]  # plays of exactly so many moves
    terminal: Mapping[tuple[Number, ...], int]  # terminal positions by utility
    branching: Branching | None  # None if no position was expanded
    repeats: bool | None  # whether a play can visit a position twice; None if that was not seen to its end
    longest: int | None  # moves of the longest play; None if plays can repeat or it is unknown
    plays: int | None  # complete plays; None if plays can repeat or it is unknown
    violations: tuple[Violation[P, M], ...]

    @property
    def depth(self) -> int:
        """The length of the shortest play to the furthest position."""
        return len(self.first_met) - 1


def explore(
    game: Game[P, M],
    *,
    max_positions: int | None = None,
    max_depth: int | None = None,
    watch: Watch | None = None,
) -> Exploration[P, M]:
    """Everything that can be reached, up to so many positions and moves from the start.

    A violation of a run-time rule ends the exploration of its position only; each kind of violation (its
    code and place) is reported once, where it is met first.
    """
    return _Explorer(game, max_positions, max_depth, watch, _Clock(None)).run()


@dataclass(frozen=True, slots=True)
class InformationSets:
    """How many information sets each player has, and how many histories there are.

    `turns`: it was verified that players know whose turn it is; that moves follow from what is known always
    was.
    """

    counts: tuple[int, ...]
    histories: int
    turns: bool


LISTED = 20_000
"""Histories that are listed in Python; more are walked by machine code."""


def information_sets(game: Game[P, M], *, limit: int) -> InformationSets | None:
    """Counts information sets; None if there are more histories than `limit`, or no end of them.

    Raises GameError (R004) with two plays that a player cannot tell apart, after which other moves are
    legal or somebody else is to move.
    """
    from solvers.core.refusal import TooLarge
    from solvers.hidden.endless import Endless
    from solvers.hidden.game_tree import game_tree

    try:
        tree = game_tree(game, limit=min(limit, LISTED), turns=True)
        return InformationSets(tuple(map(len, tree.information_sets)), tree.histories, True)
    except Endless:
        return None
    except TooLarge:
        model = getattr(game, "model", None)
        if limit <= LISTED or model is None:
            return None
    from gdl.loading import game_of
    from solvers.hidden.kernels.histories import sequence_form

    try:
        form = sequence_form(game_of(model, "native"), limit=limit)
    except (TooLarge, Endless):
        return None
    return InformationSets(form.counts, form.histories, False)


def perft(game: Game[P, M], depth: int, *, seconds: float | None = None) -> int:
    """How many plays of exactly `depth` moves there are; plays that end earlier do not count.

    Raises TimeoutError if it takes longer than `seconds`. A compiled game is counted by its machine code
    where that is worth it; so it is by the other functions here.
    """
    clock = _Clock(seconds)
    layer = _initial_layer(game)
    if depth == 0:
        return sum(layer.values())
    for done in range(depth - 1):
        if _is_for_kernels(game, layer):
            from solvers.whole.kernels.counting import plays_of_length

            return plays_of_length(game, layer, depth - done)
        layer = _next_layer(game, layer, clock)
    return sum(count * _fan_out(game, position, clock) for position, count in layer.items())


def divided(game: Game[P, M], depth: int, position: P) -> dict[M, int]:
    """How many plays of exactly `depth` moves, at least one, begin with each move that is legal there."""
    from solvers.views.starting_at import StartingAt

    if game.to_move(position) == TERMINAL:
        return {}
    return {
        move: sum(
            perft(StartingAt(game, outcome.position), depth - 1) for outcome in game.outcomes(position, move)
        )
        for move in game.moves(position)
    }


def distinct_positions(game: Game[P, M], depth: int, *, seconds: float | None = None) -> int:
    """How many positions a play of exactly `depth` moves can lead to. Raises TimeoutError as above."""
    clock = _Clock(seconds)
    layer = _initial_layer(game)
    for done in range(depth):
        if _is_for_kernels(game, layer):
            from solvers.whole.kernels.counting import positions_after

            return positions_after(game, layer, depth - done)
        layer = _next_layer(game, layer, clock)
    return len(layer)


def count_positions(
    game: Game[P, M],
    *,
    max_positions: int | None = None,
    watch: Watch | None = None,
    seconds: float | None = None,
) -> int | None:
    """How many positions can be reached; None if they are more than `max_positions`. Raises TimeoutError as
    above.
    """
    clock = _Clock(seconds)
    seen: set[Any] = {outcome.position for outcome in game.initial()}
    waiting = list(seen)
    expanded = 0
    while waiting:
        if max_positions is None and watch is None and _is_for_kernels(game, seen):
            from solvers.whole.kernels.counting import positions

            return positions(game)
        position = waiting.pop()
        for move in game.moves(position):
            for outcome in game.outcomes(position, move):
                if outcome.position not in seen:
                    seen.add(outcome.position)
                    waiting.append(outcome.position)
        clock.look()
        if max_positions is not None and len(seen) > max_positions:
            return None
        expanded += 1
        if watch is not None and expanded % _WATCH_EVERY == 0:
            watch(len(seen), len(waiting), 0)
    return len(seen)


def count_plays(
    game: Game[P, M], *, max_positions: int | None = None, seconds: float | None = None
) -> int | None:
    """How many complete plays there are; None if plays can repeat or there are too many positions. Raises
    TimeoutError as above.
    """
    if max_positions is None and getattr(game, "compiled", None) is not None:
        from solvers.whole.kernels.counting import plays

        return plays(game)
    clock = _Clock(seconds)
    return _Explorer(game, max_positions, None, None, clock).run().plays


_FEW = 200
"""Positions that are counted sooner than kernels are ready."""


def _is_for_kernels(game: Game[P, M], positions: Collection[Any]) -> bool:
    return len(positions) > _FEW and getattr(game, "compiled", None) is not None


class _Clock:
    """Says when time is over: that of the processor, which other programs do not take away."""

    def __init__(self, seconds: float | None):
        self._end = None if seconds is None else process_time() + seconds

    def look(self) -> None:
        if self._end is not None and process_time() > self._end:
            raise TimeoutError


def _initial_layer(game: Game[P, M]) -> Counter[Any]:
    return Counter(outcome.position for outcome in game.initial())


def _next_layer(game: Game[P, M], layer: Counter[Any], clock: _Clock) -> Counter[Any]:
    """Positions one move on, with the number of plays that lead to each."""
    following: Counter[Any] = Counter()
    for position, count in layer.items():
        clock.look()
        for move in game.moves(position):
            for outcome in game.outcomes(position, move):
                following[outcome.position] += count
    return following


def _fan_out(game: Game[P, M], position: P, clock: _Clock) -> int:
    """How many outcomes all moves have."""
    clock.look()
    if not game.traits.chance:
        return len(game.moves(position))
    return sum(len(game.outcomes(position, move)) for move in game.moves(position))


class _Explorer(Generic[P, M]):
    """Breadth-first search that numbers positions as it meets them and keeps the graph.

    Position i was first reached from `parent[i]` by `by_move[i]`. Its successors, one for each outcome of
    each move, are edges[start[i] : start[i + 1]]; positions are expanded in the order of their numbers.
    """

    def __init__(
        self,
        game: Game[P, M],
        max_positions: int | None,
        max_depth: int | None,
        watch: Watch | None,
        clock: _Clock,
    ):
        self._clock = clock
        self._game = game
        self._max_positions = max_positions
        self._max_depth = max_depth
        self._watch = watch
        self._number: dict[Any, int] = {}
        self._positions: list[Any] = []
        self._parent: list[int] = []
        self._by_move: list[M | None] = []
        self._depth = array("L")
        self._edges = array("L")
        self._start = array("L", [0])
        self._terminal: Counter[tuple[Number, ...]] = Counter()
        self._branches: Counter[int] = Counter()
        self._violations: dict[Any, Violation[P, M]] = {}
        self._initial_plays: list[int] = []
        self._cut = False

    def run(self) -> Exploration[P, M]:
        self._meet_initial()
        here = 0
        while here < len(self._positions) and not self._too_many():
            self._expand(here)
            self._clock.look()
            here += 1
            if self._watch is not None and here % _WATCH_EVERY == 0:
                self._watch(len(self._positions), len(self._positions) - here, self._depth[here - 1])
        if here < len(self._positions):
            self._cut = True
        return self._report()

    # ----------------------------------------------------------------------- search

    def _meet_initial(self) -> None:
        try:
            outcomes = self._game.initial()
        except GameError as error:
            self._violations[_kind(error)] = Violation(error.diagnostics, None, (), None)
            self._cut = True
            return
        for outcome in outcomes:
            self._initial_plays.append(self._meet(outcome.position, -1, None, 0))

    def _meet(self, position: Hashable, parent: int, move: M | None, depth: int) -> int:
        number = self._number.setdefault(position, len(self._positions))
        if number == len(self._positions):
            self._positions.append(position)
            self._parent.append(parent)
            self._by_move.append(move)
            self._depth.append(depth)
        return number

    def _too_many(self) -> bool:
        return self._max_positions is not None and len(self._positions) > self._max_positions

    def _expand(self, here: int) -> None:
        game, position, depth = self._game, self._positions[here], self._depth[here]
        move: M | None = None
        try:
            if game.to_move(position) == TERMINAL:
                self._terminal[tuple(game.utility(position))] += 1
            elif depth == self._max_depth:
                self._cut = True
            else:
                game.features(position)
                game.evaluate(position)
                moves = game.moves(position)
                self._branches[len(moves)] += 1
                for move in moves:
                    for outcome in game.outcomes(position, move):
                        self._edges.append(self._meet(outcome.position, here, move, depth + 1))
        except GameError as error:
            self._violate(error, here, move)
        self._start.append(len(self._edges))

    def _violate(self, error: GameError, here: int, move: M | None = None) -> None:
        self._cut = True
        if _kind(error) not in self._violations:
            start, path = self._path(here)
            self._violations[_kind(error)] = Violation(error.diagnostics, start, path, move)

    def _path(self, number: int) -> tuple[P, tuple[tuple[M, P], ...]]:
        """The shortest play to a position: the initial position, and the moves with where they led."""
        steps: list[tuple[M, P]] = []
        while (move := self._by_move[number]) is not None:
            steps.append((move, self._positions[number]))
            number = self._parent[number]
        return self._positions[number], tuple(reversed(steps))

    # ----------------------------------------------------------------------- report

    def _report(self) -> Exploration[P, M]:
        order = self._topological_order()
        acyclic = len(order) == len(self._positions)
        known = acyclic and not self._cut
        plays_per_depth, distinct = self._layers(acyclic)
        first_met = Counter(self._depth)
        return Exploration(
            complete=not self._cut,
            positions=len(self._positions),
            first_met=tuple(first_met[depth] for depth in range(len(first_met))),
            distinct=distinct,
            perft=plays_per_depth,
            terminal=dict(self._terminal),
            branching=self._branching(),
            repeats=True if not acyclic else None if self._cut else False,
            longest=self._longest(order) if known else None,
            plays=self._count_plays(order) if known else None,
            violations=tuple(self._violations.values()),
        )

    def _branching(self) -> Branching | None:
        if not self._branches:
            return None
        total = self._branches.total()
        mean = sum(size * count for size, count in self._branches.items()) / total
        return Branching(min(self._branches), mean, max(self._branches))

    def _successors(self, number: int) -> array[int]:
        if number + 1 >= len(self._start):  # never expanded
            return array("L")
        return self._edges[self._start[number] : self._start[number + 1]]

    def _topological_order(self) -> list[int]:
        """Positions before all their successors; those on or behind a cycle are left out (Kahn)."""
        pending = [0] * len(self._positions)
        for successor in self._edges:
            pending[successor] += 1
        order = [number for number, count in enumerate(pending) if count == 0]
        for number in order:  # grows as it is walked
            for successor in self._successors(number):
                pending[successor] -= 1
                if pending[successor] == 0:
                    order.append(successor)
        return order

    def _longest(self, order: list[int]) -> int:
        """The greatest number of moves of any play."""
        longest = [0] * len(self._positions)
        for number in reversed(order):
            longest[number] = max((1 + longest[s] for s in self._successors(number)), default=0)
        return max((longest[number] for number in self._initial_plays), default=0)

    def _count_plays(self, order: list[int]) -> int:
        """Plays from an initial to a terminal position."""
        plays = [0] * len(self._positions)
        for number in reversed(order):
            plays[number] = sum(plays[s] for s in self._successors(number)) or 1
        return sum(plays[number] for number in self._initial_plays)

    def _layers(self, acyclic: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Plays, and positions, by the exact number of moves; as deep as all positions were expanded.

        Where plays can repeat there is no last layer: it goes to the depth of the search, or until it has
        done ten times the work of the search.
        """
        if not self._positions:
            return (), ()
        deepest = self._expanded_depth() if self._cut or not acyclic else len(self._positions)
        work = 10 * len(self._edges) + 1_000_000
        layer = Counter(self._initial_plays)
        plays, distinct = [], []
        while layer and work > 0:
            plays.append(layer.total())
            distinct.append(len(layer))
            if len(plays) > deepest:
                break
            following: Counter[int] = Counter()
            for number, count in layer.items():
                successors = self._successors(number)
                work -= len(successors)
                for successor in successors:
                    following[successor] += count
            layer = following
        return tuple(plays), tuple(distinct)

    def _expanded_depth(self) -> int:
        """The number of moves up to which every play was followed."""
        expanded = len(self._start) - 1
        return self._depth[expanded] if expanded < len(self._positions) else self._depth[-1]


def _kind(error: GameError) -> Hashable:
    """Violations of one kind: the same rules breaking at the same places."""
    return tuple((d.code, d.span) for d in error.diagnostics)


__all__ = [
    "Branching",
    "Exploration",
    "Violation",
    "count_plays",
    "count_positions",
    "distinct_positions",
    "explore",
    "perft",
]
