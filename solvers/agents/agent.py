"""What an agent is: a chooser, and perhaps a policy.

A *chooser* is shown what its player has seen (`View`) and may do anything with it and with random numbers. A
*policy* says more: what it does follows from the position alone, as probabilities that can be computed with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from gdl.game import Game
from solvers.agents.seen import View
from solvers.core.policies import PolicyFunction
from solvers.core.refusal import Refusal
from solvers.core.result import Distribution

if TYPE_CHECKING:
    from solvers.hidden.sequences import Known


class Choice(NamedTuple):
    """A move and, in a few words, why."""

    move: Any
    why: str


class Agent(ABC):
    """Chooses moves in one game. `description` is the text that makes the same agent again."""

    description = ""  # given by what makes the agent from a text

    def __init__(self, game: Game[Any, Any]):
        self.game = game

    @abstractmethod
    def choose(self, view: View, rng: Random) -> Choice:
        """One of the view's moves."""

    def policy(self) -> PolicyFunction:
        """The probabilities of its moves as a function of the position; refuses where there are none."""
        raise Refusal(
            f"{self.description} is no policy to compute with: {self.no_policy}.",
            f"Let it play (gdl run, gdl match, gdl solve --simulations N), {self.instead}.",
        )

    def odds(self, known: Known) -> Distribution | None:
        """The probabilities of its moves by what its player knows; None where they can only be counted."""
        return None

    def forget(self) -> None:
        """Forgets the plays that it was asked about, to be asked as if for the first time."""
        return  # most have nothing to forget

    no_policy = "what it does does not follow from the position alone"
    """Why there is no policy, for agents that are none."""

    instead = (
        "or use an agent that is a policy: random, greedy, a search such as minimax(depth=2), policy:FILE"
    )
    """What else could be done about it."""

    def __str__(self) -> str:
        return self.description


class PositionAgent(Agent):
    """An agent that is a policy: what it does depends on the position alone."""

    def __init__(self, game: Game[Any, Any]):
        super().__init__(game)
        self._known: dict[Any, tuple[Distribution, str]] = {}

    @abstractmethod
    def decide(self, position: Any) -> tuple[Distribution, str]:
        """The probabilities of the moves, and why."""

    def decided(self, position: Any) -> tuple[Distribution, str]:
        """What `decide` says, asked once; where there is one move there is nothing to ask."""
        if position not in self._known:
            moves = self.game.moves(position)
            only = ({moves[0]: 1}, "the only move") if len(moves) == 1 else None
            self._known[position] = only or self.decide(position)
        return self._known[position]

    def choose(self, view: View, rng: Random) -> Choice:
        distribution, why = self.decided(view.position)
        moves = list(distribution)
        return Choice(rng.choices(moves, [float(distribution[move]) for move in moves])[0], why)

    def policy(self) -> PolicyFunction:
        return lambda position: self.decided(position)[0]


def evenly(moves: Sequence[Any]) -> Distribution:
    return {move: Fraction(1, len(moves)) for move in moves}
