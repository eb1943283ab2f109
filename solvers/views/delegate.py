"""The same game: what every other view starts from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from gdl.game import Game, Number, Outcome, Traits


class Delegate:
    """A game that answers like another one; subclasses change some of the answers."""

    def __init__(self, base: Game[Any, Any]):
        self.base = base

    @property
    def name(self) -> str:
        return self.base.name

    @property
    def players(self) -> tuple[str, ...]:
        return self.base.players

    @property
    def traits(self) -> Traits:
        return self.base.traits

    def initial(self) -> Sequence[Outcome]:
        return self.base.initial()

    def to_move(self, position: Any) -> int:
        return self.base.to_move(position)

    def moves(self, position: Any) -> Sequence[Any]:
        return self.base.moves(position)

    def chance(self, position: Any) -> Sequence[tuple[Any, Number]]:
        return self.base.chance(position)

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        return self.base.outcomes(position, move)

    def utility(self, position: Any) -> tuple[Number, ...]:
        return self.base.utility(position)

    def features(self, position: Any) -> Mapping[str, Number]:
        return self.base.features(position)

    def evaluate(self, position: Any) -> tuple[Number, ...] | None:
        return self.base.evaluate(position)

    def observation(self, position: Any, player: int) -> Hashable:
        return self.base.observation(position, player)

    def show(self, position: Any) -> str:
        return self.base.show(position)

    def format_position(self, position: Any) -> str:
        return self.base.format_position(position)

    def parse_position(self, text: str) -> Any:
        return self.base.parse_position(text)

    def format_move(self, move: Any) -> str:
        return self.base.format_move(move)

    def parse_move(self, position: Any, text: str) -> Any:
        return self.base.parse_move(position, text)
