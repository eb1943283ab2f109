"""Pictures, before they become text or SVG: rows of words and boards side by side.

Whoever has something to show makes one; an engine makes that of a position (`gdl/reference/showing.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from gdl.model.types import Cells


@dataclass(frozen=True, slots=True)
class Stone:
    """What stands on a cell: its glyph, and the player it belongs to, by number and name, if to one.

    `nothing` where the value itself says that nothing is there: `none`, `false`. `below` is what stands
    under it in the same square, on a line of its own.
    """

    glyph: str
    owner: int | None = None
    name: str = ""
    nothing: bool = False
    below: Stone | None = None

    @property
    def lines(self) -> tuple[Stone, ...]:
        """What stands on the lines of the square, from the top."""
        return (self, *(self.below.lines if self.below else ()))

    @property
    def in_one_line(self) -> str:
        """All of it where a square has only one line."""
        return "".join(line.glyph for line in self.lines if not line.nothing)


@dataclass(frozen=True, slots=True)
class Board:
    cells: Cells
    stones: tuple[Stone, ...]  # one per cell
    flip: bool = False  # row 0 at the bottom
    title: str | None = None
    columns: tuple[str, ...] | None = None  # what stands over the columns of a grid; None: their letters
    rows: tuple[str, ...] | None = None


Row = tuple[str | Board, ...]
Picture = tuple[Row, ...]
