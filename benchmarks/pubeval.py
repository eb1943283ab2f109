"""Pubeval, Tesauro's public linear evaluator of backgammon (1993), as tables over elements of our positions.

Of the player who has just moved it counts, per point, five inputs made of the men there; the weights for
contact hold unless the sides had passed each other before the move.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from solvers.learning.evaluation import Evaluation, Table
from solvers.learning.kernels.chooser import Chooser
from solvers.learning.making import new_evaluation


class Pubeval:
    """Chooses whole turns. Positions are judged as the player to move next sees them, as white: so whoever
    has just moved is black, whose ace point is 24."""

    def __init__(self, game: Any, file: Path, seed: int = 0):
        weights = json.loads(file.read_text())
        self.elements = {element.name: k for k, element in enumerate(game.elements)}
        like = new_evaluation(game, "network", units=1)
        self.by = {
            name: Chooser(game, self._evaluation(like, weights[name]), seed) for name in ("contact", "race")
        }

    def _evaluation(self, like: Evaluation, weights: list[float]) -> Evaluation:
        tables, entries = [], []
        for j in range(1, 25):
            own, other = self.elements[f"men[black, {j}]"], self.elements[f"men[white, {j}]"]
            tables.append(Table(((own, other),), (16, 16)))
            entries += [-_of_point(n - m, weights[5 * (j - 1) : 5 * j]) for n in range(16) for m in range(16)]
        tables.append(Table(((self.elements["hit[white]"],),), (16,)))
        entries += [-weights[120] * n / 2 for n in range(16)]
        tables.append(Table(((self.elements["off[black]"],),), (16,)))
        entries += [-weights[121] * n / 15 for n in range(16)]
        return Evaluation(
            kind="tuples", view=like.view, columns=1, squash="none", low=like.low, high=like.high, turns=True,
            by_moves=False, tables=tuple(tables),
            weights={"tables": np.array(entries, np.float32).reshape(-1, 1)},
        )  # fmt: skip

    def best(self, form: Any, mover: int, ordinals: Any) -> Any:
        return self.by["race" if self.passed(ordinals) else "contact"].best(form, mover)

    def passed(self, ordinals: Any) -> bool:
        """Whether the sides have passed each other: no man of one is behind one of the other."""
        e = self.elements
        if ordinals[e["hit[white]"]] or ordinals[e["hit[black]"]]:
            return False
        white = max((f for f in range(1, 25) if ordinals[e[f"men[white, {f}]"]]), default=0)
        black = min((f for f in range(1, 25) if ordinals[e[f"men[black, {f}]"]]), default=25)
        return white < black


def _of_point(n: int, weights: list[float]) -> float:
    inputs = (n == -1, n == 1, n >= 2, n == 3, (n - 3) / 2 if n >= 4 else 0)
    return sum(w * x for w, x in zip(weights, inputs, strict=True))


def points_per_game(
    game: Any, evaluation: Evaluation, pubeval: Pubeval, games: int, seed: int
) -> tuple[float, float]:
    """The mean of what the evaluation wins, one ply ahead, and its standard error; sides in turn."""
    import ctypes

    chooser = Chooser(game, evaluation, seed)
    functions, size = game.functions, game.compiled.form_size
    state = ctypes.c_uint64(seed * 0x9E3779B97F4A7C15 + 1 & (1 << 64) - 1)
    rewards = (ctypes.c_double * 2)()
    places = [at for at, _, _ in game.compiled.places]
    results = []
    for number in range(games):
        form = np.frombuffer(game.compiled.blank, np.uint8).copy()
        learner = number % 2
        move, buffer = game.compiled.move_numbers, form
        while True:
            functions["sample"](buffer.ctypes.data, move, ctypes.byref(state), rewards)
            mover = functions["to_move"](buffer.ctypes.data)
            if mover < 0:
                break
            found = (
                chooser.best(buffer, mover)
                if mover == learner
                else pubeval.best(buffer, mover, buffer[places])
            )
            buffer, move = found.before, found.last
        assert len(buffer) == size
        paid = game.utility(game.position(buffer.tobytes()))
        results.append(paid[learner])
    return float(np.mean(results)), float(np.std(results) / np.sqrt(games))
