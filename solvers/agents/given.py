"""Agents that somebody gives: a strategy file, a policy of the game's file, or what is written in Python."""

from __future__ import annotations

from random import Random
from typing import Any

from gdl.game import DeclaredPolicy, Game
from solvers.agents.agent import Agent, Choice, PositionAgent
from solvers.agents.seen import View
from solvers.core.policies import PolicyFunction, checked
from solvers.core.refusal import bad_option
from solvers.core.result import Distribution


def agent_of(made: Any, game: Game[Any, Any], name: str) -> Agent:
    """What somebody's function makes, as an agent: a policy, or a chooser."""
    if isinstance(made, Agent):
        return made
    if hasattr(made, "choose"):
        return ChoosingAgent(game, made)
    if callable(made):
        return FunctionAgent(game, made)
    raise bad_option(
        f"{name} makes {made!r}, which is no agent",
        "Make a function from positions to probabilities of moves, or an object with choose(view, rng).",
    )


def policy(game: Game[Any, Any], *, file: str) -> Agent:
    """What a strategy file says: by positions, or where something is hidden by what was seen."""
    if game.traits.hidden:
        from solvers.agents.informed import by_file

        return by_file(game, file)
    return PolicyAgent(game, file=file)


class PolicyAgent(PositionAgent):
    """Plays what a strategy file says, and anything legal in positions that it does not know."""

    def __init__(self, game: Game[Any, Any], *, file: str):
        from solvers.files.strategy_file import StrategyFile

        super().__init__(game)
        self.strategy = StrategyFile.open(file, game)

    def decide(self, position: Any) -> tuple[Distribution, str]:
        value = self.strategy.value(position)
        return self.strategy(position), "not in the file" if value is None else f"worth {value}"


class FunctionAgent(PositionAgent):
    """A policy that somebody wrote as a function of the position."""

    def __init__(self, game: Game[Any, Any], policy: PolicyFunction):
        super().__init__(game)
        self.function = checked(game, policy)

    def decide(self, position: Any) -> tuple[Distribution, str]:
        return self.function(position), "by its policy"


class DeclaredAgent(PositionAgent):
    """A policy that the file of the game declares."""

    def __init__(self, game: Game[Any, Any], declared: DeclaredPolicy):
        super().__init__(game)
        self.declared = declared

    def decided(self, position: Any) -> tuple[Distribution, str]:
        """Asked where there is one move, too: it may be another player's policy."""
        if position not in self._known:
            self._known[position] = self.decide(position)
        return self._known[position]

    def decide(self, position: Any) -> tuple[Distribution, str]:
        return self.declared(position), "by its policy"

    def choose(self, view: View, rng: Random) -> Choice:
        if not self.game.traits.hidden:
            return super().choose(view, rng)
        distribution = self.declared.informed(view.seen[-1], view.moves)
        moves = list(distribution)
        return Choice(rng.choices(moves, [float(distribution[move]) for move in moves])[0], "by its policy")

    def policy(self) -> PolicyFunction:
        return self.declared


class ChoosingAgent(Agent):
    """What somebody wrote to choose moves in any way."""

    def __init__(self, game: Game[Any, Any], chooser: Any):
        super().__init__(game)
        self.chooser = chooser

    def choose(self, view: View, rng: Random) -> Choice:
        move = self.chooser.choose(view, rng)
        if isinstance(move, Choice):
            return move
        if move not in view.moves:
            raise bad_option(f"{self} chose {move!r}, which is no legal move.")
        return Choice(move, "")
