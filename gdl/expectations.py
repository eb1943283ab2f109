"""Testing the `expect` lines of a game: what the file claims against what engines and solvers find.

The value of a small game is computed by every solver that applies, and all of them have to agree with each
other and with the file. For a larger game only the strongest solvers are asked, and where they are not done
within their budget, the best one gets the fastest engine and all the time it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from time import perf_counter
from typing import Any

import solvers
from gdl.crew.work import Job
from gdl.diagnostics import Diagnostic, GameError, Source
from gdl.diagnostics import commands as wording
from gdl.diagnostics.wording.phrases import listing
from gdl.evaluating import BEST, evaluate
from gdl.exploration import Exploration, count_plays, count_positions, distinct_positions, explore, perft
from gdl.game import TERMINAL, Game, Number, Outcome
from gdl.loading import fastest, game_of, load_model
from gdl.model.nodes import Expectation, Model, Setting
from gdl.solving import solve
from solvers.core.refusal import Refusal, Repeats, TooLarge
from solvers.core.result import Result, Value
from solvers.core.rounding import infinite
from solvers.registry import SOLVERS, Solver, applicable
from solvers.views.starting_at import StartingAt

SMALL = 2_000
"""Games of so many positions are small: every solver is asked."""

TREE = 5_000
"""Where the tree of all plays has more nodes than this, searches are asked only if they keep a table of
positions and there is no chance, under which they meet a position again and again with other bounds."""

BUDGET = 30_000
"""So many positions may a solver look at in a small game before it has to give up."""

SEARCH = 5_000_000
"""So many nodes may a search of a large game look at before all of its positions are visited instead."""

CROSS_CHECK = 50_000
"""Large games of up to so many positions are solved by all solvers of whole games, larger ones by one."""

MOMENT = 1.0
"""Seconds in which the exact engine may count before machine code does."""

HISTORIES = 20_000
"""Games with hidden information of so many histories are solved in two ways."""

PRECISION = Fraction(1, 10**9)
NARROW = Fraction(1, 10**6)
"""How far apart bounds are asked to be for a number that is given exactly, which they must contain, and how
far they may be at most, in proportion to it.
"""


class Status(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"  # no solver can know yet


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one expectation. `how` names what computed it."""

    expectation: Expectation
    status: Status
    how: tuple[str, ...] = ()
    message: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0

    def as_data(self) -> dict[str, Any]:
        return {
            "expectation": self.expectation.text,
            "line": self.expectation.span.line,
            "slow": self.expectation.slow,
            "status": self.status.value,
            "how": list(self.how),
            "message": self.message,
            "diagnostics": [diagnostic.as_data() for diagnostic in self.diagnostics],
            "seconds": self.seconds,
        }


def examine(model: Model, expectation: Expectation) -> Verdict:
    """Whether the game meets an expectation. Faults of the game count as failures; nothing is raised."""
    started = perf_counter()
    try:
        status, how, message, diagnostics = _Examination(model, expectation).run()
    except GameError as error:
        quoted = tuple(diagnostic.quoted_in(expectation.span) for diagnostic in error.diagnostics)
        status, how, message, diagnostics = Status.FAILED, (), str(GameError(quoted)), quoted
    return Verdict(expectation, status, how, message, diagnostics, perf_counter() - started)


_Finding = tuple[Status, tuple[str, ...], str, tuple[Diagnostic, ...]]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one way of computing found, and whether that is what is expected."""

    how: str
    found: str
    fits: bool


class _Examination:
    def __init__(self, model: Model, expectation: Expectation):
        self.expectation = expectation
        self.source = model.source
        params = expectation.params
        self.model = load_model(model.source, params) if params else model
        self.game: Game[Any, Any] = game_of(self.model, "reference")

    def run(self) -> _Finding:
        quantity = self.expectation.quantity
        if quantity in ("value", "best"):
            if isinstance(self.expectation.value, Setting):
                return self.compared(self.expectation.value)
            return self.solved() if _all_best(self.expectation.setting) else self.played()
        counted: dict[str, Callable[[], _Answer]] = {
            "legal": self.legal,
            "terminal": self.terminal,
            "perft": self.perft,
            "positions": self.positions,
            "plays": self.plays,
        }
        return self.judge([counted[quantity]()])

    def judge(self, answers: Sequence[_Answer]) -> _Finding:
        """All of them have to say what the file says."""
        text, span = self.expectation.text, self.expectation.span
        how = tuple(answer.how for answer in answers)
        wrong = [answer for answer in answers if not answer.fits]
        if not wrong:
            return Status.PASSED, how, "", ()
        if len(wrong) < len(answers):
            pairs = [(answer.how, answer.found) for answer in answers]
            diagnostic = wording.solvers_disagree(text, pairs, span)
        else:
            diagnostic = wording.expectation_failed(text, wrong[0].found, ", ".join(how), span)
        return Status.FAILED, how, diagnostic.message, (diagnostic,)

    # ------------------------------------------------------------------ where to look

    def position(self, game: Game[Any, Any]) -> Any:
        """The position the line speaks of; None for the start of the game, which chance may choose."""
        expectation = self.expectation
        position = None if expectation.start is None else game.parse_position(expectation.start)
        for text in expectation.moves:
            if position is None:
                position = self.only(game.initial(), "the start is drawn at random")
            move = game.parse_move(position, text)
            position = self.only(game.outcomes(position, move), f"chance decides what comes after `{text}`")
        return position

    def only(self, outcomes: Sequence[Outcome], problem: str) -> Any:
        if len(outcomes) != 1:
            raise self.untestable(problem)
        return outcomes[0].position

    def untestable(self, reason: str) -> GameError:
        return GameError([wording.cannot_be_tested(self.expectation.text, reason, self.expectation.span)])

    def from_there(self, game: Game[Any, Any] | None = None) -> Game[Any, Any]:
        """The game that starts where the line says."""
        game = self.game if game is None else game
        position = self.position(game)
        return game if position is None else StartingAt(game, position)

    # ----------------------------------------------------------------------- counting

    def legal(self) -> _Answer:
        game, expected = self.game, self.expectation.value
        position = self.position(game)
        if position is None:
            position = self.only(game.initial(), "the start is drawn at random")
        moves = game.moves(position)
        if isinstance(expected, frozenset):
            wanted = {game.parse_move(position, text) for text in expected}
            return _Answer("the engine", _moves(game, moves), wanted == set(moves))
        return self.count("the engine", len(moves))

    def terminal(self) -> _Answer:
        position = self.position(self.game)
        if position is None:
            position = self.only(self.game.initial(), "the start is drawn at random")
        over = self.game.to_move(position) == TERMINAL
        found = "the game is over" if over else "the game goes on"
        return _Answer("the engine", found, over is self.expectation.value)

    def perft(self) -> _Answer:
        return self.count("counting plays", self.soon(perft, *self.expectation.arguments) or 0)

    def positions(self) -> _Answer:
        counting = distinct_positions if self.expectation.arguments else count_positions
        return self.count("exploration", self.soon(counting, *self.expectation.arguments) or 0)

    def plays(self) -> _Answer:
        plays = self.soon(count_plays)
        if plays is None:
            raise self.untestable("plays can repeat positions, so there is no end of them")
        return self.count("counting plays", plays)

    def soon(self, counting: Callable[..., int | None], *arguments: int) -> int | None:
        """What is counted on the exact engine if that takes a moment, and else by machine code."""
        try:
            return counting(self.from_there(), *arguments, seconds=MOMENT)
        except TimeoutError:
            return counting(self.from_there(fastest(self.model)[0]), *arguments)

    def count(self, how: str, found: int) -> _Answer:
        return _Answer(how, f"{found:,}", self.fits(Value.exact(found), self.expectation.value))

    # ----------------------------------------------------------------------- policies

    def played(self) -> _Finding:
        """The value under given policies, by each engine where the game is small; never by simulation."""
        agents = self.expectation.setting.agents
        small = explore(self.from_there(), max_positions=SMALL).complete
        answers = []
        for engine in ("reference", "native") if small else ("native",):
            game = self.game if engine == "reference" else _native(self.source, self.expectation.setting)
            position = self.position(game)
            result = evaluate(game, agents, at=position, precision=float(self.precision))
            if result.kind == "estimate":
                raise self.untestable("an agent that is no policy can only be watched playing")
            answers.append(self.answer(f"{result.solver} on the {engine} engine", result, game, position))
        return self.judge(answers)

    def compared(self, other: Setting) -> _Finding:
        """One value of the game against another one: both by the solver that suits the game best."""
        found = []
        for setting in (self.expectation.setting, other):
            game = _native(self.source, setting)
            result = evaluate(game, setting.agents, at=self.position(game), precision=float(self.precision))
            if result.kind == "estimate":
                raise self.untestable("an agent that is no policy can only be watched playing")
            found.append((result.solver, self.of_first(result)))
        (how, mine), (other_how, yours) = found
        fits = self.fits(mine, *_ends(yours))
        return self.judge([_Answer(f"{how}, {other_how}", f"{mine} against {yours}", fits)])

    def of_first(self, result: Result) -> Value:
        """The first player's value, of which a line speaks that names one number."""
        if result.values[0] is None:
            raise self.untestable(f"nothing is known of what {self.game.players[0]} gets")
        return result.values[0]

    # ------------------------------------------------------------------------ solving

    def solved(self) -> _Finding:
        if self.game.traits.hidden:
            return self.in_equilibrium()
        ways = [solver for solver in applicable(self.game) if _gives_the_value(solver, self.game)]
        if not ways:
            raise self.untestable("no solver applies")
        seen = explore(self.from_there(), max_positions=SMALL)
        answers = self.by_all(ways, seen) if seen.complete else self.by_the_strongest(ways)
        if not answers:
            raise self.untestable(f"{listing([solver.name for solver in ways])} cannot do it")
        return self.judge(answers)

    def in_equilibrium(self) -> _Finding:
        """The value of a game with hidden information, by the solver that suits it; two opposed players
        also by one that works in another way, if it is done soon."""
        if self.expectation.quantity == "best":
            raise self.untestable("what is best depends on what the player has seen")
        game = game_of(self.model, "native")
        position = self.position(game)
        result = solve(game, at=position, precision=float(self.precision))
        if result.kind == "estimate":
            return Status.NOT_CHECKED, (), "no equilibrium was found, only play with little regret", ()
        answers = [self.answer(result.solver, result, game, position)]
        if result.solver == "sequence_form" and game.traits.players == 2:
            limits = {"time": MOMENT, "limit": HISTORIES}
            answers += self.attempts(game, [SOLVERS["pcfr_plus"]], limits)
        return self.judge(answers)

    def by_all(self, ways: Sequence[Solver], seen: Exploration[Any, Any]) -> list[_Answer]:
        """The answers for a small game, on the exact engine; searches only where they can be done soon."""
        searches = [solver for solver in ways if solver.family == "search"]
        if seen.repeats:  # the tree of plays has no end
            searches = []
        elif sum(seen.perft) > TREE:
            tabled = [solver for solver in searches if "table" in solver.options]
            searches = [] if self.game.traits.chance else tabled
        graphs = [solver for solver in ways if solver.family == "graph"]
        return self.attempts(self.game, [*searches, *graphs], _positions(BUDGET))

    def by_the_strongest(self, ways: Sequence[Solver]) -> list[_Answer]:
        """The answers for a large game, on the fast engine: of the strongest, and of others if they can."""
        game, _ = fastest(self.model)
        searches = [solver for solver in ways if solver.family == "search"]
        graphs = [solver for solver in ways if solver.family == "graph"]
        first = self.searched(game, searches[:1])
        if first is None:
            best, _ = solvers.choose(game)
            graphs = [solver for solver in graphs if solver.name != best]
            first = self.visited(game, SOLVERS[best], searches)
        return [*([first] if first else []), *self.attempts(game, graphs, _positions(CROSS_CHECK))]

    def searched(self, game: Game[Any, Any], ways: Sequence[Solver]) -> _Answer | None:
        """A value that a search finds within its nodes: without chance it may need only a part of all."""
        if self.expectation.quantity != "value" or game.traits.chance or not game.traits.acyclic:
            return None  # one best move is enough for a search, not for the file
        return next(iter(self.attempts(game, ways, _positions(SEARCH))), None)

    def visited(self, game: Game[Any, Any], best: Solver, searches: Sequence[Solver]) -> _Answer | None:
        """The answer of a solver that visits everything; of a search where that is too much."""
        try:
            return self.ask(game, best, {})
        except (TooLarge, Repeats) as refusal:
            if not searches:
                raise
            first = self.ask(game, searches[0], {})  # may find its way where not everything can be visited
            if first is None:
                raise self.untestable(refusal.reason) from None
            return first

    def attempts(
        self, game: Game[Any, Any], ways: Sequence[Solver], limits: Mapping[str, float]
    ) -> list[_Answer]:
        """The answers of those solvers that are done within the budget.

        Too many positions, or plays that repeat, are not every solver's. Any other refusal is an answer too:
        that the game has no value.
        """
        answers = []
        for solver in ways:
            try:
                answers.append(self.ask(game, solver, limits))
            except (TooLarge, Repeats):
                continue
            except Refusal as refusal:
                answers.append(_Answer(solver.name, f"no value: {refusal.reason}", False))
        return [answer for answer in answers if answer is not None]

    def ask(self, game: Game[Any, Any], solver: Solver, limits: Mapping[str, float]) -> _Answer | None:
        """A solver's answer; None if it is only an estimate."""
        options = {**limits, "precision": self.precision}
        options = {name: value for name, value in options.items() if name in solver.options}
        game, position, result = self.found_by(game, solver, options)
        if result.partial or result.kind == "estimate":
            return None
        return self.answer(solver.name, result, game, position)

    def found_by(
        self, game: Game[Any, Any], solver: Solver, options: Mapping[str, Any]
    ) -> tuple[Game[Any, Any], Any, Result]:
        """What a solver finds, or found for another line about the same position: the value and the best
        moves are one answer."""
        place = self.source, self.expectation.setting.params, self.expectation.start, self.expectation.moves
        if _LAST.place != place:
            _LAST.place, _LAST.found = place, {}
        question = type(game), solver.name, tuple(sorted(options.items()))
        if question not in _LAST.found:
            position = self.position(game)
            result = solvers.solve(game, solver.name, at=position, **options)
            _LAST.found[question] = game, position, result
        return _LAST.found[question]

    @property
    def precision(self) -> Fraction:
        tolerance = self.expectation.tolerance
        return tolerance / 4 if tolerance else PRECISION

    def answer(self, how: str, result: Result, game: Game[Any, Any], position: Any) -> _Answer:
        expected = self.expectation.value
        if self.expectation.quantity == "best":
            if position is None:
                position = self.only(game.initial(), "the start is drawn at random")
            if not result.best:
                raise self.untestable("who plays best is not to move")
            wanted = {game.parse_move(position, text) for text in expected}
            return _Answer(how, _moves(game, result.best), wanted == set(result.best))
        if not isinstance(expected, tuple):
            mine = self.of_first(result)
            shown = f"a cost of {-mine}" if game.traits.minimise else str(mine)
            return _Answer(how, shown, self.fits(mine, expected))
        values = [value for value in result.values if value is not None]
        if len(values) < len(expected):
            known = [name for name, v in zip(game.players, result.values, strict=True) if v is not None]
            raise self.untestable(
                f"what {listing(known)} gets by responding best is one number, and what the others get may "
                "depend on which best response it is: expect one number"
            )
        fits = all(map(self.fits, values, expected))
        return _Answer(how, ", ".join(map(str, values)), fits)

    def fits(self, value: Value, expected: Number, most: Number | None = None) -> bool:
        """Whether everything the value can be is what is expected, up to the tolerance.

        What is expected may itself be known between bounds only, up to `most`.
        """
        low, high = _ends(value)
        least, most = expected, expected if most is None else most
        if self.expectation.tolerance is not None:
            reach = self.expectation.tolerance
            return least - reach <= low and high <= most + reach
        if infinite(expected):
            return low == high == expected
        doubt = NARROW * max(Fraction(1), abs(Fraction(expected)))
        match self.expectation.relation:
            case "<":
                return high < least
            case ">":
                return low > most
            case "<=":  # bounds cannot tell what is equal from what is greater by less than their distance
                return high <= least or (low <= most and high - least <= doubt)
            case ">=":
                return low >= most or (high >= least and most - low <= doubt)
        if value.kind == "exact" and least == most:
            return low == least == high
        return low <= most and least <= high and high - low <= doubt


@dataclass(slots=True)
class _Found:
    """What solvers found where the last line looked."""

    place: tuple[Any, ...] = ()
    found: dict[tuple[Any, ...], tuple[Game[Any, Any], Any, Result]] = field(default_factory=dict)


_LAST = _Found()


def _positions(budget: int) -> dict[str, int]:
    """So many positions may be looked at."""
    return {"limit": budget, "nodes": budget}


def _gives_the_value(solver: Solver, game: Game[Any, Any]) -> bool:
    """Whether the answer of the solver is the value of the game under best play of everyone."""
    if solver.family not in ("search", "graph"):
        return False
    if solver.name == "expectimax":
        return game.traits.players == 1
    if solver.name == "paranoid":
        return game.traits.players <= 2 and game.traits.zero_sum
    return True


def _native(source: Source, setting: Setting) -> Game[Any, Any]:
    """The game with these parameters on machine code; the last few are kept, for lines that speak of them."""
    return _compiled(source, tuple(sorted(setting.params.items())))


@lru_cache(maxsize=4)
def _compiled(source: Source, params: tuple[tuple[str, Any], ...]) -> Game[Any, Any]:
    return game_of(load_model(source, dict(params)), "native")


def _ends(value: Value) -> tuple[Number, Number]:
    """The numbers between which a value lies."""
    low, high = (value.number if bound is None else bound for bound in (value.low, value.high))
    return low, high


def _all_best(setting: Setting) -> bool:
    return all(agent == BEST for agent in setting.agents.values())


def _moves(game: Game[Any, Any], moves: Sequence[Any]) -> str:
    return "{" + ", ".join(game.format_move(move) for move in moves) + "}"


def examine_all(model: Model, *, slow: bool) -> Iterator[Verdict]:
    """The verdicts on the expectations of a game, those marked `slow` only if asked for."""
    return (examine(model, expectation) for expectation in model.expectations if slow or not expectation.slow)


def job_of(model: Model) -> Job[Source, Model, int, Verdict]:
    """The expectations of a game as work for others: a piece is the number of one."""
    return Job(load_model, _examined, model.source, model.source, own=model)


def _examined(model: Model, number: int) -> Verdict:
    return examine(model, model.expectations[number])
