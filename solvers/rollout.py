"""Simulated plays: sampling chance, choosing moves by a simple rule, adding up what they pay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game, Number
from solvers.chance import sample, ways_of_chance

LONGEST = 10_000
"""A play that goes on for more moves than this counts as one that never ends."""

Chooser = Callable[[Any, int, Random], Any]
"""From a position, the player to move and random numbers to a move."""


def rollout(
    game: Game[Any, Any],
    position: Any,
    rng: Random,
    choose: Chooser | None = None,
    depth: int | None = None,
    leaf: Callable[[Any], tuple[Number, ...]] | None = None,
) -> tuple[float, ...]:
    """What one random play from the position pays each player: discounted rewards and final utility.

    Players move by `choose`, uniformly at random without it. After `depth` moves of players the play is
    cut and `leaf` judges the rest (nothing more is paid without it).
    """
    discount = float(game.traits.discount)
    total = [0.0] * game.traits.players
    factor = 1.0
    moves_left = LONGEST if depth is None else depth
    for _ in range(10 * LONGEST):
        player = game.to_move(position)
        if player == TERMINAL:
            return _plus(total, factor, game.utility(position))
        if player == CHANCE:
            outcome = sample([way for _, way in ways_of_chance(game, position)], rng)
        elif moves_left == 0:
            break
        else:
            moves_left -= 1
            move = rng.choice(game.moves(position)) if choose is None else choose(position, player, rng)
            outcome = sample(game.outcomes(position, move), rng)
        if outcome.rewards:
            total = list(_plus(total, factor, outcome.rewards))
        factor *= discount
        position = outcome.position
    if depth is not None and leaf is not None:
        return _plus(total, factor, leaf(position))
    if depth is None:
        return _plus(total, factor, game.traits.endless or (0,) * len(total))
    return tuple(total)


def mean_of_rollouts(
    game: Game[Any, Any], position: Any, count: int, rng: Random, depth: int | None = None
) -> tuple[float, ...]:
    plays = [rollout(game, position, rng, depth=depth) for _ in range(count)]
    return tuple(sum(column) / count for column in zip(*plays, strict=True))


def greedy(game: Game[Any, Any], leaf: Callable[[Any], tuple[Number, ...]], epsilon: float) -> Chooser:
    """Moves to the best expected estimate by `leaf`; with probability epsilon, anywhere."""

    def choose(position: Any, player: int, rng: Random) -> Any:
        moves = game.moves(position)
        if rng.random() < epsilon:
            return rng.choice(moves)
        estimates = [float(estimate_of_move(game, position, move, leaf)[player]) for move in moves]
        best = max(estimates)
        return rng.choice([move for move, estimate in zip(moves, estimates, strict=True) if estimate == best])

    return choose


def estimate_of_move(
    game: Game[Any, Any], position: Any, move: Any, leaf: Callable[[Any], tuple[Number, ...]]
) -> tuple[Number, ...]:
    """Each player's expected reward and estimate one move ahead."""
    total: list[Number] = [0] * game.traits.players
    for outcome in game.outcomes(position, move):
        after = outcome.position
        rest = game.utility(after) if game.to_move(after) == TERMINAL else leaf(after)
        for player, estimate in enumerate(rest):
            reward = outcome.rewards[player] if outcome.rewards else 0
            total[player] += outcome.probability * (reward + game.traits.discount * estimate)
    return tuple(total)


def _plus(total: Sequence[float], factor: float, more: Sequence[Number]) -> tuple[float, ...]:
    return tuple(a + factor * float(b) for a, b in zip(total, more, strict=True))
