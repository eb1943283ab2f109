"""Simulated plays: sampling chance, choosing moves by a simple rule, adding up what they pay."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import ceil, inf, log
from random import Random
from typing import Any, NamedTuple

from gdl.game import CHANCE, TERMINAL, Game, Number, Traits
from solvers.core.chance import sample, ways_of_chance
from solvers.core.rounding import to_float

LONGEST = 10_000
"""A play that goes on for more moves than this is cut where it might go on for ever."""

LONGEST_FINITE = 1_000_000
"""A play that cannot go on for ever is cut only after so many moves: somewhere it must be."""

PATIENCE = 40_000
"""Moves of plays that were cut, in all, before later plays are cut sooner."""

SHORTEST = 100
"""No play is cut sooner than this."""

Chooser = Callable[[Any, int, Random], Any]
"""From a position, the player to move and random numbers to a move."""


class Rollout(NamedTuple):
    """What a simulated play paid each player. `rest` is 0 for a play that came to its end; what else a play
    that was cut would pay counts so much, its discount."""

    paid: tuple[float, ...]
    rest: float = 0.0


class Patience:
    """How many moves a play may make where it might go on for ever: a number that falls the more moves were
    made in plays that were cut, so that many such plays do not take for ever either.

    Moves are counted, not seconds: the same seed gives the same plays. It is asked before every so many plays
    `together`.
    """

    def __init__(self, traits: Traits, most: int = PATIENCE, together: int = 1):
        self.most = longest_rollout(traits)
        self.left = inf if traits.acyclic else most
        self.together = together

    @property
    def limited(self) -> bool:
        """Whether a play might go on for ever at all."""
        return self.left < inf

    @property
    def longest(self) -> int:
        return int(max(SHORTEST, min(self.most, self.left // (2 * self.together))))

    def spend(self, moves: int) -> None:
        """Counts the moves of plays that were cut."""
        self.left = max(0, self.left - moves)


def longest_play(traits: Traits) -> int:
    """The number of moves after which a play is cut: far more where it is proven to end."""
    return LONGEST_FINITE if traits.acyclic else LONGEST


def longest_rollout(traits: Traits) -> int:
    """The number of moves after which a simulated play is cut: sooner where what follows would count, in
    floats, for nothing at all."""
    longest, discount = longest_play(traits), float(traits.discount)
    if discount == 1:
        return longest
    return min(longest, 1 if discount == 0 else ceil(-1075 * log(2) / log(discount)))


def worth_of_rest(traits: Traits) -> tuple[Number, ...]:
    """What a play that was cut counts for from there on: as one without end.

    With a discount below 1 the payment for endless play never comes.
    """
    nothing: tuple[Number, ...] = (0,) * traits.players
    return traits.endless or nothing if traits.discount == 1 else nothing


def rollout(
    game: Game[Any, Any],
    position: Any,
    rng: Random,
    choose: Chooser | None = None,
    depth: int | None = None,
    leaf: Callable[[Any], tuple[Number, ...]] | None = None,
    patience: Patience | None = None,
) -> Rollout:
    """What one random play from the position pays each player: discounted rewards and final utility.

    Players move by `choose`, uniformly at random without it. After `depth` moves of players `leaf` judges the
    rest (nothing more is paid without it). A play that goes on too long is cut: for the patience that plays
    share, or for longer than any play should take.
    """
    traits = game.traits
    discount = float(traits.discount)
    total: Sequence[float] = [0.0] * traits.players
    factor = 1.0
    longest = longest_rollout(traits) if patience is None else patience.longest
    moves_left = -1 if depth is None else depth
    for made in itertools.count():
        player = game.to_move(position)
        if player == TERMINAL:
            return Rollout(_plus(total, factor, game.utility(position)))
        if made == longest:
            break
        if player == CHANCE:
            outcome = sample([way for _, way in ways_of_chance(game, position)], rng)
        elif moves_left == 0:
            return Rollout(tuple(total) if leaf is None else _plus(total, factor, leaf(position)))
        else:
            moves_left -= 1
            move = rng.choice(game.moves(position)) if choose is None else choose(position, player, rng)
            outcome = sample(game.outcomes(position, move), rng)
        if outcome.rewards:
            total = _plus(total, factor, outcome.rewards)
        factor *= discount
        position = outcome.position
    if patience is not None:
        patience.spend(made)
    return Rollout(_plus(total, factor, worth_of_rest(traits)), discount**made)


def mean_of_rollouts(
    game: Game[Any, Any], position: Any, count: int, rng: Random, depth: int | None = None
) -> tuple[float, ...]:
    plays = [rollout(game, position, rng, depth=depth).paid for _ in range(count)]
    return tuple(sum(column) / count for column in zip(*plays, strict=True))


def greedy(game: Game[Any, Any], leaf: Callable[[Any], tuple[Number, ...]], epsilon: float) -> Chooser:
    """Moves to the best expected estimate by `leaf`; with probability epsilon, anywhere."""

    def choose(position: Any, player: int, rng: Random) -> Any:
        moves = game.moves(position)
        if rng.random() < epsilon:
            return rng.choice(moves)
        estimates = [to_float(estimate_of_move(game, position, move, leaf)[player]) for move in moves]
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
    return tuple(a + factor * to_float(b) for a, b in zip(total, more, strict=True))
