"""All other players are one opponent."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from gdl.game import Number, Traits
from solvers.views.one_player import OnePlayer


class Coalition(OnePlayer):
    """The duel between one player and all others, who have agreed to hurt that player."""

    @property
    def players(self) -> tuple[str, ...]:
        return (self.base.players[self.player], "the others")

    @property
    def traits(self) -> Traits:
        traits = self.base.traits
        low, high = traits.utility_bounds[self.player] if traits.utility_bounds else (None, None)
        endless = traits.endless[self.player] if traits.endless else Fraction(0)
        bounds = () if low is None or high is None else ((low, high), (-high, -low))
        return replace(traits, players=2, zero_sum=True, utility_bounds=bounds, endless=(endless, -endless))

    def pays(self, amounts: tuple[Number, ...]) -> tuple[Number, ...]:
        return (amounts[self.player], -amounts[self.player]) if amounts else ()

    def to_move(self, position: Any) -> int:
        player = self.base.to_move(position)
        return player if player < 0 else 0 if player == self.player else 1

    def observation(self, position: Any, player: int) -> Hashable:
        return self.base.observation(position, self.player)
