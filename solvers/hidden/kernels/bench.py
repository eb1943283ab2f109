"""The game as flat arrays, for the solvers of this room."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.game import Game
from solvers.hidden.equilibrium import Report
from solvers.hidden.kernels.histories import sequence_form, walk
from solvers.hidden.kernels.regret_matching import FlatRegretMatching
from solvers.hidden.kernels.sweeps import best_response, judge
from solvers.hidden.records import Judgement, Rule
from solvers.machine import cold_start

FEW = 1_000
"""Histories that are walked in Python while the kernels for them would be compiled, or sooner."""


def repays_compiling(histories: float) -> bool:
    """Whether a game of about so many histories is walked by kernels: they are there, or it takes too long
    without."""
    return cold_start.repays_compiling(histories <= FEW, walk)


class FlatBench:
    """What `TreeBench` is, on machine code."""

    def __init__(self, game: Game[Any, Any], at: Any, limit: int | None, report: Report | None = None):
        self.form = sequence_form(game, at, limit=limit, watch=None if report is None else _told(report))

    def tables(self, rule: Rule, alternating: bool) -> FlatRegretMatching:
        return FlatRegretMatching(self.form, rule, alternating=alternating)

    def judged(self, tables: FlatRegretMatching, last: bool) -> tuple[Any, Judgement]:
        policy = tables.policy.copy() if last else tables.average()
        return policy, judge(self.form, policy)

    def judge(self, policy: Any) -> Judgement:
        return judge(self.form, np.asarray(policy, np.float64))

    def best_response(self, policy: Any, player: int) -> Any:
        return best_response(self.form, policy, player)


def _told(report: Report) -> Any:
    def watch(histories: int) -> None:
        report(f"walking the game: {histories:,} histories", 0.0)

    return watch
