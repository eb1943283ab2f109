"""Questions about positions and their answers, in the words of the game."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from gdl.asking import position_meant
from gdl.game import CHANCE, Game

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
        start=_shown(game, position),
        params=params_of(game),
        costs=game.traits.minimise,
    )


def _shown(game: AnyGame, position: Any) -> str | None:
    """Where a question was asked, as text: the position, or what is known of it."""
    if position is None:
        return None
    if not game.traits.hidden or not hasattr(position, "seen"):
        return str(game.format_position(position))
    from solvers.hidden.words import seen_text

    return seen_text(game, position.seen)


def params_of(game: AnyGame) -> tuple[tuple[str, str], ...]:
    """The parameters of a described game with their values; none of any other."""
    from gdl.model.parameters import parameters

    model = getattr(game, "model", None)
    return () if model is None else tuple(parameters(model).items())


def position_of(game: AnyGame, at: Any, moves: str | None = None) -> Any:
    """The position that is meant: itself, or its text; None for the start of the game, which chance may
    decide. With moves, where they lead from there."""
    at = position_meant(game, at)
    if not moves:
        return at
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import chance_decides
    from gdl.playing.play import Play
    from gdl.playing.results import make_typed

    if at is None and len(game.initial()) > 1:
        raise GameError([chance_decides("", ())])
    play: Play[Any, Any] = Play(game, at)
    make_typed(play, moves)
    return play.position


def situation_of(game: AnyGame, at: Any, moves: str | None, seed: int | None) -> Any:
    """What a search is asked about: the position, as `position_of`, or where something is hidden what the
    player to move knows. There chance goes on as the seed says until somebody is to move."""
    if not game.traits.hidden:
        return position_of(game, at, moves)
    from gdl.playing.play import Play
    from gdl.playing.results import make_typed
    from solvers.core.refusal import bad_option
    from solvers.hidden.sequences import Known

    play: Play[Any, Any] = Play(game, position_of(game, at), rng=Random(seed or 0))
    if moves:
        make_typed(play, moves)
    while play.to_move == CHANCE:
        play.draw()
    if play.finished:
        raise bad_option("the game is over", "Ask about a position in which somebody is to move.")
    return Known(play.to_move, play.information(play.to_move), tuple(play.moves()))


def check_game(game: object) -> None:
    from solvers.core.refusal import bad_option

    if not isinstance(game, Game):
        raise bad_option(f"{game!r} is no game", 'Load one: `gdl.load("tictactoe")`.')
