"""Where an answer begins: at the start of the game, or at a position that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl.game import Game, Outcome


def starts_of(game: Game[Any, Any], at: Any) -> Sequence[Outcome]:
    """Where to begin: the position asked for, or the start of the game."""
    return game.initial() if at is None else [Outcome(at, 1, ())]
