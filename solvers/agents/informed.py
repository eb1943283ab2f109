"""Agents that follow a policy over information sets: what they do depends on what their player has seen
alone."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from gdl.game import Game
from solvers.agents.agent import Agent, Choice
from solvers.agents.given import DeclaredAgent
from solvers.agents.seen import View
from solvers.agents.simple import MixtureAgent, RandomAgent
from solvers.core.numbers import show_rough
from solvers.core.result import Distribution, Result
from solvers.hidden.sequences import Known

Lookup = Callable[[int, tuple[Any, ...], tuple[Any, ...]], Distribution | None]
"""From a player, what was seen and the legal moves to probabilities; None for what is not known."""


class InformedAgent(Agent):
    """Plays by what its player has seen, and anything legal where the policy does not say."""

    no_policy = "it chooses by what it has observed, not by the position"

    def __init__(self, game: Game[Any, Any], made: Callable[[], Lookup]):
        super().__init__(game)
        self._made = made
        self._lookup: Lookup | None = None

    def informed(self, known: Known) -> Distribution:
        """The probabilities of the moves by what is known."""
        if self._lookup is None:
            self._lookup = self._made()
        found = self._lookup(known.player, known.seen, known.moves)
        return dict.fromkeys(known.moves, 1 / len(known.moves)) if found is None else found

    def choose(self, view: View, rng: Random) -> Choice:
        odds = self.informed(Known(view.player, view.seen, view.moves))
        moves = list(odds)
        (move,) = rng.choices(moves, [float(odds[one]) for one in moves])
        return Choice(move, f"with probability {show_rough(odds[move])}, by what was seen")


def by_file(game: Game[Any, Any], file: str) -> InformedAgent:
    """Plays what a file says (`solvers/files/information_file.py`)."""
    from solvers.files.information_file import InformationFile

    opened = InformationFile.open(file, game)
    return InformedAgent(game, lambda: opened.at)


def by_solver(game: Game[Any, Any], solve: Callable[[], Result]) -> InformedAgent:
    """Solves the game before its first move and plays what was found."""

    def made() -> Lookup:
        strategy: Any = solve().strategy
        lookup = strategy.lookup()

        def at(player: int, seen: tuple[Any, ...], moves: tuple[Any, ...]) -> Distribution | None:
            odds = lookup(Known(player, seen, moves))
            return None if odds is None else dict(zip(moves, odds, strict=True))

        return at

    return InformedAgent(game, made)


def informed_policy(agent: Agent) -> Callable[[Known], Distribution] | None:
    """What an agent does by what is known, as probabilities; None for one that is no such policy."""
    if isinstance(agent, InformedAgent):
        return agent.informed
    if isinstance(agent, DeclaredAgent):
        declared = agent.declared
        return lambda known: declared.informed(known.seen[-1], known.moves)
    if isinstance(agent, RandomAgent):
        return lambda known: dict.fromkeys(known.moves, 1 / len(known.moves))
    if isinstance(agent, MixtureAgent):
        parts = [(float(weight), informed_policy(part)) for weight, part in agent.parts]
        if any(part is None for _, part in parts):
            return None

        def mixed(known: Known) -> Distribution:
            total = dict.fromkeys(known.moves, 0.0)
            for weight, part in parts:
                assert part is not None
                for move, probability in part(known).items():
                    total[move] += weight * float(probability)
            return total

        return mixed
    return None
