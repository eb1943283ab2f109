"""Chance as a player: everything that it may do in a position, move by move and outcome by outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Protocol, runtime_checkable

from gdl.game import Game, Number, Outcome


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


@runtime_checkable
class Decided(Protocol):
    """A game that lets somebody else decide what chance does, draw by draw."""

    def decided(
        self, position: Any, move: Any, decide: Callable[[Sequence[Any], Sequence[Number]], int]
    ) -> Outcome:
        """One outcome of a move, or (None, None) one start: `decide` gives the number of one of these
        candidates, which have these probabilities."""
        ...


WAYS = 200_000
"""More ways for chance to go than this are drawn from, not listed."""


def too_many_ways(game: Game[Any, Any], position: Any, move: Any) -> bool:
    """Whether a move, or (None, None) the start, probably has more outcomes than can be listed: some ways are
    drawn, and each stands for as many as it is improbable (Knuth 1975)."""
    if not isinstance(game, Decided):
        return False
    rng = Random(0)
    ways = 0.0
    for _ in range(PROBES):
        probability = one_way(game, position, move, rng).probability
        if probability == 1:
            return False
        ways += float(1 / probability)
    return ways > WAYS * PROBES


def one_way(game: Decided, position: Any, move: Any, rng: Random) -> Outcome:
    """One outcome of a move, or (None, None) one start, drawn without listing all; its probability is that of
    the draws."""

    def decide(candidates: Sequence[Any], shares: Sequence[Number]) -> int:
        return rng.choices(range(len(candidates)), [float(share) for share in shares])[0]

    return game.decided(position, move, decide)


PROBES = 5
"""Ways that are drawn to tell how many there are."""


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
