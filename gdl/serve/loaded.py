"""The games that a process has ready, by their texts and parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from gdl.diagnostics import Source
from gdl.loading import fastest, game_of, load_model
from gdl.model.nodes import Model

MOST_GAMES = 24
"""Games that a process keeps ready."""

MOST_KEPT = 5000
"""Positions of one game that are kept by their texts."""

T = TypeVar("T")


class Recent(OrderedDict[Any, T]):
    """What was used last; what was not used for longest is forgotten."""

    def __init__(self, most: int):
        super().__init__()
        self.most = most

    def keep(self, key: Any, value: T) -> T:
        self[key] = value
        self.move_to_end(key)
        while len(self) > self.most:
            self.popitem(last=False)
        return value


@dataclass
class Engine:
    """A game on one engine, with the positions and agents that were asked for lately."""

    game: Any
    positions: Recent[Any] = field(default_factory=lambda: Recent(MOST_KEPT))
    agents: Recent[Any] = field(default_factory=lambda: Recent(8))

    def position(self, text: str) -> Any:
        found = self.positions.get(text)
        return found if found is not None else self.positions.keep(text, self.game.parse_position(text))

    def text(self, position: Any) -> str:
        """The text of a position, which is then known without reading it."""
        text = str(self.game.format_position(position))
        self.positions.keep(text, position)
        return text

    def move(self, before: str, text: str) -> Any:
        """The legal move that a text means in a position."""
        key = before, text
        found = self.positions.get(key)
        if found is None:
            found = self.positions.keep(key, self.game.parse_move(self.position(before), text))
        return found


class Ready:
    """One game with its parameters: checked at once, put on engines when they are needed."""

    def __init__(self, model: Model):
        self.model = model

    @cached_property
    def exact(self) -> Engine:
        """Exact numbers, ready at once: for what people do and see."""
        return Engine(game_of(self.model, "reference"))

    @cached_property
    def fast(self) -> Engine:
        """Machine code: for agents and solvers."""
        return Engine(fastest(self.model)[0])


_games: Recent[Ready] = Recent(MOST_GAMES)


def ready(game: Mapping[str, Any]) -> Ready:
    """The game that `{name, text, path, params}` describe. Raises GameError where it has mistakes."""
    params = {str(name): str(value) for name, value in (game.get("params") or {}).items()}
    key = game["name"], game["text"], game.get("path"), tuple(sorted(params.items()))
    if (found := _games.get(key)) is not None:
        _games.move_to_end(key)
        return found
    return _games.keep(key, Ready(load_model(source_of(game), params)))


def source_of(game: Mapping[str, Any]) -> Source:
    path = game.get("path")
    return Source(f"{game['name']}.gdl", game["text"], None if path is None else Path(path))
