"""Judging a position that is not searched further: the leaves of a depth-limited search.

A leaf gives each player's estimate of the rest of the play. How leaves are called in descriptions of agents
and options stands in their rows (`solvers.registry.LEAVES`).

Estimates are kept within `Traits.value_bounds`: no true value lies outside, and pruning relies on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from random import Random
from typing import Any, Literal

from gdl.game import Game, Number
from solvers.core.refusal import bad_option
from solvers.core.rollout import mean_of_rollouts

Estimate = tuple[Number, ...]
Leaf = Callable[[Any], Estimate]
"""From a position to one estimate per player."""


@dataclass(frozen=True, slots=True)
class Described:
    """A leaf that says what it is, so that a kernel can judge in the same way."""

    judge: Leaf
    kind: Literal["evaluate", "middle", "weights", "rollouts", "learned"]
    weights: Mapping[str, Number] = field(default_factory=dict)  # of features
    count: int = 0  # of rollouts
    depth: int | None = None  # of rollouts
    seed: int = 0  # of rollouts
    again: Callable[[int], Described] | None = None
    """The same leaf with random numbers from another seed, for a leaf that draws anew wherever it judges.
    None: what it says of a position is always the same, however the position is reached."""
    code: Callable[[], Any] | None = None
    """Of a learned leaf for a compiled game: makes machine code that judges as `evaluate` of the game's ABI
    does, at its `address`."""

    def __call__(self, position: Any) -> Estimate:
        return self.judge(position)


def own_evaluation(game: Game[Any, Any]) -> Described:
    """The game's own `evaluate`, and the middle of the utilities where it has none."""
    unknown = middle_of_utilities(game)

    def judge(position: Any) -> Estimate:
        estimate = game.evaluate(position)
        return unknown(position) if estimate is None else estimate

    return Described(within_bounds(game, judge), "evaluate")


def middle_of_utilities(game: Game[Any, Any]) -> Described:
    bounds = game.traits.utility_bounds or ((Fraction(0), Fraction(0)),) * game.traits.players
    middle = tuple((low + high) / 2 for low, high in bounds)
    return Described(lambda position: middle, "middle")


def weighted_features(game: Game[Any, Any], weights: Mapping[str, Number]) -> Described:
    """The first player's estimate is the weighted sum of the features; the second's is its negative."""
    players = game.traits.players
    if players > 2 or (players == 2 and not game.traits.zero_sum):
        raise bad_option(
            "weights give the first player's estimate only, which says nothing about the others "
            f"in {game.name}", "Use leaf=evaluate or leaf=rollouts.")  # fmt: skip
    known = game.features(game.initial()[0].position)
    for name in weights:
        if name not in known:
            features = ", ".join(known) or "none"
            raise bad_option(f"{game.name} has no feature `{name}`", f"Its features: {features}.")

    def judge(position: Any) -> Estimate:
        features = game.features(position)
        total: Number = sum(weight * features[name] for name, weight in weights.items())
        return (total, -total)[:players]

    return Described(within_bounds(game, judge), "weights", weights)


def rollout_mean(
    game: Game[Any, Any],
    count: int = 10,
    depth: int | None = None,
    seed: int | None = None,
    *,
    first: int = 0,
) -> Described:
    """The mean of `count` random plays.

    With a seed it is a fixed function of the position: the plays from there are always the same ones. Without
    one it draws anew wherever it judges, repeatably: the random numbers begin with `first`.
    """
    rng = Random(first)

    def numbers(position: Any) -> Random:
        return rng if seed is None else Random(f"{seed} {game.format_position(position)}")

    judge = within_bounds(
        game, lambda position: mean_of_rollouts(game, position, count, numbers(position), depth)
    )
    return Described(
        judge,
        "rollouts",
        count=count,
        depth=depth,
        seed=first if seed is None else seed,
        again=(lambda other: rollout_mean(game, count, depth, first=other)) if seed is None else None,
    )


def drawn_anew(leaf: Leaf | None) -> Callable[[int], Described] | None:
    """What gives a leaf random numbers from a seed; None for one that says the same of a position always."""
    return leaf.again if isinstance(leaf, Described) else None


def within_bounds(game: Game[Any, Any], leaf: Leaf) -> Leaf:
    """The leaf with its estimates kept within the bounds of values."""
    bounds = game.traits.value_bounds
    return lambda position: tuple(
        min(max(estimate, low), high) for estimate, (low, high) in zip(leaf(position), bounds, strict=True)
    )


def checked_leaf(game: Game[Any, Any], leaf: Leaf) -> Leaf:
    """A leaf of a program's own, kept within bounds; refuses what gives no estimates, with the position."""
    if isinstance(leaf, Described):
        return leaf
    players = game.traits.players

    def judge(position: Any) -> Estimate:
        found = leaf(position)
        if (
            isinstance(found, Sequence)
            and len(found) == players
            and all(isinstance(estimate, Real) and estimate == estimate for estimate in found)
        ):
            return tuple(found)
        raise bad_option(
            f"the leaf gives {found!r} in {game.format_position(position)}",
            "A leaf gives a number for each player: " + ", ".join(game.players) + ".",
        )

    return within_bounds(game, judge)
