"""What textbook and kernels of this room share on purpose: records, agreed numbers, refusals."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from gdl.game import Game, Number
from solvers.core.refusal import TooLarge, bad_option

EXPLORING = 0.6
"""How often outcome sampling tries any move, whatever its regret."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a variant does with regrets, and how it averages.

    alpha, beta    in round t regrets are multiplied by t^alpha / (t^alpha + 1) where they are positive, by
                   the same with beta where they are negative; inf: not at all
    gamma          round t counts t^gamma in the average
    plus           negative regrets are forgotten
    predictive     the regret of the last round is expected once more
    """

    alpha: float = inf
    beta: float = inf
    gamma: float = 0.0
    plus: bool = False
    predictive: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a policy gives each player, and what a best response to the others would."""

    values: tuple[Number, ...]
    best: tuple[Number, ...]

    @property
    def gains(self) -> tuple[Number, ...]:
        """What each player would gain by leaving the policy alone."""
        return tuple(best - value for best, value in zip(self.best, self.values, strict=True))

    @property
    def nash_conv(self) -> Number:
        """The sum of what all would gain (Lanctot et al. 2017); 0 in an equilibrium."""
        return sum(self.gains)

    @property
    def exploitability(self) -> Number:
        """NashConv for each player: with two opposed players, what a policy loses on average to opponents who
        know it."""
        return self.nash_conv / len(self.values)


def iterations_of(iterations: int | None, time: float | None, usual: int) -> int:
    if iterations is not None and iterations < 1:
        raise bad_option(f"{iterations} iterations do nothing", "Use iterations=1 or more.")
    return iterations if iterations is not None else usual if time is None else 1 << 60


def too_many_histories(game: Game[Any, Any], limit: int, about: float = 0.0) -> TooLarge:
    size = f"about {about:.0e}" if about > limit else f"more than {limit:,}"
    return TooLarge(
        f"{game.name} has {size} histories.",
        "Search what to do from what is known (`gdl search`), sample plays (`--solver mccfr`), give the game "
        "smaller parameters, or raise --limit.",
        "R002",
    )
