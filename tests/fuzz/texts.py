"""The game files that are damaged."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]


def game_texts() -> list[str]:
    """All games and good language files, in a fixed order."""
    paths = [*sorted((ROOT / "games").glob("*.gdl")), *sorted((ROOT / "tests/language/good").glob("*.gdl"))]
    return [path.read_text(encoding="utf-8") for path in paths]
