"""Where the cells of boards stand in a picture that is drawn as text.

The picture is drawn once more with a mark of its own in every cell, whatever the boards look like.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import NamedTuple

from gdl.draw.pictures import Board, Picture, Stone
from gdl.draw.text import display_width, render_text
from gdl.table.pointing import Spot

_FIRST = 0xF0000
"""Marks are characters that no text uses: one column wide, one for each cell."""


class Place(NamedTuple):
    """Columns of lines, all counted from 0."""

    line: int
    column: int
    width: int
    height: int = 1


def placed(picture: Picture) -> dict[Spot, Place]:
    """Where each cell stands in `render_text(picture)`."""
    spots: list[Spot] = []
    number = -1

    def marked(board: Board) -> Board:
        nonlocal number
        number += 1
        stones = []
        for cell, stone in enumerate(board.stones):
            mark = chr(_FIRST + len(spots))
            spots.append(Spot(number, cell))
            stones.append(_marked(stone, mark))
        return replace(board, stones=tuple(stones))

    drawn = render_text(
        tuple(tuple(marked(part) if isinstance(part, Board) else part for part in row) for row in picture)
    )
    found: dict[Spot, Place] = {}
    for line, text in enumerate(drawn.split("\n")):
        column = 0
        for char in text:
            if 0 <= (mark := ord(char) - _FIRST) < len(spots):
                spot = spots[mark]
                place = found.get(spot, Place(line, column, 0))
                right = max(place.column + place.width, column + 1)
                found[spot] = place._replace(width=right - place.column, height=line - place.line + 1)
            column += display_width(char)
    return found


def _marked(stone: Stone, mark: str) -> Stone:
    below = None if stone.below is None else _marked(stone.below, mark)
    return replace(stone, glyph=mark * max(1, display_width(stone.glyph)), below=below)


def beside(places: Mapping[Spot, Place], here: Spot, right: int, down: int) -> Spot:
    """The nearest cell in a direction, as far as there is one; boards whose rows lean keep their rows."""
    start = places[here]

    def distance(place: Place) -> float:
        columns, lines = place.column - start.column, 2 * (place.line - start.line)
        along = columns * right + lines * down
        aside = abs(columns * down) + abs(lines * right)
        return along + 4 * max(0, aside - LEAN) + aside / 10 if along > 0 else inf

    nearest = min(places, key=lambda spot: distance(places[spot]))
    return nearest if distance(places[nearest]) < inf else here


LEAN = 1
"""Columns by which a row may stand to the side of the one above."""
