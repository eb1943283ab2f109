"""Boards as types: grids, hex grids and graphs, and the lines, rays and neighbours on them."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.model.types import Cells

ORTHOGONAL = ((1, 0), (0, 1), (-1, 0), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
HEXAGONAL = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, -1), (-1, 1))


def grid(name: str, rows: int, cols: int) -> Cells:
    """A board of squares; side neighbours are orthogonal, the further ones diagonal."""
    return _board(name, "grid", rows, cols, ORTHOGONAL, DIAGONAL)


def hexagons(name: str, rows: int, cols: int) -> Cells:
    """A rhombus of hexagons, six neighbours each; row r is shifted half a cell against row r - 1.

    row 0   a1  b1  c1
    row 1     a2  b2  c2          b1 touches a1, c1, a2 and b2
    """
    return _board(name, "hex", rows, cols, HEXAGONAL, ())


def graph(
    name: str, names: Sequence[str], chains: Sequence[Sequence[int]], edges: set[tuple[int, int]]
) -> Cells:
    """Named places with the given edges (from, to) and declared lines."""
    adjacent = tuple(tuple(sorted(b for a, b in edges if a == i)) for i in range(len(names)))
    return Cells(name, "graph", tuple(names), adjacent=adjacent, chains=tuple(tuple(c) for c in chains))


def _board(
    name: str,
    kind: str,
    rows: int,
    cols: int,
    sides: tuple[tuple[int, int], ...],
    diagonals: tuple[tuple[int, int], ...],
) -> Cells:
    names = tuple(f"{column_name(c)}{r + 1}" for r in range(rows) for c in range(cols))
    bare = Cells(name, kind, names, rows, cols)
    adjacent = tuple(
        tuple(sorted(n for dr, dc in sides if (n := bare.at(r + dr, c + dc)) is not None))
        for r in range(rows)
        for c in range(cols)
    )
    return Cells(name, kind, names, rows, cols, sides, diagonals, adjacent)


def column_name(col: int) -> str:
    """a, b, .. z, aa, ab, .."""
    letters = ""
    col += 1
    while col:
        col, letter = divmod(col - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def surrounding(cells: Cells) -> tuple[tuple[int, ...], ...]:
    """All cells that touch a cell, corners included, by ordinal."""
    if not cells.diagonals:
        return cells.adjacent
    steps = cells.offsets + cells.diagonals
    return tuple(
        tuple(sorted(n for dr, dc in steps if (n := cells.at(r + dr, c + dc)) is not None))
        for r in range(cells.rows)
        for c in range(cells.cols)
    )


def lines(cells: Cells, length: int) -> tuple[tuple[int, ...], ...]:
    """All straight lines of `length` cells, each once: by first cell, then direction."""
    if cells.kind == "graph":
        return tuple(chain[i : i + length] for chain in cells.chains for i in range(len(chain) - length + 1))
    if length == 1:
        return tuple((i,) for i in range(cells.size))
    # Of each pair of opposite directions the one that leads to greater ordinals.
    forward = [d for d in cells.offsets + cells.diagonals if d > (0, 0)]
    found = []
    for start in range(cells.size):
        row, col = divmod(start, cells.cols)
        for dr, dc in sorted(forward):
            line = [cells.at(row + i * dr, col + i * dc) for i in range(length)]
            if line[-1] is not None:
                found.append(tuple(c for c in line if c is not None))
    return tuple(found)


def ray(cells: Cells, start: int, dr: int, dc: int) -> tuple[int, ...]:
    """The cells from `start`, itself left out, in steps of (dr, dc) to the edge of the board."""
    if dr == dc == 0:
        return ()
    row, col = divmod(start, cells.cols)
    found = []
    while (cell := cells.at(row := row + dr, col := col + dc)) is not None:
        found.append(cell)
    return tuple(found)
