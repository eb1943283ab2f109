"""The fast twins by the names of the textbook solvers, with the same arguments.

A game that will not fit memory is refused before it is explored; one whose numbers do not fit machine words
is solved by the textbook solvers, in rationals.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gdl.game import Game
from solvers.core.refusal import TooFine
from solvers.core.result import Result
from solvers.core.rounding import exact_twin
from solvers.plan import Plan, plan_whole
from solvers.registry import find
from solvers.whole.kernels.solve import Settings, solve_whole

SINCE_TOO_FINE = "; in rationals, since its numbers do not fit machine words"


def backward_induction(game: Game[Any, Any], at: Any = None, *, limit: int | None = None) -> Result:
    return _solved(game, "backward_induction", at, Settings(limit=limit))


def retrograde(game: Game[Any, Any], at: Any = None, *, limit: int | None = None) -> Result:
    return _solved(game, "retrograde", at, Settings(limit=limit))


def value_iteration(
    game: Game[Any, Any],
    at: Any = None,
    *,
    precision: float = 1e-9,
    limit: int | None = None,
    time: float | None = None,
) -> Result:
    settings = Settings(precision=float(precision), limit=limit, time=time)
    return _solved(game, "value_iteration", at, settings)


def policy_iteration(
    game: Game[Any, Any], at: Any = None, *, exact: bool = True, limit: int | None = None
) -> Result:
    if not exact:
        return value_iteration(game, at, limit=limit)
    return _solved(game, "policy_iteration", at, Settings(limit=limit, exact=True))


def in_rationals(game: Game[Any, Any], solver: str, at: Any, limit: int | None) -> Result:
    """The textbook solvers' answer for a game whose numbers do not fit machine words."""
    solver = "policy_iteration" if solver == "value_iteration" else solver
    limits = {} if limit is None else {"limit": limit}
    found: Result = find(solver).textbook(exact_twin(game), at, **limits)
    return replace(found, how=found.how + SINCE_TOO_FINE)


def solved_by(plan: Plan, game: Game[Any, Any], at: Any) -> Result:
    """What comes of following a plan."""
    settings = plan.kept().settings
    assert settings is not None, "the plan of a compiled game has settings"
    try:
        return solve_whole(game, plan.solver, at, settings).result
    except TooFine:
        return in_rationals(game, plan.solver, at, settings.limit)


def _solved(game: Game[Any, Any], solver: str, at: Any, settings: Settings) -> Result:
    return solved_by(plan_whole(game, solver, at, settings), game, at)
