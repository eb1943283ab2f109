"""What is behind a diagnostic? One Markdown file per code, as `gdl explain` prints it.

An essay starts with `# CODE: title`. Its first `gdl` block yields the diagnostic, its second one does not.
A `console` block before either says with which commands; without one it is `gdl check`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Essay:
    code: str
    title: str
    text: str


def essays() -> Iterator[Essay]:
    """All essays, by code."""
    return (_read(path) for path in sorted(_FOLDER.glob("*.md")))


def essay(code: str) -> Essay | None:
    """The essay for a code, None if there is no such code."""
    path = _FOLDER / f"{code}.md"
    # A code is a letter and three digits: anything else must not become part of a path.
    return _read(path) if code.isalnum() and path.is_file() else None


def _read(path: Path) -> Essay:
    text = path.read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# ").partition(": ")[2]
    return Essay(path.stem, title, text)
