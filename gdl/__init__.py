"""A language for games: write the rules as text, get exact and native engines and generic solvers.

>>> import gdl
>>> game = gdl.load("tictactoe")
>>> gdl.solve(game).value
0.0
>>> play = gdl.Play(game, seed=1)
>>> play.make(gdl.agent("alphabeta", game, seed=1).choose(play)).mover
0

Everything is imported when it is first used: `import gdl` is cheap. docs/python.md shows all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gdl.loading import games, load, loads

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gdl.base_game import BaseGame
    from gdl.certificates.verify import verify
    from gdl.diagnostics import GameError
    from gdl.evaluating import evaluate, policy_table
    from gdl.game import CHANCE, TERMINAL, Game, Outcome, Traits
    from gdl.learning import learn
    from gdl.playing.play import Play
    from gdl.playing.tournament import match
    from gdl.plots.plotting import plot
    from gdl.searching import search
    from gdl.sizes import size
    from gdl.solving import plan, solve
    from gdl.sweeps.sweep import sweep
    from gdl.transition_table import transitions
    from gdl.trees.drawing import tree
    from solvers.agents.seated import Seated, agent
    from solvers.core.refusal import Refusal
    from solvers.core.result import Result
    from solvers.plan import Plan
    from solvers.registering import register

__all__ = [
    "CHANCE",
    "TERMINAL",
    "BaseGame",
    "Game",
    "GameError",
    "Outcome",
    "Plan",
    "Play",
    "Refusal",
    "Result",
    "Seated",
    "Traits",
    "__version__",
    "agent",
    "evaluate",
    "games",
    "learn",
    "load",
    "loads",
    "match",
    "plan",
    "plot",
    "policy_table",
    "register",
    "search",
    "size",
    "solve",
    "sweep",
    "transitions",
    "tree",
    "verify",
]

_HOMES = {
    "BaseGame": "gdl.base_game",
    "verify": "gdl.certificates.verify",
    "GameError": "gdl.diagnostics",
    "CHANCE": "gdl.game",
    "TERMINAL": "gdl.game",
    "Game": "gdl.game",
    "Outcome": "gdl.game",
    "Traits": "gdl.game",
    "learn": "gdl.learning",
    "Play": "gdl.playing.play",
    "match": "gdl.playing.tournament",
    "search": "gdl.searching",
    "evaluate": "gdl.evaluating",
    "policy_table": "gdl.evaluating",
    "size": "gdl.sizes",
    "transitions": "gdl.transition_table",
    "plan": "gdl.solving",
    "solve": "gdl.solving",
    "plot": "gdl.plots.plotting",
    "sweep": "gdl.sweeps.sweep",
    "tree": "gdl.trees.drawing",
    "Seated": "solvers.agents.seated",
    "agent": "solvers.agents.seated",
    "Refusal": "solvers.core.refusal",
    "Result": "solvers.core.result",
    "Plan": "solvers.plan",
    "register": "solvers.registering",
}
"""Where each name stands."""


def __getattr__(name: str) -> Any:
    """Imports a part of the library when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'gdl' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
