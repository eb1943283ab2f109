"""The fast twins of the solvers beside this folder, by name, with the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from gdl.game import Game
from solvers.core.result import Result
from solvers.hidden.equilibrium import ITERATIONS, Report, regret_minimiser
from solvers.hidden.kernels.bench import FlatBench
from solvers.hidden.kernels.mccfr import mccfr
from solvers.hidden.sequence_form import solved
from solvers.registry import refuse

MOST = 1000 * ITERATIONS
"""Iterations after which regret minimisation ends in any case, unless more are asked for."""


def _twin(name: str) -> Callable[..., Result]:
    """The same variant as beside this folder, over flat arrays."""
    return regret_minimiser(name, import_module(f"solvers.hidden.{name}").RULE, FlatBench, MOST)


def sequence_form(
    game: Game[Any, Any],
    at: Any = None,
    *,
    exact: bool = False,
    limit: int | None = None,
    report: Report | None = None,
) -> Result:
    refuse("sequence_form", game)
    return solved(FlatBench(game, at, limit, report), exact, at, report)


cfr = _twin("cfr")
cfr_plus = _twin("cfr_plus")
linear_cfr = _twin("linear_cfr")
discounted_cfr = _twin("discounted_cfr")
pcfr_plus = _twin("pcfr_plus")

__all__ = ["cfr", "cfr_plus", "discounted_cfr", "linear_cfr", "mccfr", "pcfr_plus", "sequence_form"]
