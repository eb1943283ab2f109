"""The games that are served: their names, titles and texts. No other file is read, and none is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl.loading import read_source

_DOC = re.compile(r'\A\s*("""(?:.*?)"""|"(?:[^"\\\n]|\\.)*")', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Offered:
    """A game as it lies in its file."""

    name: str
    text: str
    path: Path
    beside: bool  # whether texts that are changed may borrow from the files beside it: all are offered too

    @property
    def title(self) -> str:
        """The first line of what the file says about itself."""
        found = _DOC.match(self.text)
        if found is None:
            return ""
        try:
            doc = str(ast.literal_eval(found[1]))
        except (SyntaxError, ValueError):
            return ""
        return doc.strip().partition("\n")[0].strip()

    def game(self, text: str | None = None, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What a process is told: the rules as they are in the file, or as somebody changed them."""
        changed = text is not None and text != self.text
        return {
            "name": self.name,
            "text": self.text if text is None else text,
            "path": str(self.path) if self.beside or not changed else None,
            "params": dict(params or {}),
        }


class Offer:
    """All the games that are served, by name."""

    def __init__(self, games: Mapping[str, Offered]):
        self.games = dict(games)

    @staticmethod
    def of(paths: Sequence[Path]) -> Offer:
        """The games in these files. Raises GameError where one cannot be read."""
        given = {path.resolve() for path in paths}
        found: dict[str, Offered] = {}
        whole = {folder: set(folder.glob("*.gdl")) <= given for folder in {path.parent for path in given}}
        for path in paths:
            resolved = path.resolve()
            source = read_source(path)
            name = path.stem
            while name in found:
                name += "_"
            text = source.text.replace("\r\n", "\n")
            found[name] = Offered(name, text, resolved, whole[resolved.parent])
        return Offer(found)

    def listed(self) -> list[dict[str, str]]:
        return [{"name": game.name, "title": game.title} for game in self.games.values()]

    def game(self, name: str, text: str | None, params: Mapping[str, Any] | None) -> dict[str, Any]:
        """A game that somebody plays: one of these, perhaps changed, or a text of their own."""
        offered = self.games.get(name)
        if offered is not None:
            return offered.game(text, params)
        if text is None:
            raise KeyError(name)
        return {"name": name, "text": text, "path": None, "params": dict(params or {})}
