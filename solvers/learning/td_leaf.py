"""TD-leaf(lambda): weights learned by a player that searches (Baxter, Tridgell & Weaver 1998).

What is wrong with the value of a search is put right where it came from: in the features of the leaf at the
end of its principal line.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from gdl.game import TERMINAL, Game
from solvers.core.chance import sample
from solvers.core.refusal import Refusal
from solvers.learning.td import Features, declared_features


def td_leaf(
    game: Game[Any, Any],
    features: Features | None = None,
    *,
    depth: int = 2,
    rate: float = 0.1,
    lambda_: float = 0.7,
    explore: float = 0.1,
    episodes: int = 100,
    seed: int = 0,
) -> Any:
    """Weights of features, squashed into -1 .. 1 by tanh, from self-play of minimax so many moves deep.

    For two opposed players without chance; values are the first player's, in units of the largest utility.
    """
    traits = game.traits
    if traits.players != 2 or not traits.zero_sum or traits.chance or traits.rewards:
        raise Refusal(
            f"td_leaf needs two opposed players, no chance and utilities at the end only; {game.name} is "
            "not such a game.",
            "Use td.",
        )
    features = features or declared_features(game)
    rng = Random(seed)
    largest = max(float(abs(end)) for bounds in traits.utility_bounds for end in bounds) or 1.0
    count = len(features(game.initial()[0].position))
    weights = np.zeros(count)

    def searched(position: Any, left: int) -> tuple[float, Any]:
        """The value of a position so many moves ahead, and the leaf that it came from."""
        mover = game.to_move(position)
        if mover == TERMINAL:
            return float(game.utility(position)[0]) / largest, None
        if left == 0:
            x = np.array(features(position), float)
            return float(np.tanh(weights @ x)), x
        ways = [searched(game.outcomes(position, m)[0].position, left - 1) for m in game.moves(position)]
        return max(ways, key=lambda way: way[0]) if mover == 0 else min(ways, key=lambda way: way[0])

    for _ in range(episodes):
        position: Any = sample(game.initial(), rng).position
        values, leaves = [], []
        while game.to_move(position) != TERMINAL:
            mover = game.to_move(position)
            value, leaf = searched(position, depth)
            values.append(value)
            leaves.append(leaf)
            moves = list(game.moves(position))
            if rng.random() < explore:
                move = rng.choice(moves)
            else:
                after = [searched(game.outcomes(position, m)[0].position, depth - 1)[0] for m in moves]
                best = max(after) if mover == 0 else min(after)
                move = rng.choice([m for m, v in zip(moves, after, strict=True) if v == best])
            position = game.outcomes(position, move)[0].position
        values.append(float(game.utility(position)[0]) / largest)
        total = 0.0
        for t in range(len(leaves) - 1, -1, -1):
            total = (values[t + 1] - values[t]) + lambda_ * total
            if leaves[t] is not None:
                weights += rate * total * (1 - values[t] ** 2) * leaves[t]
    return weights
