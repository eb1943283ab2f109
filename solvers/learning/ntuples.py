"""Groups of elements for n-tuple networks, found from how the variables of a game lie.

On boards: lines, and windows as large as a table of a few million entries can hold. Over numbered indices:
neighbours. Elsewhere single elements and pairs, and where there are few positions, all elements together.
Groups that symmetries map onto each other share a table.

(Lucas 2008; for 2048 Szubert & Jaskowski 2014, where the groups were chosen by hand.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod
from typing import Any

from gdl.game import Axis, ElementSymmetry
from solvers.learning.evaluation import Table, View

LARGEST = 1 << 22
"""Entries of the largest table."""

FEW = 1 << 16
"""With no more combinations of values than this, a table has them all: then every value can be learned."""

MOST_PAIRED = 24
"""Elements beside boards of which all pairs are looked at."""

WINDOWS = ((2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3))
LINE = 4
"""Of lines on boards, so many cells are looked at together, or more where tables stay small."""


def ntuples(game: Any, view: View, shared: Sequence[ElementSymmetry]) -> tuple[Table, ...]:
    """The tables for a game; `shared`: symmetries that leave values as they are."""
    groups: list[tuple[int, ...]] = []
    board: set[int] = set()
    for variable, axes in game.axes.items():
        for parts in _slices(game, variable, axes):
            levels = max(view.levels[e] for e in parts.values())
            for group in _on_board(axes[_board_axis(axes)], parts, levels):
                groups.append(group)
                board.update(group)
    others = [e for e in range(len(view.levels)) if e not in board and view.levels[e] > 1]
    groups += [(e,) for e in others]
    if len(others) <= MOST_PAIRED:
        groups += [pair for pair in combinations(others, 2) if prod(view.levels[e] for e in pair) <= 1 << 14]
    every = tuple(e for e, levels in enumerate(view.levels) if levels > 1)
    if prod(view.levels[e] for e in every) <= FEW:
        groups.append(every)
    return tuple(_tables(view, groups, shared))


def _board_axis(axes: Sequence[Axis]) -> int:
    """The index of a variable that is a board, or the longest line of numbers; -1 where there is none."""
    for wanted in (("grid", "hex", "graph"), ("numbers",)):
        found = [k for k, axis in enumerate(axes) if axis.kind in wanted and axis.size > 3]
        if found:
            return max(found, key=lambda k: axes[k].size)
    return -1


def _slices(game: Any, variable: str, axes: Sequence[Axis]) -> Iterator[dict[int, int]]:
    """The elements of a variable by their place on its board, one board for each value of other indices."""
    k = _board_axis(axes)
    if k < 0:
        return
    found: dict[Any, dict[int, int]] = {}
    counted: dict[Any, int] = {}
    for number, element in enumerate(game.elements):
        if element.variable == variable:
            key = (element.part, element.at)
            counted[key] = counted.get(key, -1) + 1
            rest = (element.part, element.at[:k], element.at[k + 1 :], counted[key])
            found.setdefault(rest, {})[element.at[k]] = number
    yield from found.values()


def _on_board(axis: Axis, elements: dict[int, int], levels: int) -> Iterator[tuple[int, ...]]:
    if axis.kind == "numbers":
        length = max((n for n in (2, 3) if levels**n <= LARGEST >> 8), default=1)
        for start in range(axis.size - length + 1):
            yield tuple(elements[start + k] for k in range(length))
        return
    if axis.kind == "graph":
        for chain in axis.chains:
            if levels ** len(chain) <= LARGEST:
                yield tuple(elements[cell] for cell in chain)
        for cell in range(axis.size):
            yield (elements[cell],)
        return
    number = {cell: k for k, cell in enumerate(axis.cells)}
    fitting = [shape for shape in WINDOWS if levels ** (shape[0] * shape[1]) <= LARGEST]
    largest = [shape for shape in fitting if not any(_inside(shape, other) for other in fitting)]
    shapes = [[(r, c) for r in range(rows) for c in range(cols)] for rows, cols in largest]
    length = max((n for n in (2, 3, LINE) if levels**n <= LARGEST), default=1)
    steps = ((0, 1), (1, 0), (1, 1), (1, -1))
    shapes += [[(k * dr, k * dc) for k in range(length)] for dr, dc in steps]
    for shape in shapes:
        for row, col in axis.cells:
            cells = [number.get((row + dr, col + dc)) for dr, dc in shape]
            if None not in cells:
                yield tuple(elements[cell] for cell in cells if cell is not None)
    if not shapes:
        yield from ((e,) for e in elements.values())


def _inside(shape: tuple[int, int], other: tuple[int, int]) -> bool:
    return shape != other and shape[0] <= other[0] and shape[1] <= other[1]


def _tables(
    view: View, groups: Sequence[tuple[int, ...]], shared: Sequence[ElementSymmetry]
) -> Iterator[Table]:
    done: set[frozenset[int]] = set()
    for group in groups:
        if frozenset(group) in done:
            continue
        sizes = tuple(view.levels[e] for e in group)
        images = {group: None}
        for symmetry in shared:
            image = tuple(symmetry.source[e] for e in group)
            if tuple(view.levels[e] for e in image) == sizes:
                images.setdefault(image)
        done.update(frozenset(image) for image in images)
        yield Table(tuple(images), sizes)
