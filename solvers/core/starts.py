"""Where an answer begins: at the start of the game, or at a position that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from gdl.game import Game, Outcome
from solvers.core.chance import Decided, one_way, sample, too_many_ways


def starts_of(game: Game[Any, Any], at: Any) -> Sequence[Outcome]:
    """Where to begin: the position asked for, or the start of the game."""
    return game.initial() if at is None else [Outcome(at, 1, ())]


def drawn_start(game: Game[Any, Any], rng: Random) -> Any:
    """A position in which a play begins, drawn; also where these are too many to be listed."""
    if isinstance(game, Decided) and too_many_ways(game, None, None):
        return one_way(game, None, None, rng).position
    return sample(game.initial(), rng).position


def player_to_move(game: Game[Any, Any], at: Any) -> int:
    """Whose play is asked for: the player to move, or the first player where nobody is."""
    position = game.initial()[0].position if at is None else at
    return max(game.to_move(position), 0)
