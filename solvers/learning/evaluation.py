"""Evaluations that are learned: what they look at, how they judge, and their weights.

    linear     a weighted sum of the features that the game declares
    tuples     one table for each group of elements of the position, added up (n-tuple networks)
    network    one hidden layer over the elements, each number as so many steps, each name as one of many

All judge *afterstates*: what a move has made of a position before chance is asked (`Composed.afterstate`);
where moves leave the same behind and differ in what chance makes of it, *positions*, and a move by what is
expected of them (`expects`).
Each gives numbers for *columns*: one, the first player's, where that says all (one player, or two opposed
ones); otherwise one per player. What is bounded is squashed into its bounds.

Where the rules stay the same when two players change places, the second player looks at the position with
places changed (`exchange`), so that both learn from every play.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any, Literal

import numpy as np

from gdl.game import CHANCE, TERMINAL, Game
from solvers.core.refusal import Refusal

Kind = Literal["linear", "tuples", "network"]
Squash = Literal["none", "logistic", "softsign"]

MOST_LEVELS = 128
"""Of an element with more values than this, neighbouring values count as one."""


@dataclass(frozen=True)
class View:
    """The elements of a position as an evaluation sees them, as `levels` of each.

    `source` and `maps` say how the second player sees them, where players change places: the level of an
    element is that of another, and its value another. `contexts` counts the circumstances that are told
    apart: who is to move, and whether chance is.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    ordered: tuple[bool, ...]
    levels: tuple[int, ...]
    players: int
    exchange: bool
    draws: bool  # whether some moves draw and others do not
    source: tuple[int, ...] = ()
    maps: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def sides(self) -> int:
        return 1 if self.exchange else self.players

    @property
    def contexts(self) -> int:
        return self.sides * (2 if self.draws else 1)

    def context(self, mover: int, drawn: bool) -> int:
        side = mover if mover >= 0 and self.sides > 1 else 0
        return side * 2 + drawn if self.draws else side

    def row(self, ordinals: Sequence[int], mover: int) -> list[int]:
        """The levels of all elements as the mover sees them."""
        if self.exchange and mover == 1:
            seen = [ordinals[k] for k in self.source]
            for element, mapped in self.maps.items():
                seen[element] = mapped[seen[element]]
        else:
            seen = list(ordinals)
        return [v * levels // size for v, levels, size in zip(seen, self.levels, self.sizes, strict=True)]


@dataclass(frozen=True)
class Table:
    """A table over a group of elements, looked up once for each of its images by symmetry."""

    images: tuple[tuple[int, ...], ...]  # elements, all of the same levels
    sizes: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(np.prod(self.sizes, dtype=np.int64))


@dataclass(frozen=True)
class Evaluation:
    """A learned evaluation, or one to be learned. The arrays of `weights` are changed in place by learning.

    linear     bias [contexts, columns], features [number, columns]
    tuples     tables [sum of sizes * contexts, columns]
    network    hidden [inputs, units], hidden_bias [units], out [units, columns], out_bias [columns]
    """

    kind: Kind
    view: View
    columns: int
    squash: Squash
    low: tuple[float, ...]
    high: tuple[float, ...]
    turns: bool  # whether it judges the ends of turns of several moves, not each of them
    by_moves: bool  # whether a position is judged by what moves make of it, for these draw
    expects: bool  # whether it judges positions, and a move by the mean over its outcomes
    weights: Mapping[str, Any]
    features: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    units: int = 0

    @property
    def starts(self) -> list[int]:
        """Where the entries of each table begin, and where the last end."""
        found = [0]
        for table in self.tables:
            found.append(found[-1] + table.size * self.view.contexts)
        return found

    @property
    def lookups(self) -> int:
        return sum(len(table.images) for table in self.tables)

    @property
    def parameters(self) -> int:
        return int(sum(array.size for array in self.weights.values()))

    def summary(self) -> str:
        match self.kind:
            case "linear":
                return f"{len(self.features)} features"
            case "tuples":
                return f"{len(self.tables)} tables, {self.parameters:,} weights, {self.lookups} looked up"
        return f"{self.units} hidden units, {self.parameters:,} weights"


def value_of(evaluation: Evaluation, row: Sequence[Any], context: int, turned: bool) -> tuple[float, ...]:
    """Per column, what an evaluation says of levels of elements (or of the values of features) in a context;
    `turned`: the second player sees them with places changed."""
    sums = linear_sums(evaluation, row, context)
    found = [squashed(evaluation, float(x), column) for column, x in enumerate(sums)]
    return tuple(-x for x in found) if turned else tuple(found)


def linear_sums(evaluation: Evaluation, row: Sequence[Any], context: int) -> Any:
    """What comes out before it is squashed, per column."""
    weights = evaluation.weights
    if evaluation.kind == "linear":
        return weights["bias"][context] + np.asarray(row, float) @ weights["features"]
    if evaluation.kind == "tuples":
        return weights["tables"][active_entries(evaluation, row, context)].sum(axis=0, dtype=float)
    hidden = weights["hidden"][active_inputs(evaluation, row, context)].sum(axis=0, dtype=float)
    hidden = np.maximum(hidden + weights["hidden_bias"], 0)
    return hidden @ weights["out"] + weights["out_bias"]


def active_entries(evaluation: Evaluation, row: Sequence[int], context: int) -> list[int]:
    """The entries that tables are looked up at, table after table."""
    found = []
    for table, start in zip(evaluation.tables, evaluation.starts, strict=False):
        for image in table.images:
            index = 0
            for element, size in zip(image, table.sizes, strict=True):
                index = index * size + row[element]
            found.append(start + context * table.size + index)
    return found


def input_bases(view: View) -> list[int]:
    """Where the inputs of each element of a network begin; then those of contexts; then the end.

    An element of numbers has an input for each step above its lowest level, all those up to its level being
    on; one of names has an input for each name, one of them on.
    """
    bases, at = [], 0
    for levels, ordered in zip(view.levels, view.ordered, strict=True):
        bases.append(at)
        at += levels - 1 if ordered else levels
    return [*bases, at, at + view.contexts]


def active_inputs(evaluation: Evaluation, row: Sequence[int], context: int) -> list[int]:
    view = evaluation.view
    bases = input_bases(view)
    found = [bases[len(row)] + context]
    for element, level in enumerate(row):
        base = bases[element]
        found += range(base, base + level) if view.ordered[element] else [base + level]
    return found


def squashed(evaluation: Evaluation, x: float, column: int) -> float:
    """Into the bounds of the column."""
    low, high = evaluation.low[column], evaluation.high[column]
    match evaluation.squash:
        case "logistic":
            part = 1 / (1 + exp(-x)) if x > -700 else 0.0
            return low + (high - low) * part
        case "softsign":
            return (low + high) / 2 + (high - low) / 2 * x / (1 + abs(x))
    return x


# -------------------------------------------------------------------------------- of a game


def columns_of(game: Game[Any, Any]) -> int:
    traits = game.traits
    return 1 if traits.players == 1 or (traits.players == 2 and traits.zero_sum) else traits.players


def bounds_of(game: Game[Any, Any]) -> tuple[tuple[float, ...], tuple[float, ...], bool]:
    """Lowest and highest value per column, and whether these bound every value."""
    bounds = game.traits.value_bounds[: columns_of(game)]
    finite = all(-np.inf < low < high < np.inf for low, high in bounds)
    if not finite:
        return (0.0,) * len(bounds), (1.0,) * len(bounds), False
    return tuple(float(low) for low, _ in bounds), tuple(float(high) for _, high in bounds), True


def refuse_to_learn(game: Any) -> None:
    """Refuses a game that evaluations of positions say nothing about."""
    if game.traits.hidden:
        raise Refusal(
            f"an evaluation judges whole positions, and in {game.name} something is hidden from some player",
            "Learn how to play it from what players see: `gdl solve --solver mccfr`.",
        )


class Judge:
    """An evaluation as a function of positions of a game, in Python."""

    def __init__(self, game: Any, evaluation: Evaluation):
        self.game = game
        self.evaluation = evaluation

    def after(self, position: Any, drawn: bool) -> tuple[float, ...]:
        """Each player's estimate of an afterstate."""
        game, evaluation = self.game, self.evaluation
        mover = game.to_move(position)
        if mover == TERMINAL and not drawn:
            return tuple(float(u) for u in game.utility(position))
        view = evaluation.view
        if evaluation.kind == "linear":
            row: list[Any] = [float(game.features(position)[name]) for name in evaluation.features]
        else:
            row = view.row(game.ordinals(position), mover)
        turned = view.exchange and mover == 1
        found = value_of(evaluation, row, view.context(mover, drawn), turned)
        return self.per_player(found)

    def per_player(self, found: tuple[float, ...]) -> tuple[float, ...]:
        players = self.game.traits.players
        return (found[0], -found[0])[:players] if self.evaluation.columns == 1 else found

    def __call__(self, position: Any) -> tuple[float, ...]:
        """Each player's estimate of a position that is not over.

        Where moves draw, what was learned is what they leave behind: then a position is worth the best way
        on. Otherwise it is such a place itself, and judged as it stands.
        """
        from solvers.learning.choosing import ways

        mover = self.game.to_move(position)
        if self.evaluation.by_moves and mover != CHANCE:
            return max((worth for _, worth in ways(self.game, self, position)), key=lambda w: w[mover])
        return self.after(position, self.evaluation.view.draws)
