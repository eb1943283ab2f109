"""Agents that ask no solver: random, greedy, and mixtures of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from gdl.game import Game, Number
from solvers.agents.agent import Agent, Choice, PositionAgent, evenly
from solvers.agents.seen import View
from solvers.core.leaves import Leaf, drawn_anew, own_evaluation
from solvers.core.numbers import show_rough
from solvers.core.policies import PolicyFunction, uniform
from solvers.core.result import Distribution, tie
from solvers.core.rollout import estimate_of_move


class RandomAgent(Agent):
    """Needs to see nothing but its legal moves, so it also plays where something is hidden."""

    def choose(self, view: View, rng: Random) -> Choice:
        return Choice(rng.choice(view.moves), f"one of {len(view.moves)} at random")

    def policy(self) -> PolicyFunction:
        return uniform(self.game)


def greedy(game: Game[Any, Any], *, leaf: Leaf | None = None) -> Agent:
    """By the game's own evaluation, or by a leaf; one that draws is given fresh numbers at every move."""
    leaf = leaf or own_evaluation(game)
    draw = drawn_anew(leaf)
    return (
        GreedyAgent(game, leaf)
        if draw is None
        else DrawingAgent(game, lambda seed: GreedyAgent(game, draw(seed)))
    )


class GreedyAgent(PositionAgent):
    """Looks one move ahead and takes the best expected evaluation for itself."""

    def __init__(self, game: Game[Any, Any], leaf: Leaf):
        super().__init__(game)
        self.leaf = leaf

    def decide(self, position: Any) -> tuple[Distribution, str]:
        player = self.game.to_move(position)
        moves = self.game.moves(position)
        estimates = [estimate_of_move(self.game, position, move, self.leaf)[player] for move in moves]
        best = max(estimates)
        tied = [move for move, estimate in zip(moves, estimates, strict=True) if tie(estimate, best)]
        return evenly(tied), f"evaluated at {show_rough(best)}"


class DrawingAgent(Agent):
    """One that would be a policy if its leaf did not draw: for every move made anew, with fresh numbers."""

    no_policy = "its leaf draws random numbers for every move"
    instead = "or give the leaf a seed of its own: rollouts(10, seed=1) says the same of a position always"

    def __init__(self, game: Game[Any, Any], made_of: Callable[[int], PositionAgent]):
        super().__init__(game)
        self.made_of = made_of

    def choose(self, view: View, rng: Random) -> Choice:
        return self.made_of(rng.getrandbits(32)).choose(view, rng)


class MixtureAgent(Agent):
    """One of several agents, drawn anew for every move."""

    def __init__(self, game: Game[Any, Any], *, parts: Sequence[tuple[Fraction, Agent]]):
        super().__init__(game)
        self.parts = parts

    def choose(self, view: View, rng: Random) -> Choice:
        (agent,) = rng.choices(
            [agent for _, agent in self.parts], [float(weight) for weight, _ in self.parts]
        )
        choice = agent.choose(view, rng)
        return Choice(choice.move, f"as {agent}: {choice.why}")

    def policy(self) -> PolicyFunction:
        policies = [(weight, agent.policy()) for weight, agent in self.parts]

        def mixed(position: Any) -> Distribution:
            total: dict[Any, Number] = {}
            for weight, policy in policies:
                for move, probability in policy(position).items():
                    total[move] = total.get(move, 0) + weight * probability
            return total

        return mixed
