"""Searching a position: what `gdl search` does, for Python and the command. `solvers.plan` decides how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from time import monotonic
from typing import TYPE_CHECKING, Any

from gdl.answers import AnyGame, check_game, described, situation_of
from gdl.asking import asked
from gdl.diagnostics.facts import plain, table_lines
from gdl.diagnostics.render import Styled
from gdl.diagnostics.wording.phrases import counted

if TYPE_CHECKING:
    from solvers.core.result import Result
    from solvers.plan import Plan


@asked
def search(
    game: AnyGame,
    solver: str | None = None,
    *,
    at: Any = None,
    moves: str | None = None,
    **options: Any,
) -> Result:
    """What a position is worth and what to play there, looking ahead from it: what `gdl search` prints.

    solver    a search with its options, such as "alphabeta" or "mcts(c=0.7)"; without, as `plan` says
    at        the position, or its text; without, the start of the game
    moves     moves to make first, as text: "place(a1) place(b2)"
    depth, time, nodes, simulations, and all options of the search (`docs/solvers.md`) as arguments

    Without a limit it takes 3 seconds at most. The answer says whether it is exact, between proven bounds, or
    an estimate. Where something is hidden only what the player to move knows is searched; what chance does
    before that and is not said is drawn, by the seed.

    >>> import gdl
    >>> result = gdl.search(gdl.load("tictactoe"), "alphabeta", moves="place(a1) place(b1)")
    >>> result.value, result.kind
    (1, 'exact')
    """
    check_game(game)
    plan, rest = planned_search(game, solver, options)
    return searched(game, situation_of(game, at, moves, rest.get("seed")), plan, rest)


def planned_search(
    game: AnyGame, solver: str | None, options: Mapping[str, Any], endless: bool = False
) -> tuple[Plan, dict[str, Any]]:
    """How a position is searched, and the options beside limits; `endless`: the usual limit does not hold."""
    from solvers.agents.kinds import search_described
    from solvers.core.refusal import bad_option
    from solvers.options import OPTIONS
    from solvers.plan import LIMITS, SECONDS, plan_search
    from solvers.registry import choose, find

    given = {name: value for name, value in options.items() if value is not None}
    if solver is not None:
        entry, written = search_described(solver, game)
        entry.check_options(given)
        given = given | written  # what is said of one search goes before what is said of all
        entry.check_options(given)
        name: str | None = entry.name
    else:
        for option in (*LIMITS, "seed"):
            if option in given and not OPTIONS[option].takes(given[option]):
                raise bad_option(
                    f"`{option}` cannot be {given[option]!r}", f"It is {OPTIONS[option].expected}."
                )
        special = [option for option in given if option not in (*LIMITS, "seed")]
        name = None
        if special:  # then the first search that has them
            suited = choose(game, "search")[0]
            names = [each for each in (suited, "mcts") if set(special) <= {*find(each).options}]
            name = (names or [suited])[0]
            find(name).check_options(given)
    limits = {option: given.pop(option) for option in LIMITS if option in given}
    return plan_search(game, name, limits, None if endless else SECONDS), given


def searched(game: AnyGame, position: Any, plan: Plan, options: Mapping[str, Any]) -> Result:
    """The answer of a plan, in the words of the game."""
    from solvers.portfolio import follow

    result = follow(plan, game, position, options)
    reason = next((step.reason for step in plan.steps if step.solver == result.solver), "")
    if plan.usual:
        reason = "; ".join(filter(None, (reason, f"within {plan.seconds:g} s, as no limit is given")))
    model = getattr(game, "model", None)
    unproven = 0 if model is None else len(model.obligations)
    return replace(described(game, position, result, reason), unproven=unproven)


GLANCE = 0.25
"""The share of its time after which it is asked of a search whether it tells moves apart."""


def advised(game: AnyGame, position: Any, solver: str | None, seconds: float, **options: Any) -> Result:
    """What is best in a position, found in about so many seconds by the clock, for people who are to choose.

    Where no search is asked for, and one that judges positions sees no difference between the moves at a
    glance, simulated plays are asked for the rest of the time: the same estimate of them all helps nobody. If
    plays see none either, the search is believed.
    """
    from solvers.portfolio import is_proven
    from solvers.registry import applies

    until = monotonic() + seconds

    def asked_for(solver: str | None, time: float) -> Result:
        plan, rest = planned_search(game, solver, {"time": time})
        return searched(game, position, plan, rest | options)

    plan, _ = planned_search(game, None, {"time": seconds})
    if solver or plan.steps[-1].solver == "mcts" or applies("mcts", game) is not None:
        return _noted(asked_for(solver, seconds), solver)
    result = asked_for(None, seconds * GLANCE)
    if is_proven(result):
        return result
    left = max(until - monotonic(), seconds * GLANCE)  # what is to be loaded first has its own time
    if not _alike(result):
        return _noted(asked_for(None, left))
    plays = asked_for("mcts", left)
    if _alike(plays):
        return _noted(result)
    return replace(plays, how=f"{plays.how}; {result.solver} sees no difference between the moves")


def _noted(result: Result, solver: str | None = None) -> Result:
    """The answer of a search, with a word where nobody asked for it and it sees no difference."""
    if solver or result.work.rounds is not None or not _alike(result):
        return result
    return replace(result, how=f"{result.how}; it sees no difference between the moves")


def _alike(result: Result) -> bool:
    """Whether all moves are estimated the same; what floats add up in another order counts as the same."""
    from solvers.portfolio import is_proven

    worths = [move.value for move in result.moves]
    if is_proven(result) or len(worths) < 2:
        return False
    known = [float(worth.number) for worth in worths if worth is not None]
    if not known:
        return True
    return len(known) == len(worths) and all(isclose(each, known[0], abs_tol=1e-12) for each in known)


@dataclass(frozen=True)
class Comparison:
    """What several searches say of the same position. `print` shows what `gdl search` shows of several."""

    results: tuple[tuple[str, Result], ...]  # by their descriptions

    def report(self) -> Iterator[Styled]:
        """A row for each move and a column for each search, then what they cost."""
        first = self.results[0][1]
        given = "".join(f", {name}={value}" for name, value in first.params)
        yield [(first.game, "bold"), (given, "")]
        yield []
        names = [name for name, _ in self.results]
        moves = dict.fromkeys(move.text for _, result in self.results for move in result.moves)
        rows = [[text, *(_worth(result, text) for _, result in self.results)] for text in moves]
        if first.values:
            rows.append(["value", *(f"{result.values[0]}  " for _, result in self.results)])
        for name, counts in (
            ("nodes", [result.work.nodes for _, result in self.results]),
            ("simulations", [result.work.rounds for _, result in self.results]),
            ("cuts", [result.work.cuts for _, result in self.results]),
        ):
            if any(count is not None for count in counts):
                rows.append([name, *("" if count is None else f"{count:,}  " for count in counts)])
        who = f"moves of {first.to_move}" if moves else ""
        yield from table_lines([who, *names], rows, names)
        yield []
        starred = "; * best" if moves else ""
        yield [(f"the value is that of {first.players[0]}{starred}", "")]

    def __str__(self) -> str:
        return plain(self.report())

    def as_data(self) -> list[dict[str, Any]]:
        return [{"search": name} | result.as_data() for name, result in self.results]


def _worth(result: Result, text: str) -> str:
    """The value of a move, as the search knows it."""
    for move in result.moves:
        if move.text == text:
            worth = "not better" if move.value is None else str(move.value)
            tried = "" if move.visits is None else f", {counted(move.visits, 'play')}"
            return f"{worth}{tried} {'*' if move.best else ' '}"
    return ""


@asked
def compare(
    game: AnyGame, solvers: Sequence[str], *, at: Any = None, moves: str | None = None, **options: Any
) -> Comparison:
    """Several searches of the same position, side by side; their options as in `search`."""
    check_game(game)
    found = []
    for solver in solvers:
        plan, rest = planned_search(game, solver, options)
        situation = situation_of(game, at, moves, rest.get("seed"))
        found.append((solver, searched(game, situation, plan, rest)))
    return Comparison(tuple(found))


def is_search(solver: str) -> bool:
    """Whether the description is one of a solver that looks ahead from a position or simulates plays."""
    from solvers.registering import known

    row = known("solver", solver.partition("(")[0].strip())
    return row is not None and row.looks_ahead
