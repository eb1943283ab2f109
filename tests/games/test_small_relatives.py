"""Tetris and Monopoly, small: values by programs that share nothing with the game files but the rules."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import pytest

import gdl

Rows = tuple[frozenset[int], ...]  # the filled columns of each row, from the bottom
Shape = tuple[tuple[int, int], ...]

BAR: tuple[Shape, ...] = (((0, 0), (0, 1)), ((0, 0), (1, 0)))
CORNER: tuple[Shape, ...] = (
    ((0, 0), (0, 1), (1, 0)),
    ((0, 0), (0, 1), (1, 1)),
    ((0, 0), (1, 0), (1, 1)),
    ((0, 1), (1, 0), (1, 1)),
)


def tetris(width: int, height: int, pieces: int) -> Fraction:
    def falls(rows: Rows, shape: Shape) -> Iterator[tuple[int, Rows]]:
        """The rows that vanish and what is left, for each place to fall."""
        for column in range(width - max(right for _, right in shape)):

            def hits(base: int, column: int = column) -> bool:
                return any(base + up < height and column + right in rows[base + up] for up, right in shape)

            base = height
            while base > 0 and not hits(base - 1):
                base -= 1
            if base + max(up for up, _ in shape) >= height:
                continue
            new = [set(row) for row in rows]
            for up, right in shape:
                new[base + up].add(column + right)
            kept = [frozenset(row) for row in new if len(row) < width]
            gone = height - len(kept)
            yield gone, (*kept, *[frozenset[int]()] * gone)

    @cache
    def value(rows: Rows, left: int) -> Fraction:
        """Before the next piece is known."""
        if left == 0:
            return Fraction(0)
        best = [
            max(
                (gone + value(after, left - 1) for shape in piece for gone, after in falls(rows, shape)),
                default=Fraction(0),
            )
            for piece in (BAR, CORNER)
        ]
        return sum(best, Fraction(0)) / 2

    return value((frozenset(),) * height, pieces)


def monopoly(squares: int, sides: int, rolls: int, money: int) -> Fraction:
    @cache
    def value(
        me: int, you: int, mine: frozenset[int], yours: frozenset[int], cash: int, other: int, left: int
    ) -> Fraction:
        """What the player who rolls gets more than the other."""
        if left == 0:
            return Fraction(cash + sum(mine) - other - sum(yours))
        total = Fraction(0)
        for n in range(1, sides + 1):
            here = (me + n) % squares

            def go_on(own: frozenset[int], cash: int, other: int, here: int = here) -> Fraction:
                return -value(you, here, yours, own, other, cash, left - 1)

            if here in yours:
                rent = min(here, cash)
                total += go_on(mine, cash - rent, other + rent)
            elif here in mine or here == 0 or here > cash:
                total += go_on(mine, cash, other)
            else:
                total += max(go_on(mine, cash, other), go_on(mine | {here}, cash - here, other))
        return total / sides

    return value(0, 0, frozenset(), frozenset(), money, money, rolls)


@pytest.mark.parametrize(("width", "height", "pieces"), [(3, 3, 4), (2, 3, 5), (4, 3, 3), (3, 2, 5)])
def test_tetris(width: int, height: int, pieces: int) -> None:
    game = gdl.load("tetris", width=width, height=height, pieces=pieces)
    assert gdl.solve(game, exact=True).value == tetris(width, height, pieces)


@pytest.mark.parametrize(("squares", "sides", "rolls", "money"), [(4, 2, 6, 4), (6, 6, 3, 8), (3, 3, 5, 2)])
def test_monopoly(squares: int, sides: int, rolls: int, money: int) -> None:
    game = gdl.load("monopoly", squares=squares, sides=sides, rolls=rolls, money=money)
    assert gdl.solve(game, exact=True).value == monopoly(squares, sides, rolls, money)
