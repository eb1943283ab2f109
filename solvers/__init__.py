"""Generic solvers for every game that satisfies the Game protocol.

    import solvers
    answer = solvers.solve(game)                        # the solver that suits the game, with its reason
    answer = solvers.solve(game, "alphabeta", depth=6)
    answer.value, answer.best, answer.kind              # see solvers.core.result

Each algorithm is a module of its own, `solvers.search.alphabeta.alphabeta(game, ..)`; `solvers.registry`
lists them all with what they need. A solver that does not apply raises `Refusal`. Nothing is imported before
it is used.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gdl.game import Game
    from solvers.core.refusal import Refusal
    from solvers.core.result import Result
    from solvers.registry import applicable, applies, choose

__all__ = ["Refusal", "Result", "applicable", "applies", "choose", "solve"]

_HOMES = {
    "Refusal": "solvers.core.refusal",
    "Result": "solvers.core.result",
    "applicable": "solvers.registry",
    "applies": "solvers.registry",
    "choose": "solvers.registry",
}


def solve(game: Game[Any, Any], solver: str | None = None, at: Any = None, **options: Any) -> Result:
    """The answer of a solver for a position, by default for the start of the game.

    Without a solver the best one that applies is chosen, and the answer says why. The position may be
    text. Raises Refusal when the solver does not apply, cannot finish, or does not have an option.
    """
    from gdl.game import Game
    from solvers.core.refusal import Repeats, bad_option
    from solvers.registry import find, refuse, ways_to_solve

    if not isinstance(game, Game):
        raise bad_option(f"{game!r} is no game", 'Load one: `gdl.load("tictactoe")`.')
    if isinstance(at, str) and not isinstance(game.initial()[0].position, str):
        at = game.parse_position(at)
    ways = ways_to_solve(game) if solver is None else [(solver, "")]
    for place, (name, reason) in enumerate(ways, 1):
        entry = find(name)
        entry.check_options(options)
        refuse(entry.name, game)
        try:
            answer: Result = entry.load()(game, at, **options)
        except Repeats:
            if place == len(ways):
                raise
            continue
        return replace(answer, how=f"{answer.how} (chosen because {reason})") if reason else answer
    raise AssertionError("there is always a way, or a refusal")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'solvers' has no attribute {name!r}")
