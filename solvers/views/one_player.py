"""What one of the players is paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gdl.game import Game, Number, Outcome
from solvers.views.delegate import Delegate


class OnePlayer(Delegate):
    """What the game pays one player; subclasses say what becomes of the others."""

    def __init__(self, base: Game[Any, Any], player: int):
        super().__init__(base)
        self.player = player

    def pays(self, amounts: tuple[Number, ...]) -> tuple[Number, ...]:
        """The amounts of this game's players from those of all players (none when nothing is paid)."""
        return amounts[self.player : self.player + 1]

    def initial(self) -> Sequence[Outcome]:
        return [self._projected(outcome) for outcome in self.base.initial()]

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        return [self._projected(outcome) for outcome in self.base.outcomes(position, move)]

    def utility(self, position: Any) -> tuple[Number, ...]:
        return self.pays(self.base.utility(position))

    def evaluate(self, position: Any) -> tuple[Number, ...] | None:
        estimates = self.base.evaluate(position)
        return None if estimates is None else self.pays(estimates)

    def features(self, position: Any) -> Mapping[str, Number]:
        """Features speak for the first player; for the second of two opposed players they change sign."""
        features = self.base.features(position)
        opposed = self.player == 1 and self.base.traits.zero_sum
        return {name: -value for name, value in features.items()} if opposed else features

    def _projected(self, outcome: Outcome) -> Outcome:
        return Outcome(outcome.position, outcome.probability, self.pays(outcome.rewards))
