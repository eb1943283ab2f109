"""Pictures as data that the page draws: the shape of each board once, its stones as numbers of a palette."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gdl.draw.pictures import Board, Picture, Stone
from gdl.draw.svg import graph_places
from gdl.draw.text import grid_labels, hex_lean
from gdl.model.nodes import Model, Move
from gdl.model.types import Cells

Data = dict[str, Any]


def picture_data(picture: Picture, model: Model) -> list[list[Any]]:
    """Rows of words and boards, as JSON can say them."""
    moved = {cells for move in model.moves if (cells := _moved_over(move)) is not None}
    return [[part if isinstance(part, str) else board_data(part, moved) for part in row] for row in picture]


def _moved_over(move: Move) -> Cells | None:
    """The board on which a move goes from cell to cell."""
    cells = [parameter.type for parameter in move.parameters if isinstance(parameter.type, Cells)]
    return cells[0] if len(cells) > 1 and cells[0] == cells[1] else None


def board_data(board: Board, moved: Collection[Cells] = ()) -> Data:
    """A board: where its cells are (column and row from the top left, in cells), and what stands on them.

    `steps` where men are moved over it from cell to cell, as on a chequered board.
    """
    palette: dict[Stone, int] = {}
    stones = [palette.setdefault(stone, len(palette)) for stone in board.stones]
    return {
        **_shape(board),
        "steps": board.cells in moved,
        "title": board.title or "",
        "names": list(board.cells.names),
        "palette": [_look(stone) for stone in palette],
        "stones": stones,
    }


def _look(stone: Stone) -> list[Any]:
    """What tells how a stone looks; what stands below it in the same square comes last, if something does."""
    below = [] if stone.below is None else [_look(stone.below)]
    return [stone.glyph, stone.owner, stone.name, stone.nothing, *below]


def _shape(board: Board) -> Data:
    cells = board.cells
    if cells.kind == "graph":
        edges = {(min(a, b), max(a, b)) for a, near in enumerate(cells.adjacent) for b in near}
        places = [[round(x, 3), round(y, 3)] for x, y in graph_places(cells)]
        return {"kind": "graph", "places": places, "edges": sorted(map(list, edges))}
    lean = hex_lean(cells)
    places = []
    for cell in range(cells.size):
        row, col = cells.place(cell)
        down = cells.rows - 1 - row if board.flip else row
        shift = (row if lean > 0 else cells.rows - 1 - row) / 2 if cells.kind == "hex" else 0
        places.append([col + shift, down])
    columns, rows = grid_labels(board)
    rows = rows or [""] * cells.rows
    return {
        "kind": cells.kind,
        "places": places,
        "rows": rows[::-1] if board.flip else rows,
        "cols": columns or [""] * cells.cols,
        "flip": board.flip,
        "lean": lean,
    }
