"""Questions about positions and their answers, in the words of the game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gdl.game import Game

if TYPE_CHECKING:
    from solvers.core.result import Result

AnyGame = Game[Any, Any]


def described(game: AnyGame, position: Any, result: Result, reason: str = "") -> Result:
    """A result with all that people want to know of the question: `print` shows it."""
    from solvers.core.lines import explained

    return replace(
        result,
        line=explained(game, position, result.line),
        reason=reason,
        start=None if position is None else str(game.format_position(position)),
        params=params_of(game),
    )


def params_of(game: AnyGame) -> tuple[tuple[str, str], ...]:
    """The parameters of a described game with their values; none of any other."""
    from gdl.model.parameters import parameters

    model = getattr(game, "model", None)
    return () if model is None else tuple(parameters(model).items())


def position_of(game: AnyGame, at: Any) -> Any:
    """The position that is meant: itself, or its text; None for the start of the game."""
    if isinstance(at, str) and not isinstance(game.initial()[0].position, str):
        return game.parse_position(at)
    return at
