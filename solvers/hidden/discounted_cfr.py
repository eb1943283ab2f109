"""Discounted CFR: early regrets fade, negative ones faster (Brown & Sandholm 2019, with 3/2, 0 and 2)."""

from __future__ import annotations

from typing import Any

from gdl.game import Game
from solvers.core.result import Result
from solvers.hidden.equilibrium import ITERATIONS, Report, TreeBench, minimised
from solvers.hidden.regret_matching import Rule
from solvers.registry import refuse

RULE = Rule(alpha=1.5, beta=0, gamma=2)


def discounted_cfr(
    game: Game[Any, Any],
    at: Any = None,
    *,
    iterations: int | None = None,
    precision: float | None = None,
    time: float | None = None,
    limit: int | None = None,
    updates: str = "alternating",
    report: Report | None = None,
) -> Result:
    """Average play of so many iterations, or until the proven bounds of the value are `precision` apart.

    `limit` histories at most; `updates` "alternating" (each player answers what those before learnt in the
    same iteration) or "simultaneous".
    """
    refuse("discounted_cfr", game)
    bench = TreeBench(game, at, limit)
    return minimised(
        "discounted_cfr", RULE, bench, iterations=iterations, precision=precision, time=time, updates=updates,
        most=ITERATIONS, report=report,
    )  # fmt: skip
