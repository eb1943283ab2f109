"""An agent at the table: asked about plays, with random numbers of its own."""

from __future__ import annotations

from random import Random
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game
from solvers.agents import kinds
from solvers.agents.agent import Agent
from solvers.agents.seen import PlayInProgress, View
from solvers.core.policies import PolicyFunction
from solvers.core.refusal import bad_option


class Seated:
    """An agent at the table: chooses the moves of a play with random numbers of its own."""

    def __init__(self, agent: Agent, rng: Random):
        self.agent = agent
        self.rng = rng
        self.why = ""  # of the last move

    def choose(self, play: PlayInProgress) -> Any:
        """A legal move for the player to move; the agent is shown only what that player has seen.

        `why` then says why, in a few words. Refuses where nobody is to move.
        """
        mover = play.game.to_move(play.position)
        if mover in (CHANCE, TERMINAL):
            hint = "Use `play.draw()`." if mover == CHANCE else None
            raise bad_option("chance is to move" if mover == CHANCE else "the game is over", hint)
        move, self.why = self.agent.choose(View.of_play(play), self.rng)
        return move

    def policy(self) -> PolicyFunction:
        """From a position to the probabilities of its moves; refuses for an agent that is no policy."""
        return self.agent.policy()

    def __str__(self) -> str:
        return self.agent.description

    def __repr__(self) -> str:
        return f"<agent {self}>"


def agent(text: str, game: Game[Any, Any], *, seed: int | None = None) -> Seated:
    """The agent that a text describes (docs/solvers.md), ready to be asked about plays of a game.

    The same seed gives the same moves. Raises GameError where the text is wrong, naming what is known, and
    Refusal where the agent does not suit the game.

    >>> import gdl
    >>> game = gdl.load("tictactoe")
    >>> play = gdl.Play(game)
    >>> player = gdl.agent("mcts(simulations=200)", game, seed=1)
    >>> player.choose(play) in play.moves()
    True
    """
    return Seated(kinds.agent(text, game), Random(seed))
