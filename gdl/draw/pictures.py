"""Pictures, before they become text or SVG: rows of words and boards side by side.

Whoever has something to show makes one; an engine makes that of a position (`gdl/reference/showing.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from gdl.model.types import Cells


@dataclass(frozen=True, slots=True)
class Stone:
    """What stands on a cell: its glyph, and the player it belongs to, by number and name, if to one.

    `nothing` where the value itself says that nothing is there: `none`, `false`.
    """

    glyph: str
    owner: int | None = None
    name: str = ""
    nothing: bool = False


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
