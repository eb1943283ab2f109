"""Linear equations of Markov chains, for rationals and floats alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from gdl.game import Number

T = TypeVar("T")


def solve_linear(
    rows: Sequence[dict[int, Number]],
    *sides: Sequence[Number],
    spend: Callable[[int], None] = lambda entries: None,
) -> list[list[Number]] | None:
    """x with rows[i] . x = side[i] for every side; None if the rows are not independent.

    `spend` is told how many entries are about to be computed, and may raise.

    Gaussian elimination on sparse rows. Pivots are taken on the diagonal, fewest entries first: for the
    equations x = b + P x of a chain that surely ends the diagonal never vanishes and stays dominant.
    """
    size = len(rows)
    matrix = [dict(row) for row in rows]
    right = [[side[i] for side in sides] for i in range(size)]
    columns: list[set[int]] = [set() for _ in range(size)]
    for i, row in enumerate(matrix):
        for j in row:
            columns[j].add(i)
    remaining = set(range(size))
    order: list[int] = []
    while remaining:
        k = min(remaining, key=lambda i: (len(matrix[i]) - 1) * (len(columns[i]) - 1))
        remaining.remove(k)
        order.append(k)
        pivot_row = matrix[k]
        pivot = pivot_row.get(k, 0)
        if not pivot:
            return None
        below = [i for i in columns[k] if i in remaining]
        spend(len(below) * len(pivot_row) + 1)
        for i in below:
            row = matrix[i]
            factor = row.pop(k) / pivot
            columns[k].discard(i)
            for j, entry in pivot_row.items():
                if j == k:
                    continue
                if j in row:
                    row[j] -= factor * entry
                else:
                    row[j] = -factor * entry
                    columns[j].add(i)
            right[i] = [b - factor * c for b, c in zip(right[i], right[k], strict=True)]
        for j in pivot_row:
            columns[j].discard(k)
    solution: list[list[Number]] = [[0] * len(sides) for _ in range(size)]
    for k in reversed(order):
        row = matrix[k]
        for column in range(len(sides)):
            total = right[k][column]
            for j, entry in row.items():
                if j != k:
                    total -= entry * solution[j][column]
            solution[k][column] = total / row[k]
    return [[solution[i][column] for i in range(size)] for column in range(len(sides))]
