"""Monte Carlo regression: the weights of features that fit what plays paid in the end, by least squares."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import numpy as np

from gdl.game import Game
from solvers.core.policies import PolicyFunction
from solvers.learning.td import Features, declared_features, play


class Fit(NamedTuple):
    """Weights, and the root of the mean squared error on plays that were not used to find them."""

    weights: Any
    held_out: float


def monte_carlo(
    game: Game[Any, Any],
    features: Features | None = None,
    policy: PolicyFunction | None = None,
    *,
    episodes: int = 100,
    seed: int = 0,
    player: int = 0,
    held_out: float = 0.2,
) -> Fit:
    """From so many plays, of which a share is held out to measure the error."""
    features = features or declared_features(game)
    rng = Random(seed)
    rows: list[list[float]] = []
    returns: list[float] = []
    ends = []
    for _ in range(episodes):
        steps = list(play(game, policy, rng, player))
        total = 0.0
        for step in reversed(steps):
            total = step.paid + step.discount * total
            rows.append(list(features(step.position)))
            returns.append(total)
        ends.append(len(rows))
    return regression(rows, returns, ends[max(0, round(len(ends) * (1 - held_out)) - 1)])


def regression(rows: Any, values: Any, used: int) -> Fit:
    """Least squares over the first `used` rows, the error over the others: of plays, or of values that a
    solver or a deeper search found."""
    x, y = np.array(rows, float), np.array(values, float)
    weights = np.linalg.lstsq(x[:used], y[:used], rcond=None)[0]
    rest = x[used:] @ weights - y[used:] if used < len(y) else np.zeros(1)
    return Fit(weights, float(np.sqrt(np.mean(rest**2))))
