"""One point of a sweep: the game with these parameters, and what it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from gdl.diagnostics import GameError, Source

if TYPE_CHECKING:
    from gdl.game import Game
    from solvers.core.result import Result

Row = dict[str, Any]


MOST_BEST = 3
"""Moves that are named where several are best."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked at every point."""

    source: Source
    params: Mapping[str, str]  # those that stay as they are
    solver: str | None = None
    agents: tuple[tuple[str, str], ...] = ()  # players with their agents
    simulations: int | None = None
    seed: int | None = None
    exact: bool = False
    threads: int | None = None

    def as_data(self) -> dict[str, Any]:
        """All that an answer depends on."""
        return {
            "game": self.source.name,
            "text": self.source.text,
            "params": dict(self.params),
            "solver": self.solver,
            "agents": [list(pair) for pair in self.agents],
            "simulations": self.simulations,
            "seed": self.seed,
            "exact": self.exact,
        }


def alone(question: Question) -> Question:
    """What a worker is asked that is one of several: each has a core for itself."""
    return replace(question, threads=1)


def numbered(question: Question, point: tuple[int, Mapping[str, str]]) -> Row:
    """The row of a point that has a number in the table."""
    return answer(question, point[1])


def answer(question: Question, point: Mapping[str, str]) -> Row:
    """A row of the table: the point, the values, how they are known, and what that took. A game that cannot
    be loaded or is refused has an empty value and says why: the others may do."""
    began = perf_counter()
    try:
        result, game = _result(question, point)
    except GameError as error:
        return {**point, "value": None, "problem": error.diagnostics[0].message}
    row: Row = dict(point)
    first = result.values[0]
    row["value"] = None if first is None else _rounded(first.number)
    row["low"], row["high"] = _ends(first)
    row["exact"] = None if first is None else first.as_data()["exact"]
    if len(game.players) > 1 and not game.traits.zero_sum:
        for player, value in zip(game.players[1:], result.values[1:], strict=True):
            row[f"value of {player}"] = None if value is None else _rounded(value.number)
    best = [move.text for move in result.moves if move.best]
    row["best"] = " or ".join(best) if 0 < len(best) <= MOST_BEST else None
    row["score"] = _score(game, row["value"])
    row["kind"] = result.kind
    row["solver"] = result.solver
    row["positions"] = result.work.positions
    row["seconds"] = round(perf_counter() - began, 4)
    row["problem"] = None
    return row


def _result(question: Question, point: Mapping[str, str]) -> tuple[Result, Game[Any, Any]]:
    from gdl.evaluating import evaluate
    from gdl.loading import fastest, load_model
    from gdl.searching import is_search, search
    from gdl.solving import solve

    game, _ = fastest(load_model(question.source, {**question.params, **point}))
    if question.agents or question.simulations is not None:
        found = evaluate(
            game, dict(question.agents), simulations=question.simulations, seed=question.seed,
            exact=question.exact, threads=question.threads,
        )  # fmt: skip
        return found, game
    if question.solver is not None and is_search(question.solver):
        options: dict[str, Any] = {} if question.seed is None else {"seed": question.seed}
        return search(game, question.solver, **options), game
    return solve(game, question.solver, exact=question.exact, threads=question.threads), game


def _rounded(number: Any) -> float | None:
    from solvers.core.numbers import as_float

    return as_float(number)


def _ends(value: Any) -> tuple[float | None, float | None]:
    """What is known of a value: both ends are itself where it is exact."""
    if value is None:
        return None, None
    if value.low is None or value.high is None:
        return (_rounded(value.number),) * 2 if value.kind == "exact" else (None, None)
    return _rounded(value.low), _rounded(value.high)


def _score(game: Game[Any, Any], value: float | None) -> float | None:
    """The first player's wins, a draw counted half, where plays pay from -1 to 1 and nothing on the way."""
    bounds = game.traits.value_bounds[0]
    if value is None or game.traits.discount != 1 or tuple(map(float, bounds)) != (-1.0, 1.0):
        return None
    return (value + 1) / 2
