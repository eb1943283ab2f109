"""What chance may do, for people who have real dice or cards and say what they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gdl.game import Game, Number
from gdl.table.pointing import listed
from solvers.core.rounding import exact_twin


@dataclass(frozen=True, slots=True)
class Way:
    """One way for chance to go: what it does in words, how probably, and what makes it happen."""

    label: str
    probability: Number
    move: Any
    position: Any  # where it leads


def ways_of_move(game: Game[Any, Any], position: Any, move: Any) -> tuple[Way, ...]:
    """What chance may add to a move, as people tell it apart; none where that is too much to list: then it
    draws by itself."""
    return tuple(
        Way(" or ".join(getattr(each, "labels", ())), each.probability, move, each.position)
        for each in listed(exact_twin(game), position, move)
    )


def ways_of_chance(game: Game[Any, Any], position: Any) -> tuple[Way, ...]:
    """What may come of a position in which chance is to move."""
    return tuple(
        Way(_named(game, move, way.label), chosen * way.probability, move, way.position)
        for move, chosen in exact_twin(game).chance(position)
        for way in ways_of_move(game, position, move)
    )


def _named(game: Game[Any, Any], move: Any, label: str) -> str:
    name = str(game.format_move(move))
    return f"{name} [{label}]" if label else name
