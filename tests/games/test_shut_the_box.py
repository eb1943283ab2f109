"""Shut the Box against an independent program over the subsets of open tiles, in rationals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from gdl.loading import load_model, read_source

GAME = Path(__file__).parents[2] / "games" / "shut_the_box.gdl"

Tiles = tuple[int, ...]

DICE = [Counter(map(sum, product(range(1, 7), repeat=dice))) for dice in (1, 2)]


def without(tiles: Tiles, total: int) -> Iterator[Tiles]:
    """What stays open after each way to shut tiles of this sum."""
    for n in range(1, len(tiles) + 1):
        for shut in combinations(tiles, n):
            if sum(shut) == total:
                yield tuple(tile for tile in tiles if tile not in shut)


def value(tiles: int, one_die: str, aim: str) -> Fraction:
    @cache
    def thrown(left: Tiles, dice: int) -> Fraction:
        lost = Fraction(-sum(left) if aim == "few_points" else 0)
        totals = DICE[dice - 1]
        mean = sum(ways * max(map(before, without(left, n)), default=lost) for n, ways in totals.items())
        return Fraction(mean, totals.total())

    @cache
    def before(left: Tiles) -> Fraction:
        if not left:
            return Fraction(aim == "shut")
        if one_die == "never" or sum(left) > 6:
            return thrown(left, 2)
        return max(thrown(left, dice) for dice in ((1,) if one_die == "must" else (1, 2)))

    return before(tuple(range(1, tiles + 1)))


EXPECTATIONS = load_model(read_source(GAME)).expectations


@pytest.mark.parametrize("expectation", EXPECTATIONS, ids=lambda e: e.text)
def test_values(expectation: Any) -> None:
    given = {"tiles": 9, "one_die": "must", "aim": "shut"} | dict(expectation.params)
    found = value(int(given["tiles"]), given["one_die"], given["aim"])
    assert float(found) == pytest.approx(float(expectation.value), abs=float(expectation.tolerance))
