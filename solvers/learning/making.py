"""A new evaluation for a game: what it will look at, before it has learned anything."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from gdl.game import CHANCE, TERMINAL, ElementSymmetry
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
from solvers.learning.symmetry import symmetries

UNITS = 80
"""Of the hidden layer."""

MOST_COMPARED = 40
"""Moves of a position that are looked at for whether they leave the same behind."""

LIMIT = 40_000_000
"""Weights of all tables together."""


def new_evaluation(game: Any, kind: Kind, *, units: int = UNITS, seed: int = 0) -> Evaluation:
    """Refuses a game in which something is hidden, and one without features where these are asked for."""
    refuse_to_learn(game)
    columns = columns_of(game)
    low, high, bounded = bounds_of(game)
    found = symmetries(game, seed) if kind != "linear" else []
    expects = draws_alike(game)
    view = view_of(game, found, -np.array(low) == np.array(high), expects)
    common: dict[str, Any] = {
        "kind": kind,
        "view": view,
        "columns": columns,
        "low": low,
        "high": high,
        "turns": has_turns(game) and kind != "linear",
        "expects": expects,
    }
    common["by_moves"] = bool(game.compiled.drawing) and not expects
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


def view_of(game: Any, found: list[ElementSymmetry], balanced: Any, expects: bool = False) -> View:
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
        draws=some and not expects and not has_turns(game),
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
    rng = Random(0)
    again = made = 0
    for position in _met(game, rng):
        after, drawn, _ = game.afterstate(position, rng.choice(game.moves(position)))
        made += 1
        again += not drawn and game.to_move(after) == game.to_move(position)
    return made > 0 and again / made > 0.2


def draws_alike(game: Any) -> bool:
    """Whether moves leave the same behind before chance is asked, and chance then makes of it what depends on
    the move: to look at what they leave behind would say nothing about them."""
    if not game.compiled.drawing or has_turns(game):
        return False
    for position in _met(game, Random(0)):
        moves = game.moves(position)
        left: dict[Any, Any] = {}
        for move in moves[:MOST_COMPARED]:
            after, drawn, paid = game.afterstate(position, move)
            if drawn:
                here = (game.ordinals(after), tuple(map(float, paid or ())))
                if here not in left:
                    left[here] = move
                elif _ends(game, position, left[here]) != _ends(game, position, move):
                    return True
    return False


def _ends(game: Any, position: Any, move: Any) -> dict[Any, float]:
    """How probable each position after a move is."""
    found: dict[Any, float] = {}
    for outcome in game.outcomes(position, move):
        found[outcome.position] = found.get(outcome.position, 0.0) + float(outcome.probability)
    return found


def _met(game: Any, rng: Random) -> Iterator[Any]:
    """Positions of a few random plays in which a player is to move."""
    for _ in range(3):
        outcomes = game.initial()
        for _ in range(60):
            position = rng.choices(outcomes, [float(o.probability) for o in outcomes])[0].position
            mover = game.to_move(position)
            if mover == TERMINAL:
                break
            if mover == CHANCE:
                ways = game.chance(position)
                move = rng.choices([m for m, _ in ways], [float(p) for _, p in ways])[0]
            else:
                yield position
                move = rng.choice(game.moves(position))
            outcomes = game.outcomes(position, move)


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
    game: Any, evaluation: Evaluation, rate: float | None, lambda_: float | None, explore: float | None
) -> Method:
    """How it is learned, where that is not said. Dice explore by themselves; without any, and for one player
    whose positions are judged, one move in ten is random."""
    for name, value, most in (("lambda", lambda_, 1.0), ("explore", explore, 1.0), ("rate", rate, 1e6)):
        if value is not None and not 0 <= value <= most:
            raise bad_option(f"{name} cannot be {value}", f"It lies between 0 and {most:g}.")
    kind = evaluation.kind
    dice = game.traits.chance and not (evaluation.expects and game.traits.players == 1)
    bounded = bounds_of(game)[2]  # what is not squashed moves as far as its weights do: no further than all
    usual = {
        "linear": (0.3, 0.0),
        "tuples": (3.0 if bounded else 1.0, 0.0),
        "network": (0.1 if bounded else 0.01, 15_000.0),
    }[kind]
    return Method(
        rate=usual[0] if rate is None else rate,
        lambda_=(0.5 if kind == "tuples" else 0.7) if lambda_ is None else lambda_,
        explore=(0.0 if dice else 0.1) if explore is None else explore,
        decay=usual[1],
    )
