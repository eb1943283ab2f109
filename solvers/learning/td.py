"""TD(lambda): weights of features learned while a policy is followed (Sutton 1988).

delta = reward + discount * w . x' - w . x          how wrong the last estimate was
z     = discount * lambda * z + x                   who is responsible: the eligibility trace
w    += rate * delta * z
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from gdl.game import CHANCE, TERMINAL, Game
from solvers.core.chance import sample, ways_of_chance
from solvers.core.policies import PolicyFunction, uniform

Features = Callable[[Any], Sequence[float]]


class Step(NamedTuple):
    """From a position in which a player moved to the next: what was paid in between, and the discount."""

    position: Any
    paid: float
    discount: float
    after: Any  # None where the game is over; its utility is paid


def declared_features(game: Game[Any, Any]) -> Features:
    """The features of the file, in order."""
    return lambda position: [float(x) for x in game.features(position).values()]


def td(
    game: Game[Any, Any],
    features: Features | None = None,
    policy: PolicyFunction | None = None,
    *,
    rate: float | Callable[[int], float] = 0.1,
    lambda_: float = 0.0,
    episodes: int = 100,
    seed: int = 0,
    player: int = 0,
) -> Any:
    """The weights after so many plays: w . x estimates what the player is still paid. `rate` may fall with
    the number of the play. Without a policy every legal move is equally likely."""
    features = features or declared_features(game)
    rng = Random(seed)
    weights: Any = None
    for episode in range(episodes):
        alpha = rate(episode) if callable(rate) else rate
        trace: Any = 0
        faded = 0.0  # of the trace, since the last step
        for step in play(game, policy, rng, player):
            x = np.array(features(step.position), float)
            if weights is None:
                weights = np.zeros(len(x))
            rest = 0.0 if step.after is None else weights @ np.array(features(step.after), float)
            delta = step.paid + step.discount * rest - weights @ x
            trace = faded * trace + x
            weights += alpha * delta * trace
            faded = step.discount * lambda_
    return weights


def play(game: Game[Any, Any], policy: PolicyFunction | None, rng: Random, player: int = 0) -> Iterator[Step]:
    """One play of a policy, from choice to choice."""
    policy = policy or uniform(game)
    discount = float(game.traits.discount)
    position: Any = sample(game.initial(), rng).position
    last, paid, factor = None, 0.0, 1.0
    while True:
        mover = game.to_move(position)
        if mover == TERMINAL:
            if last is not None:
                yield Step(last, paid + factor * float(game.utility(position)[player]), factor, None)
            return
        if mover == CHANCE:
            outcome = sample([way for _, way in ways_of_chance(game, position)], rng)
        else:
            if last is not None:
                yield Step(last, paid, factor, position)
            last, paid, factor = position, 0.0, 1.0
            odds = policy(position)
            move = rng.choices(list(odds), [float(p) for p in odds.values()])[0]
            outcome = sample(game.outcomes(position, move), rng)
        if outcome.rewards:
            paid += factor * float(outcome.rewards[player])
        factor *= discount
        position = outcome.position
