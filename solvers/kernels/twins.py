"""The fast twins by the names of the textbook solvers, with the same arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gdl.game import Game
from solvers.kernels.solve import Settings, solve_whole
from solvers.result import Result


def backward_induction(game: Game[Any, Any], at: Any = None, *, limit: int | None = None) -> Result:
    return solve_whole(game, "backward_induction", at, Settings(limit=limit)).result


def retrograde(game: Game[Any, Any], at: Any = None, *, limit: int | None = None) -> Result:
    return solve_whole(game, "retrograde", at, Settings(limit=limit)).result


def value_iteration(
    game: Game[Any, Any],
    at: Any = None,
    *,
    precision: float = 1e-9,
    limit: int | None = None,
    time: float | None = None,
) -> Result:
    settings = Settings(precision=float(precision), limit=limit, time=time)
    return solve_whole(game, "value_iteration", at, settings).result


def policy_iteration(
    game: Game[Any, Any], at: Any = None, *, exact: bool = True, limit: int | None = None
) -> Result:
    if not exact:
        return value_iteration(game, at, limit=limit)
    return solve_whole(game, "policy_iteration", at, Settings(limit=limit, exact=True)).result


TWINS: Mapping[str, Callable[..., Result]] = {
    "backward_induction": backward_induction,
    "retrograde": retrograde,
    "value_iteration": value_iteration,
    "policy_iteration": policy_iteration,
}
