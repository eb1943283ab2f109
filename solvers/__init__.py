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
    from solvers.plan import Plan, plan_play, plan_search, plan_whole
    from solvers.registry import applicable, applies, choose

__all__ = [
    "Plan", "Refusal", "Result", "applicable", "applies", "choose", "plan_play", "plan_search", "plan_whole",
    "solve",
]  # fmt: skip

_HOMES = {
    "Plan": "solvers.plan",
    "plan_play": "solvers.plan",
    "plan_search": "solvers.plan",
    "plan_whole": "solvers.plan",
    "Refusal": "solvers.core.refusal",
    "Result": "solvers.core.result",
    "applicable": "solvers.registry",
    "applies": "solvers.registry",
    "choose": "solvers.registry",
}


def solve(game: Game[Any, Any], solver: str | None = None, at: Any = None, **options: Any) -> Result:
    """The answer of a solver for a position, by default for the start of the game.

    Without a solver the plan for the whole game is followed (`solvers.plan`), and the answer says why. The
    position may be text. Raises Refusal when the solver does not apply, cannot finish, or does not have an
    option, and for a game that does not fit memory.
    """
    from gdl.game import Game
    from solvers.core.refusal import bad_option
    from solvers.plan import follow_whole, plan_whole
    from solvers.registry import find, refuse, ways_to_solve

    if not isinstance(game, Game):
        raise bad_option(f"{game!r} is no game", 'Load one: `gdl.load("tictactoe")`.')
    if isinstance(at, str) and not isinstance(game.initial()[0].position, str):
        at = game.parse_position(at)
    entry = find(ways_to_solve(game)[0][0] if solver is None else solver)
    entry.check_options(options)
    refuse(entry.name, game)
    if solver is not None:
        answer: Result = entry.load()(game, at, **options)
        return answer

    def run(plan: Plan) -> Result:
        find(plan.solver).check_options(options)
        if plan.settings is None:
            answer: Result = find(plan.solver).textbook(game, at, **options)
        else:
            from solvers.whole.kernels.twins import solved_by

            answer = solved_by(plan, game, at)
        return replace(answer, how=f"{answer.how} (chosen because {plan.reason})")

    return follow_whole(lambda steps: plan_whole(game, steps, at, options=options, look=False), run)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'solvers' has no attribute {name!r}")
