"""All other players follow policies."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game, Number, Traits
from solvers.core.policies import PolicyFunction
from solvers.views.one_player import OnePlayer


class AgainstPolicies(OnePlayer):
    """The one-player game that remains when all other players follow policies: they become chance."""

    def __init__(self, base: Game[Any, Any], player: int, policies: Mapping[int, PolicyFunction]):
        super().__init__(base, player)
        self.policies = policies

    @property
    def players(self) -> tuple[str, ...]:
        return (self.base.players[self.player],)

    @property
    def traits(self) -> Traits:
        traits = self.base.traits
        one = slice(self.player, self.player + 1)
        return replace(
            traits,
            players=1,
            zero_sum=False,
            chance=True,
            utility_bounds=traits.utility_bounds[one],
            endless=traits.endless[one],
            chance_moves=(),
        )

    def to_move(self, position: Any) -> int:
        player = self.base.to_move(position)
        return player if player == TERMINAL else 0 if player == self.player else CHANCE

    def chance(self, position: Any) -> Sequence[tuple[Any, Number]]:
        player = self.base.to_move(position)
        if player == CHANCE:
            return self.base.chance(position)
        moves = self.policies[player](position)
        return [(move, probability) for move, probability in moves.items() if probability > 0]

    def observation(self, position: Any, player: int) -> Hashable:
        return self.base.observation(position, self.player)
