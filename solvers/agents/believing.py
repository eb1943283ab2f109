"""Searches over what may be hidden, as agents: they are asked by what their player has seen."""

from __future__ import annotations

from random import Random

from solvers.agents.agent import Agent, Choice, evenly
from solvers.agents.seen import View
from solvers.agents.solving import Question, worth
from solvers.core.refusal import Refusal
from solvers.core.result import Distribution
from solvers.core.simulations import Kept
from solvers.hidden.sequences import Known


class BelievingAgent(Agent):
    """Asks a search at every move, and keeps what is possible from one move to the next."""

    no_policy = "it chooses by what it has observed, not by the position"

    def __init__(self, question: Question):
        super().__init__(question.game)
        self.question = question
        self.kept = Kept()

    def forget(self) -> None:
        self.kept = Kept()

    def odds(self, known: Known) -> Distribution | None:
        """Where nothing is drawn: equally good moves are equally likely."""
        try:
            result = self.question.ask(known, seed=0, kept=self.kept)
        except Refusal as refusal:
            if refusal.code != "R002":
                raise
            return evenly(known.moves)
        drawn = result.seed is not None
        return None if drawn else evenly([move.move for move in result.moves if move.best])

    def choose(self, view: View, rng: Random) -> Choice:
        if len(view.moves) == 1:
            return Choice(view.moves[0], "the only move")
        known = Known(view.player, view.seen, view.moves)
        seed = self.question.options.get("seed", rng.getrandbits(32))
        try:
            result = self.question.ask(known, seed=seed, kept=self.kept)
        except Refusal as refusal:
            if refusal.code != "R002":
                raise
            return Choice(rng.choice(view.moves), "nothing fits what was observed: at random")
        odds = [move.probability for move in result.moves]
        if None in odds:
            return Choice(rng.choice(result.best), worth(result))
        (move,) = rng.choices(result.moves, [float(share or 0) for share in odds])
        return Choice(move.move, f"{result.solver}: with probability {move.probability:.3g}")
