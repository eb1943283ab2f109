"""A learned evaluation in use: as a leaf of searches, and as an agent that looks one move ahead."""

from __future__ import annotations

from functools import cache, cached_property
from importlib import import_module
from typing import Any

from gdl.game import Composed, Game
from solvers.agents.agent import Agent, PositionAgent, evenly
from solvers.core.leaves import Described, within_bounds
from solvers.core.numbers import show_rough
from solvers.core.refusal import Refusal
from solvers.core.result import Distribution, tie
from solvers.files.evaluation_file import read
from solvers.learning.choosing import ways
from solvers.learning.evaluation import Evaluation, Judge, refuse_to_learn
from solvers.learning.shipped import found_file


def learned(game: Game[Any, Any], file: str) -> Described:
    """The leaf of a file. Raises GameError where the file is not for this game."""
    return leaf_of(game, evaluation_for(game, file))


def evaluation_for(game: Game[Any, Any], file: str) -> Evaluation:
    if not isinstance(game, Composed):
        raise Refusal(
            f"a learned evaluation looks at the elements of positions, and those of {game.name} are unknown",
            "Describe the game in a file.",
        )
    refuse_to_learn(game)
    return read(found_file(file), game).evaluation


def leaf_of(game: Game[Any, Any], evaluation: Evaluation) -> Described:
    """An evaluation as a leaf; on machine code, where the game runs there."""
    code = None
    if getattr(game, "compiled", None) is not None:

        @cache  # once for all searches of a player
        def code() -> Any:  # named, not imported: kernels are loaded where they are needed
            return import_module("solvers.learning.kernels.leaf").code_of(game, evaluation)

    return Described(within_bounds(game, Judge(game, evaluation)), "learned", code=code)


def learned_agent(game: Game[Any, Any], file: str) -> Agent:
    """Plays what is best by the evaluation of a file, one move ahead, or one turn where it judges turns."""
    return LearnedAgent(game, evaluation_for(game, file))


class LearnedAgent(PositionAgent):
    def __init__(self, game: Game[Any, Any], evaluation: Evaluation):
        super().__init__(game)
        self.evaluation = evaluation

    @cached_property
    def _chooser(self) -> Any:
        return import_module("solvers.learning.kernels.chooser").Chooser(self.game, self.evaluation)

    def decide(self, position: Any) -> tuple[Distribution, str]:
        game: Any = self.game
        mover = game.to_move(position)
        if getattr(game, "compiled", None) is not None:
            import numpy as np

            found = self._chooser.best(np.frombuffer(game.form(position), np.uint8).copy(), mover)
            return {game.move_of(position, found.first): 1}, f"learned: {show_rough(found.worth[mover])}"
        judged = ways(game, Judge(game, self.evaluation), position)
        best = max(worth[mover] for _, worth in judged)
        moves = list(dict.fromkeys(move for move, worth in judged if tie(worth[mover], best)))
        return evenly(moves), f"learned: {show_rough(best)}"
