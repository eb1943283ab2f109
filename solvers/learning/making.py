"""A new evaluation for a game: what it will look at, before it has learned anything."""

from __future__ import annotations

from typing import Any

import numpy as np

from solvers.core.refusal import bad_option
from solvers.learning.evaluation import (
    MOST_LEVELS,
    Evaluation,
    Kind,
    Squash,
    View,
    bounds_of,
    columns_of,
    input_bases,
    refuse_to_learn,
)
from solvers.learning.method import Method
from solvers.learning.ntuples import MOST_PAIRED, ntuples
from solvers.learning.symmetry import Symmetry, symmetries

UNITS = 80
"""Of the hidden layer."""

LIMIT = 40_000_000
"""Weights of all tables together."""


def new_evaluation(game: Any, kind: Kind, *, units: int = UNITS, seed: int = 0) -> Evaluation:
    """Refuses a game in which something is hidden, and one without features where these are asked for."""
    refuse_to_learn(game)
    columns = columns_of(game)
    low, high, bounded = bounds_of(game)
    found = symmetries(game, seed) if kind != "linear" else []
    view = view_of(game, found, -np.array(low) == np.array(high))
    common: dict[str, Any] = {
        "kind": kind,
        "view": view,
        "columns": columns,
        "low": low,
        "high": high,
        "turns": has_turns(game) and kind != "linear",
    }
    common["by_moves"] = bool(game.compiled.drawing)
    if kind == "linear":
        names = tuple(game.features(game.initial()[0].position))
        if not names:
            raise bad_option(
                f"{game.name} declares no features to weigh",
                "Use --kind tuples, or declare some: `feature name: number`.",
            )
        weights = {
            "bias": np.zeros((view.contexts, columns), np.float32),
            "features": np.zeros((len(names), columns), np.float32),
        }
        return Evaluation(**common, squash="softsign" if bounded else "none", weights=weights, features=names)
    squash: Squash = "logistic" if bounded else "none"
    if kind == "tuples":
        shared = [s for s in found if not s.exchanges and not s.maps]
        tables = ntuples(game, view, shared)
        size = sum(table.size for table in tables) * view.contexts
        if size > LIMIT:
            raise bad_option(f"tables for {game.name} would have {size:,} weights", "Use --kind network.")
        made: dict[str, Any] = {"tables": np.zeros((size, columns), np.float32)}
        return Evaluation(**common, squash=squash, weights=made, tables=tables)
    rng = np.random.default_rng(seed)
    inputs = input_bases(view)[-1]
    made = {
        # Few inputs are on at once: their weights may be larger than those of dense layers.
        "hidden": rng.uniform(-0.1, 0.1, (inputs, units)).astype(np.float32),
        "hidden_bias": np.zeros(units, np.float32),
        "out": rng.uniform(-0.1, 0.1, (units, columns)).astype(np.float32),
        "out_bias": np.zeros(columns, np.float32),
    }
    return Evaluation(**common, squash=squash, weights=made, units=units)


def view_of(game: Any, found: list[Symmetry], balanced: Any) -> View:
    """The elements of a game; players change places where the rules and the bounds of values allow it."""
    elements = game.elements
    exchange = next((s for s in found if s.exchanges), None) if bool(np.all(balanced)) else None
    drawing = game.compiled.drawing
    moves = sum(stop - start for start, stop in drawing)
    some = bool(drawing) and not _all_draw(game, moves)
    return View(
        names=tuple(e.name for e in elements),
        sizes=tuple(e.size for e in elements),
        ordered=tuple(e.ordered for e in elements),
        levels=tuple(min(e.size, MOST_LEVELS) for e in elements),
        players=game.traits.players,
        exchange=exchange is not None,
        draws=some and not has_turns(game),
        source=() if exchange is None else exchange.source,
        maps={} if exchange is None else dict(exchange.maps),
    )


def _all_draw(game: Any, moves: int) -> bool:
    return moves == int(game.compiled.move_numbers)


def has_turns(game: Any) -> bool:
    """Whether a turn is several moves by the same player, ended by chance: then its end is what is judged."""
    traits = game.traits
    if traits.players != 2 or not game.compiled.drawing or traits.rewards or traits.discount != 1:
        return False
    from random import Random

    rng = Random(0)
    again = made = 0
    for _ in range(3):
        outcomes = game.initial()
        for _ in range(60):
            position = rng.choices(outcomes, [float(o.probability) for o in outcomes])[0].position
            mover = game.to_move(position)
            if mover < 0:
                break
            move = rng.choice(game.moves(position))
            after, drawn, _ = game.afterstate(position, move)
            made += 1
            again += not drawn and game.to_move(after) == mover
            outcomes = game.outcomes(position, move)
    return made > 0 and again / made > 0.2


def refuse_uncompiled(game: Any) -> None:
    if getattr(game, "compiled", None) is None:
        from solvers.core.refusal import Refusal

        raise Refusal(
            f"learning plays thousands of games, and {game.name} is not compiled",
            "Use the native engine.",
        )


def chosen_kind(game: Any, kind: str | None) -> Kind:
    """Tables for boards and for few elements, else a network."""
    if kind is not None:
        if kind not in ("linear", "tuples", "network"):
            raise bad_option(f"there is no kind `{kind}`", "Known: linear, tuples, network.")
        return kind  # type: ignore[return-value]
    boards = any(axis.kind in ("grid", "hex", "graph") for axes in game.axes.values() for axis in axes)
    return "tuples" if boards or len(game.elements) <= MOST_PAIRED else "network"


def method_for(
    game: Any, kind: Kind, rate: float | None, lambda_: float | None, explore: float | None
) -> Method:
    """How it is learned, where that is not said. Dice explore by themselves; without any, one move in ten is
    random."""
    for name, value, most in (("lambda", lambda_, 1.0), ("explore", explore, 1.0), ("rate", rate, 1e6)):
        if value is not None and not 0 <= value <= most:
            raise bad_option(f"{name} cannot be {value}", f"It lies between 0 and {most:g}.")
    bounded = bounds_of(game)[2]  # what is not squashed moves as far as its weights do: no further than all
    usual = {
        "linear": (0.3, 0.0),
        "tuples": (3.0 if bounded else 1.0, 0.0),
        "network": (0.1 if bounded else 0.01, 15_000.0),
    }[kind]
    return Method(
        rate=usual[0] if rate is None else rate,
        lambda_=(0.5 if kind == "tuples" else 0.7) if lambda_ is None else lambda_,
        explore=(0.0 if game.traits.chance else 0.1) if explore is None else explore,
        decay=usual[1],
    )
