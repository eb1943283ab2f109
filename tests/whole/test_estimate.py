"""Estimates of the number of positions, held to numbers from elsewhere.

Connect Four: J. Tromp's Connect Four page. The Royal Game of Ur: RoyalUr.net. Yahtzee: T. Verhoeff (1999) and
J. Glenn (2006), 536,448 states between turns. Hypergammon: T. Keith (2018), 7,959,904 positions with one side
to roll. Backgammon: T. Keith, 18,528,584,051,601,162,496 positions. Draughts: J. Schaeffer et al. (2007),
5 * 10^20. Chess: J. Tromp, 4.8 * 10^44.
"""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any

import pytest

import gdl
from solvers.whole.estimate.estimate import Estimate, estimate
from solvers.whole.estimate.sampled_plays import combinations

WITHIN_A_TURN = 3 * comb(11, 5)
"""Yahtzee: up to five dice thrown, in any of three rolls."""


def estimated(name: str, **params: Any) -> Estimate:
    found = estimate(gdl.load(name, engine="native", **params))
    assert found.positions <= found.most
    return found


def assert_near(found: Estimate, true: float, factor: float) -> None:
    assert not found.complete
    assert true / factor < found.positions < factor * true


def test_small_games_are_counted() -> None:
    found = estimated("tictactoe")
    assert found.complete and not found.or_more
    assert found.positions == 5478


@pytest.mark.parametrize(
    ("width", "height", "positions"),
    [(5, 4, 3_945_711), (5, 5, 69_763_700), (6, 4, 94_910_577), (7, 6, 4_531_985_219_092)],
)
def test_connect_four(width: int, height: int, positions: int) -> None:
    assert_near(estimated("connect_four", width=width, height=height), positions, 5)


def ur_positions(pieces: int) -> int:
    """The Royal Game of Ur: pieces on 6 own and 8 shared squares, or waiting, or home; 2 turns, 5 rolls."""
    pairs = product(range(pieces + 1), repeat=2)
    return 10 * sum(
        comb(8, a) * comb(8 - a, b) * comb(6, i - a) * comb(6, j - b) * (pieces - i + 1) * (pieces - j + 1)
        for i, j in pairs
        for a in range(min(8, i) + 1)
        for b in range(min(8 - a, j) + 1)
    )


@pytest.mark.parametrize("pieces", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 5, 6, 7))])
def test_royal_game_of_ur(pieces: int) -> None:
    assert ur_positions(7) == 10 * 137_913_936  # RoyalUr.net, without turn and roll
    assert_near(estimated("royal_game_of_ur", pieces=pieces), ur_positions(pieces), 5)


def test_yahtzee() -> None:
    """Layers say nothing here: the first million positions are all within the first two turns."""
    assert_near(estimated("yahtzee"), 536_448 * WITHIN_A_TURN, 5)


@pytest.mark.slow
def test_the_upper_half_of_yahtzee() -> None:
    cards = {(frozenset(range(1, 7)), 0)}
    todo = list(cards)
    for boxes, total in todo:
        for face, dice in product(boxes, range(6)):
            after = (boxes - {face}, min(63, total + face * dice))
            if after not in cards:
                cards.add(after)
                todo.append(after)
    assert_near(estimated("yahtzee", from_box=1, to_box=6), len(cards) * WITHIN_A_TURN, 4)


@pytest.mark.slow
def test_hypergammon() -> None:
    """A position with a side to roll comes with no roll, 21 rolls, and 18 of which a part is played."""
    assert_near(estimated("hypergammon"), 2 * 7_959_904 * 40, 5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "positions"),
    [("backgammon", 18_528_584_051_601_162_496), ("checkers", 5e20), ("chess", 4e44)],
)
def test_far_too_large(name: str, positions: float) -> None:
    """No sample tells how large these are, and the estimate says so."""
    found = estimated(name)
    assert found.or_more
    assert 1e10 < found.positions < 100 * positions


def test_combinations() -> None:
    """Two numbers of 0 .. 9 in any combination, and a third that is the second."""
    import numpy as np

    a, b = np.divmod(np.arange(100, dtype=np.uint64), np.uint64(10))
    keys = np.tile((a | b << np.uint64(4) | b << np.uint64(8)).reshape(-1, 1), (3, 1))
    assert combinations(keys, 12) == pytest.approx(100)
