"""Pictures as SVG for notebooks and documents."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby
from math import cos, pi, sin, sqrt

from gdl.draw.pictures import Board, Picture, Row, Stone
from gdl.draw.text import (
    column_labels,
    display_width,
    grid_labels,
    hex_lean,
    named_places,
    row_labels,
    row_order,
    stone_at,
)
from gdl.model.types import Cells

_CELL = 40.0  # the side of a square, the width of a hexagon
_MARGIN = 24.0  # room for the coordinates
_GAP = 12.0
_LINE = 22.0
_FONT = "font-family='DejaVu Sans, Verdana, sans-serif'"
_INK, _FAINT, _EDGE, _LIGHT, _DARK = "#222222", "#8a8a8a", "#b9b2a3", "#f6f2e8", "#ece5d4"
_OWNERS = ("#1f4e9c", "#b3261e", "#2e7d32", "#8e5a00", "#6a1b9a", "#00695c")
_NAMED = {"blue": "#1f4e9c", "red": "#b3261e", "green": "#2e7d32", "yellow": "#8e5a00", "black": _INK}
_DOTS = {".", "·"}  # glyphs of empty cells, mostly, but not always: drawn, and faintly


class _Drawing:
    """A piece of a picture: what it is made of and how large it is."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.width = 0.0
        self.height = 0.0

    def text(
        self, x: float, y: float, text: str, size: float = 15, colour: str = _INK, anchor: str = "middle"
    ) -> None:
        self.parts.append(
            f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size:.1f}' fill='{colour}' "
            f"text-anchor='{anchor}' dominant-baseline='central' xml:space='preserve'>{escape(text)}</text>"
        )

    def stone(self, x: float, y: float, stone: Stone, room: float = _CELL) -> None:
        """What stands on a cell, line by line, each in its owner's colour."""
        count = len(stone.lines)
        apart = room / (count + 1) * 1.1
        for number, line in enumerate(stone.lines):
            self._glyph(x, y + (number - (count - 1) / 2) * apart, line, room, count)

    def _glyph(self, x: float, y: float, stone: Stone, room: float, count: int) -> None:
        if stone.nothing or not stone.glyph.strip():
            return
        highest = room * 0.55 if count == 1 else room * 0.8 / count
        size = min(highest, 1.5 * room / max(1, display_width(stone.glyph)))
        plain = _FAINT if stone.glyph in _DOTS else _INK
        own = plain if stone.owner is None else _OWNERS[stone.owner % len(_OWNERS)]
        colour = _NAMED.get(stone.name, own)
        self.text(x, y, stone.glyph, size, colour)

    def grow(self, width: float, height: float) -> None:
        self.width, self.height = max(self.width, width), max(self.height, height)


def render_svg(picture: Picture) -> str:
    """A complete `<svg>` element."""
    placed: list[str] = []
    y, width = _GAP, 0.0
    for row in picture:
        x, height = _GAP, 0.0
        for part in _joined(row):
            drawing = _words(part) if isinstance(part, str) else _board(part)
            placed.append(f"<g transform='translate({x:.1f} {y:.1f})'>{''.join(drawing.parts)}</g>")
            x += drawing.width + (0 if isinstance(part, str) else _GAP)
            height = max(height, drawing.height)
        width, y = max(width, x), y + height
    width, y = width + _GAP, y + _GAP
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{y:.0f}' "
        f"viewBox='0 0 {width:.1f} {y:.1f}' {_FONT}>"
        f"<rect width='100%' height='100%' fill='white'/>{''.join(placed)}</svg>"
    )


def _joined(row: Row) -> Iterator[str | Board]:
    """Words that follow one another are one text, for only the viewer knows how wide each is."""
    for is_text, parts in groupby(row, key=lambda part: isinstance(part, str)):
        if is_text:
            yield "".join(part for part in parts if isinstance(part, str))
        else:
            yield from parts


def _words(text: str) -> _Drawing:
    drawing = _Drawing()
    drawing.text(0, _LINE / 2, text, anchor="start")
    drawing.grow(9.2 * display_width(text), _LINE)
    return drawing


def _board(board: Board) -> _Drawing:
    drawing = _Drawing()
    top = 0.0
    if board.title:
        drawing.text(_MARGIN, _LINE / 2, board.title, anchor="start")
        drawing.grow(_MARGIN + 9.2 * display_width(board.title), _LINE)
        top = _LINE
    match board.cells.kind:
        case "grid":
            _draw_grid(drawing, board, top)
        case "hex":
            _draw_hex(drawing, board, top)
        case _:
            _draw_graph(drawing, board, top)
    return drawing


def _draw_grid(drawing: _Drawing, board: Board, top: float) -> None:
    cells = board.cells
    letters, numbers = grid_labels(board)
    left = _MARGIN if numbers else 0.0
    above = 0.0 if board.flip or not letters else _MARGIN  # coordinates stand where row 1 is
    first = top + above
    for down, row in enumerate(row_order(board)):
        y = first + down * _CELL
        if numbers:
            drawing.text(_MARGIN / 2, y + _CELL / 2, numbers[row], 12, _FAINT)
        for col in range(cells.cols):
            if (stone := stone_at(board, row, col)) is None:
                continue
            x = left + col * _CELL
            shade = _LIGHT if (row + col) % 2 else _DARK
            drawing.parts.append(
                f"<rect x='{x:.1f}' y='{y:.1f}' width='{_CELL:.1f}' height='{_CELL:.1f}' "
                f"fill='{shade}' stroke='{_EDGE}'/>"
            )
            drawing.stone(x + _CELL / 2, y + _CELL / 2, stone)
    bottom = first + cells.rows * _CELL
    y = bottom + _MARGIN / 2 if board.flip else top + _MARGIN / 2
    for col, letter in enumerate(letters):
        drawing.text(left + (col + 0.5) * _CELL, y, letter, 12, _FAINT)
    drawing.grow(left + cells.cols * _CELL, bottom + _MARGIN)


def _draw_hex(drawing: _Drawing, board: Board, top: float) -> None:
    cells = board.cells
    letters, numbers = column_labels(cells), row_labels(cells)
    radius = _CELL / sqrt(3)  # from the centre of a hexagon to its corners
    lean = hex_lean(cells)
    order = row_order(board)
    first = top + (0 if board.flip else _MARGIN) + radius
    corners = [(radius * sin(k * pi / 3), -radius * cos(k * pi / 3)) for k in range(6)]
    shift = {row: (row if lean > 0 else cells.rows - 1 - row) * _CELL / 2 for row in order}
    for down, row in enumerate(order):
        y = first + down * 1.5 * radius
        left = _MARGIN + shift[row]
        drawing.text(left - 8, y, numbers[row], 12, _FAINT, "end")
        for col in range(cells.cols):
            if (stone := stone_at(board, row, col)) is None:
                continue
            x = left + (col + 0.5) * _CELL
            outline = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
            drawing.parts.append(f"<polygon points='{outline}' fill='{_LIGHT}' stroke='{_EDGE}'/>")
            drawing.stone(x, y, stone, _CELL * 0.9)
    bottom = first + (cells.rows - 1) * 1.5 * radius + radius
    y = bottom + _MARGIN / 2 if board.flip else top + _MARGIN / 2
    for col, letter in enumerate(letters):
        drawing.text(_MARGIN + shift[0] + (col + 0.5) * _CELL, y, letter, 12, _FAINT)
    drawing.grow(_MARGIN + (cells.cols + (cells.rows - 1) / 2) * _CELL, bottom + _MARGIN)


def _draw_graph(drawing: _Drawing, board: Board, top: float) -> None:
    """Circles joined by lines, each with the name of its cell beside it."""
    cells = board.cells
    places = graph_places(cells)
    room = _CELL * 0.8
    left = _MARGIN + room / 2
    upper = top + room / 2
    at = [(left + x * _CELL * 1.3, upper + y * _CELL * 1.3) for x, y in places]
    for here, near in enumerate(cells.adjacent):
        for there in near:
            (x1, y1), (x2, y2) = at[here], at[there]
            drawing.parts.append(
                f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{_EDGE}'/>"
            )
    for (x, y), name, stone in zip(at, cells.names, board.stones, strict=True):
        drawing.parts.append(
            f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{room / 2:.1f}' fill='{_LIGHT}' stroke='{_EDGE}'/>"
        )
        drawing.stone(x, y, stone, room)
        drawing.text(x + room * 0.42, y + room * 0.55, name, 10, _FAINT, "start")
    drawing.grow(max(x for x, _ in at) + _CELL, max(y for _, y in at) + _CELL)


def graph_places(cells: Cells) -> list[tuple[float, float]]:
    """Where the names say (a1 at the bottom left), or round a circle."""
    if named := named_places(cells):
        highest = max(y for _, y in named)
        return [(float(x), float(highest - y)) for x, y in named]
    radius = max(1.0, cells.size / (2 * pi))
    turn = 2 * pi / cells.size
    return [(radius * (1 + sin(k * turn)), radius * (1 - cos(k * turn))) for k in range(cells.size)]
