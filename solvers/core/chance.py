"""Chance as a player: everything that it may do in a position, move by move and outcome by outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Protocol, runtime_checkable

from gdl.game import Game, Outcome


def ways_of_chance(game: Game[Any, Any], position: Any) -> list[tuple[Any, Outcome]]:
    """The moves of chance with their outcomes; the probabilities, of both together, sum to 1."""
    return [
        (move, Outcome(outcome.position, probability * outcome.probability, outcome.rewards))
        for move, probability in game.chance(position)
        for outcome in game.outcomes(position, move)
    ]


@runtime_checkable
class Watched(Protocol):
    """A game that lists the outcomes of a move so that this can be ended, and draws one without listing."""

    def outcomes_watched(self, position: Any, move: Any, look: Callable[[int], None]) -> Sequence[Outcome]:
        """As `outcomes`; `look` is told now and then how many ways there are so far, and may raise."""
        ...

    def sample(self, position: Any, move: Any, rng: Random) -> Any:
        """One outcome at random, with its position, probability and rewards."""
        ...


def sample(outcomes: Sequence[Outcome], rng: Random) -> Outcome:
    """One outcome, with its probability among those given (they need not sum to 1)."""
    if len(outcomes) == 1:
        return outcomes[0]
    x = rng.random() * sum(float(outcome.probability) for outcome in outcomes)
    for outcome in outcomes:
        x -= float(outcome.probability)
        if x < 0:
            return outcome
    return outcomes[-1]  # the sum was rounded
