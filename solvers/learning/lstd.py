"""LSTD(lambda): the weights at which TD(lambda) would come to rest, by one linear system (Boyan 2002).

A += z (x - discount * x')      b += z * reward      w = A^-1 b
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from gdl.game import Game
from solvers.core.policies import PolicyFunction
from solvers.learning.td import Features, declared_features, play


def lstd(
    game: Game[Any, Any],
    features: Features | None = None,
    policy: PolicyFunction | None = None,
    *,
    lambda_: float = 0.0,
    episodes: int = 100,
    seed: int = 0,
    player: int = 0,
) -> Any:
    """The weights of features from so many plays; no rate to choose. Where features say too little to tell
    weights apart, the smallest of those that fit."""
    features = features or declared_features(game)
    rng = Random(seed)
    a: Any = 0
    b: Any = 0
    for _ in range(episodes):
        trace: Any = 0
        faded = 0.0
        for step in play(game, policy, rng, player):
            x = np.array(features(step.position), float)
            after = np.zeros(len(x)) if step.after is None else np.array(features(step.after), float)
            trace = faded * trace + x
            a = a + np.outer(trace, x - step.discount * after)
            b = b + trace * step.paid
            faded = step.discount * lambda_
    return np.linalg.lstsq(a, b, rcond=None)[0]
