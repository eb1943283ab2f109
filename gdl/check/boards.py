"""Boards as types: grids, hex grids and graphs, and the lines, rays and neighbours on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

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
    adjacent = tuple(_near(bare, cell, sides) for cell in range(bare.size))
    return Cells(name, kind, names, rows, cols, sides, diagonals, adjacent)


def part(name: str, whole: Cells, places: Sequence[int]) -> Cells:
    """A board of some of the cells of another: what its other cells were are holes."""
    kept = {place: number for number, place in enumerate(places)}
    runs = (run for chain in whole.chains for run in _runs(chain, kept))
    return replace(
        whole,
        name=name,
        names=tuple(whole.names[place] for place in places),
        adjacent=tuple(tuple(kept[n] for n in whole.adjacent[place] if n in kept) for place in places),
        chains=tuple(runs),
        whole=whole,
        places=tuple(places),
    )


def _runs(chain: Sequence[int], kept: dict[int, int]) -> Iterator[tuple[int, ...]]:
    """What is left of a declared line: its longest pieces without a gap."""
    for inside, run in groupby(chain, key=lambda place: place in kept):
        if inside:
            yield tuple(kept[place] for place in run)


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
    return tuple(_near(cells, cell, steps) for cell in range(cells.size))


def _near(cells: Cells, cell: int, steps: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    row, col = cells.place(cell)
    return tuple(sorted(n for dr, dc in steps if (n := cells.at(row + dr, col + dc)) is not None))


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
        row, col = cells.place(start)
        for dr, dc in sorted(forward):
            line = [cells.at(row + i * dr, col + i * dc) for i in range(length)]
            if None not in line:
                found.append(tuple(c for c in line if c is not None))
    return tuple(found)


def ray(cells: Cells, start: int, dr: int, dc: int) -> tuple[int, ...]:
    """The cells from `start`, itself left out, in steps of (dr, dc) to the edge of the board."""
    if dr == dc == 0:
        return ()
    row, col = cells.place(start)
    found = []
    while (cell := cells.at(row := row + dr, col := col + dc)) is not None:
        found.append(cell)
    return tuple(found)
