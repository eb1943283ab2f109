"""A run of learning: batches of self-play, measured now and then, the best kept, taken up again after a kill.

When it is measured follows from the number of games, never from the clock: a run that is taken up again goes
on as if it had not been interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite, sqrt
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from gdl.diagnostics import GameError
from solvers.files.checkpoint import CheckpointFile
from solvers.learning.evaluation import Evaluation
from solvers.learning.kernels.judging import net_of
from solvers.learning.kernels.learner import Learner
from solvers.learning.kernels.self_play import LEARNER, OTHER, RANDOM
from solvers.learning.method import Method
from solvers.machine.pointers import struct

FIRST, GROWTH = 64, 1.5
"""It is measured after so many games first, and then whenever they have grown by this factor."""

MEASURED = 200
"""Games of a measurement against each opponent."""


class Measure(NamedTuple):
    """A point of the learning curve: how strong the evaluation was, one move ahead. Strengths are means with
    their standard errors, of what it is paid, seats in turn."""

    games: int
    positions: int
    seconds: float
    error: float
    random: tuple[float, float]  # alone: what it gets
    best: tuple[float, float] | None  # against the best so far
    kept: bool  # whether it is the best now

    def as_data(self) -> dict[str, Any]:
        found = self._asdict()
        found["seconds"] = round(self.seconds, 2)
        found["error"] = float(f"{self.error:.4g}")
        for name in ("random", "best"):
            if found[name] is not None:
                found[name] = [float(f"{x:.4g}") for x in found[name]]
        return found


def standard_error(paid: Any, span: float) -> float:
    """Of the mean of so many games. Where all paid the same, as where all were won, the next may yet pay
    otherwise: with 95 % certainty no more than 3 of that many do (the rule of three)."""
    error = float(paid.std() / sqrt(len(paid)))
    return error if error > 0 else 3 * span / len(paid) / 1.96


@dataclass
class Training:
    """What is being learned, and how far it is."""

    learner: Learner
    method: Method
    checkpoint: CheckpointFile | None = None
    curve: list[Measure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    best: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    calmer: float = 1.0  # by which the rate was lowered, where learning went astray

    def __post_init__(self) -> None:
        self.best = {name: array.copy() for name, array in self.evaluation.weights.items()}
        self._best_net = struct(net_of(self.learner.game, self._with(self.best)))

    @property
    def evaluation(self) -> Evaluation:
        return self.learner.evaluation

    def _with(self, weights: Mapping[str, Any]) -> Evaluation:
        from dataclasses import replace

        return replace(self.evaluation, weights=weights)

    @property
    def found(self) -> Evaluation:
        """The best so far."""
        return self._with(self.best)

    def run(
        self, games: int | None, seconds: float | None, report: Callable[[Training], None] | None = None
    ) -> None:
        """Learns until so many games are played in all, or so many CPU seconds are spent."""
        self._take_up()
        due = self._due()
        errors: list[float] = []
        began = process_time() - self.seconds
        while True:
            over = (games is not None and self.learner.games >= games) or (
                seconds is not None and self.seconds >= seconds
            )
            if self.learner.games >= due or over:
                last = self.curve[-1].games if self.curve else -1
                if self.learner.games > last:
                    self._measure(float(np.mean(errors[-200:])) if errors else 0.0)
                    if report is not None:
                        report(self)
                errors.clear()
                due = self._due()
                if over:
                    return
            rate = self.method.rate_at(self.learner.games) * self.calmer
            error = self.learner.learn(rate, self.method.lambda_, self.method.explore)
            self.seconds = process_time() - began
            if not isfinite(error) or (self.evaluation.squash == "none" and error > 1e18):
                self._step_back()
                errors.clear()
            else:
                errors.append(error)

    def _due(self) -> int:
        due = FIRST
        while due <= self.learner.games:
            due = int(due * GROWTH)
        return due

    def _measure(self, error: float) -> None:
        learner = self.learner
        alone = learner.game.traits.players == 1
        kept = True
        best = None
        random = self._against(RANDOM)
        if alone:
            kept = not self.curve or random[0] >= max(m.random[0] for m in self.curve)
        elif self.curve:
            best = self._against(OTHER)
            kept = best[0] >= 0
        if kept:
            for name, array in self.evaluation.weights.items():
                self.best[name][...] = array
        self.curve.append(Measure(learner.games, learner.positions, self.seconds, error, random, best, kept))
        self._keep()

    def _against(self, other: int) -> tuple[float, float]:
        """The mean of what the evaluation is paid beyond what the others are, and its standard error; alone,
        of what it is paid."""
        players = self.learner.game.traits.players
        each = MEASURED // players
        paid = []
        for seat in range(players):
            who = [LEARNER if player == seat else other for player in range(players)]
            results, _ = self.learner.match(who, each, self._best_net, stream=1)
            own = results[:, seat]
            if self.evaluation.columns == 1 or players == 1:
                paid.append(own)
            else:
                rest = (results.sum(axis=1) - own) / (players - 1)
                paid.append(own - rest)
        every = np.concatenate(paid)
        return float(every.mean()), standard_error(every, self._range())

    def _range(self) -> float:
        """How far apart the best and the worst that a game pays are; 0 where that has no bound."""
        evaluation = self.evaluation
        return 0.0 if evaluation.squash == "none" else max(evaluation.high) - min(evaluation.low)

    # ------------------------------------------------------------------------ faults and kills

    def _step_back(self) -> None:
        """Numbers grew out of bounds: from the best so far on with half the rate."""
        self.calmer /= 2
        for name, array in self.evaluation.weights.items():
            array[...] = self.best[name]
        for array in self.learner.coherence.values():
            array[...] = 0
        self.notes.append(
            f"after {self.learner.games:,} games numbers grew out of bounds: back to the best so far, with "
            f"{self.calmer:g} of the rate"
        )

    def _task(self) -> dict[str, Any]:
        evaluation = self.evaluation
        return {
            "kind": evaluation.kind,
            "weights": evaluation.parameters,
            "seed": self.learner.seed,
            "method": list(self.method),
        }

    def _keep(self) -> None:
        if self.checkpoint is None:
            return
        done = {
            "games": self.learner.games,
            "positions": self.learner.positions,
            "seconds": self.seconds,
            "calmer": self.calmer,
            "notes": self.notes,
            "curve": [list(measure) for measure in self.curve],
        }
        arrays = {
            **{f"weights.{name}": array for name, array in self.evaluation.weights.items()},
            **{f"best.{name}": array for name, array in self.best.items()},
            **self.learner.coherence,
        }
        try:
            self.checkpoint.save(self.learner.game, "learning", self._task(), done, arrays)
        except GameError as error:  # a full disk ends no run: the checkpoint before stays
            note = f"no checkpoint could be written: {error.diagnostics[0].message}"
            if note not in self.notes:
                self.notes.append(note)

    def _take_up(self) -> None:
        if self.checkpoint is None:
            return
        loaded = self.checkpoint.load(self.learner.game, "learning", self._task())
        if loaded is None:
            return
        done, arrays = loaded
        self.learner.games, self.learner.positions = done["games"], done["positions"]
        self.seconds, self.calmer, self.notes = done["seconds"], done["calmer"], done["notes"]
        self.curve = [
            Measure._make([*m[:4], tuple(m[4]), None if m[5] is None else tuple(m[5]), m[6]])
            for m in done["curve"]
        ]
        for name, array in self.evaluation.weights.items():
            array[...] = arrays[f"weights.{name}"]
            self.best[name][...] = arrays[f"best.{name}"]
        for name, array in self.learner.coherence.items():
            array[...] = arrays[name]
