"""Pictures as text for the terminal."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

from gdl.draw.pictures import Board, Picture, Stone
from gdl.model.types import Cells

Lines = list[str]


def render_text(picture: Picture) -> str:
    """One line after another; boards side by side where the picture has them in one row."""
    lines: Lines = []
    for row in picture:
        lines.extend(_beside([[part] if isinstance(part, str) else _board(part) for part in row]))
    return "\n".join(line.rstrip() for line in lines)


def _beside(blocks: list[Lines]) -> Lines:
    """Blocks of text next to each other, their tops aligned; words join on directly, boards with a gap."""
    if not blocks:
        return [""]
    padded = []
    for i, block in enumerate(blocks):
        gap = "   " if i + 1 < len(blocks) and len(block) > 1 and len(blocks[i + 1]) > 1 else ""
        width = max(display_width(line) for line in block)
        padded.append(([pad(line, width) + gap for line in block], " " * (width + len(gap))))
    height = max(len(block) for block, _ in padded)
    return ["".join(block[i] if i < len(block) else blank for block, blank in padded) for i in range(height)]


def _board(board: Board) -> Lines:
    match board.cells.kind:
        case "grid":
            lines = _grid(board)
        case "hex":
            lines = _hex(board)
        case _:
            lines = _graph(board)
    return [f"{board.title}:", *lines] if board.title else lines


def _grid(board: Board) -> Lines:
    letters, numbers = grid_labels(board)
    width = max(_glyph_width(board), max((len(letter) for letter in letters), default=0))
    margin = max((len(number) + 1 for number in numbers), default=0)
    header = [" " * margin + " ".join(pad(letter, width) for letter in letters)] if letters else []
    body = [
        (f"{numbers[row]} " if numbers and not line else "").rjust(margin)
        + " ".join(pad(glyph, width) for glyph in glyphs)
        for row in row_order(board)
        for line, glyphs in enumerate(_glyphs(board, row))
    ]
    return [*body, *header] if board.flip else [*header, *body]


def _hex(board: Board) -> Lines:
    """Each row stands half a cell further in than the one before, so that neighbours touch."""
    cells = board.cells
    letters, numbers = column_labels(cells), row_labels(cells)
    width = max(_glyph_width(board), max(len(letter) for letter in letters)) | 1  # odd, so that halves exist
    half, margin = (width + 1) // 2, max(len(number) for number in numbers)
    lean = hex_lean(cells)
    indents = {row: (row if lean > 0 else cells.rows - 1 - row) * half for row in range(cells.rows)}
    body = [
        " " * indents[row]
        + ("" if line else numbers[row]).rjust(margin)
        + " "
        + " ".join(pad(glyph, width) for glyph in glyphs)
        for row in row_order(board)
        for line, glyphs in enumerate(_glyphs(board, row))
    ]
    first = row_order(board)[-1] if board.flip else row_order(board)[0]
    header = " " * (indents[first] + margin + 1) + " ".join(pad(letter, width) for letter in letters)
    return [*body, header] if board.flip else [header, *body]


def _graph(board: Board) -> Lines:
    """At their places if the names are places (a1, d7), as a list otherwise."""
    cells = board.cells
    places = named_places(cells)
    if places is None:
        named = [(f"{name}: ", stone) for name, stone in zip(cells.names, board.stones, strict=True)]
        return [
            ("" if line else name).ljust(len(name)) + part.glyph
            for name, stone in named
            for line, part in enumerate(stone.lines)
        ]
    columns, rows = max(x for x, _ in places) + 1, max(y for _, y in places) + 1
    width, margin, high = _glyph_width(board), len(str(rows)), _lines(board)
    canvas = [[" " * width] * columns for _ in range(rows * high)]
    for (x, y), stone in zip(places, board.stones, strict=True):
        for line, part in enumerate(stone.lines):
            canvas[y * high + line][x] = pad(part.glyph, width)
    body = [
        f"{'' if line else y + 1:>{margin}} " + " ".join(canvas[y * high + line])
        for y in reversed(range(rows))
        for line in range(high)
    ]
    header = " " * (margin + 1) + " ".join(pad(chr(ord("a") + x), width) for x in range(columns))
    return [*body, header]


def _glyphs(board: Board, row: int) -> list[Lines]:
    """The glyphs of a row, for each line of its squares."""
    stones = [stone_at(board, row, col) for col in range(board.cells.cols)]
    squares = [() if stone is None else stone.lines for stone in stones]
    return [
        [square[line].glyph if line < len(square) else " " for square in squares]
        for line in range(_lines(board))
    ]


def _lines(board: Board) -> int:
    """How many lines of text each of the squares takes."""
    return max((len(stone.lines) for stone in board.stones), default=1)


def _glyph_width(board: Board) -> int:
    return max((display_width(line.glyph) for stone in board.stones for line in stone.lines), default=1)


# --------------------------------------------------------- shared with the SVG form


def row_order(board: Board) -> list[int]:
    """The rows from top to bottom."""
    rows = list(range(board.cells.rows))
    return rows[::-1] if board.flip else rows


def stone_at(board: Board, row: int, col: int) -> Stone | None:
    """What stands on a cell of a grid or hex board; None where the board has a hole."""
    cell = board.cells.at(row, col)
    return None if cell is None else board.stones[cell]


def grid_labels(board: Board) -> tuple[Lines, Lines]:
    """What stands over the columns and beside the rows of a grid; nothing where nobody names them."""
    columns = column_labels(board.cells) if board.columns is None else list(board.columns)
    rows = row_labels(board.cells) if board.rows is None else list(board.rows)
    return columns, rows


def column_labels(cells: Cells) -> Lines:
    names = (cells.whole or cells).names
    return [name.rstrip("0123456789") for name in names[: cells.cols]]


def row_labels(cells: Cells) -> Lines:
    names = (cells.whole or cells).names
    firsts = names[:: cells.cols] if cells.cols else ()
    return [name[len(name.rstrip("0123456789")) :] for name in firsts]


def hex_lean(cells: Cells) -> int:
    """Where the next row stands: half a cell to the right (1) or to the left (-1)."""
    return -1 if (1, 1) in cells.offsets else 1


def named_places(cells: Cells) -> list[tuple[int, int]] | None:
    """The (column, row) that each cell's name says, counted from 0; None unless all are like `a1`, `d7`."""
    places = []
    for name in cells.names:
        if not (found := re.fullmatch(r"([a-z])([1-9][0-9]?)", name)):
            return None
        places.append((ord(found[1]) - ord("a"), int(found[2]) - 1))
    return places


def display_width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in ("W", "F") else 1 for char in text)


def pad(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))
