"""Searching a position: what `gdl search` does, for Python and for the command."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gdl.answers import described, position_of
from gdl.game import Game

if TYPE_CHECKING:
    from solvers.core.result import Result

LIMITS = ("depth", "nodes", "time", "simulations")


def search(
    game: Game[Any, Any],
    solver: str | None = None,
    *,
    at: Any = None,
    moves: str | None = None,
    **options: Any,
) -> Result:
    """What a position is worth and what to play there, looking ahead from it: what `gdl search` prints.

    solver    a search with its options, such as "alphabeta" or "mcts(c=0.7)"; without, one that suits
    at        the position, or its text; without, the start of the game
    moves     moves to make first, as text: "place(a1) place(b2)"
    depth, time, nodes, simulations, and all options of the search (`docs/solvers.md`) as arguments

    The answer says whether it is exact, between proven bounds, or an estimate.

    >>> import gdl
    >>> result = gdl.search(gdl.load("tictactoe"), "alphabeta", moves="place(a1) place(b1)")
    >>> result.value, result.kind
    (1, 'exact')
    """
    from solvers.agents.kinds import search_described
    from solvers.registry import choose

    position = _reached(game, position_of(game, at), moves)
    text, reason = choose(game, "search") if solver is None else (solver, "")
    if solver is None and text == "mcts" and options.get("depth") is not None:
        text, reason = "maxn", "a depth is given, and interests differ"
    entry, written = search_described(text, game)
    given = written | {name: value for name, value in options.items() if value is not None}
    entry.check_options(given)
    result: Result = entry.load()(game, position, **given)
    model = getattr(game, "model", None)
    unproven = 0 if model is None else len(model.obligations)
    return replace(described(game, position, result, reason), unproven=unproven)


def _reached(game: Game[Any, Any], position: Any, moves: str | None) -> Any:
    """Where to search; None for the start of the game, which chance may decide."""
    if not moves:
        return position
    from gdl.playing.play import Play
    from gdl.playing.results import make_typed

    play: Play[Any, Any] = Play(game, position)
    make_typed(play, moves)
    return play.position
