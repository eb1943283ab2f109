"""Evaluations that come with the program: beside the games, for those that are too large to be solved.

`games/learned.json` says which: per game the digest of its rules, its file, and who plays best with it, as it
was measured (docs/learning.md has the table). Other parameters have other digests, and nothing then.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gdl.paths import data_directory

TABLE = "learned.json"
ENDING = ".weights"


class Shipped(NamedTuple):
    """A file, and what to do with it: the search that judges by it where nothing else is asked for (none
    where simulation says more), and the agent that plays by it: `learned` itself, or a search."""

    file: Path
    search: str
    agent: str

    @property
    def leaf(self) -> str:
        """The description of the leaf: by its bare name, what comes with the program is found anywhere."""
        return f"learned:{self.file.stem}"

    @property
    def plays(self) -> str:
        """The description of the agent."""
        return self.leaf if self.agent == "learned" else f"{self.agent}(leaf={self.leaf})"


def shipped(game: Any) -> Shipped | None:
    """What comes with the program for a game with these parameters; None where nothing does."""
    digest = getattr(game, "digest", None)
    row = _table().get(digest) if isinstance(digest, str) else None
    if row is None or getattr(game, "compiled", None) is None:
        return None
    file = data_directory("games") / row["file"]
    return Shipped(file, row["search"], row["agent"]) if file.is_file() else None


def found_file(name: str) -> Path:
    """The file of a name: itself, or what comes with the program under a bare name."""
    path = Path(name)
    if path.name == name and not path.suffix and not path.exists():
        known = data_directory("games") / f"{name}{ENDING}"
        return known if known.is_file() else path
    return path


@cache
def _table() -> dict[str, dict[str, Any]]:
    path = data_directory("games") / TABLE
    rows = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    return {row["digest"]: row for row in rows}
