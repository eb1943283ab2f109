"""Yahtzee against an independent program: whole throws with multinomial probabilities, turns backwards.

The described game throws its dice one by one and is solved over all its positions; here a turn is a few
vectors of numbers, and only the card is a state.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdl.loading import load_model, read_source

GAME = Path(__file__).parents[2] / "games" / "yahtzee.gdl"

THREE, FOUR, HOUSE, SMALL, LARGE, YAHTZEE, CHANCE = range(7, 14)
LOWER = range(7, 14)

ROLLS: list[tuple[int, ...]] = list(combinations_with_replacement(range(1, 7), 5))
KEEPS = [keep for size in range(6) for keep in combinations_with_replacement(range(1, 7), size)]
NUMBER_OF = {roll: i for i, roll in enumerate(ROLLS)}


def ways(dice: tuple[int, ...]) -> int:
    """In how many orders the dice can fall."""
    return factorial(len(dice)) // prod(map(factorial, Counter(dice).values()))


@cache
def reroll() -> tuple[Any, list[Any]]:
    """The probability of each roll after each keep; and which keeps are possible after each roll."""
    probability = np.zeros((len(KEEPS), len(ROLLS)))
    for k, keep in enumerate(KEEPS):
        for thrown in combinations_with_replacement(range(1, 7), 5 - len(keep)):
            roll = tuple(sorted(keep + thrown))
            probability[k, NUMBER_OF[roll]] += ways(thrown) / 6 ** len(thrown)
    number = {keep: k for k, keep in enumerate(KEEPS)}
    keeps = []
    for roll in ROLLS:
        chosen = {
            tuple(die for die, kept in zip(roll, choice, strict=True) if kept)
            for choice in product((False, True), repeat=5)
        }
        keeps.append([number[keep] for keep in chosen])
    return probability, keeps


class Card:
    """The expected score of a card whose boxes are played under a rule of jokers."""

    def __init__(self, boxes: range, jokers: str):
        self.jokers = jokers
        self.start = frozenset(boxes)
        self.known: dict[tuple[frozenset[int], int, bool], float] = {}

    def value(self) -> float:
        return self.of(self.start, 0, False)

    def of(self, boxes: frozenset[int], upper: int, fifty: bool) -> float:
        """What can be expected with these boxes open, the upper total and a Yahtzee box that holds 50."""
        if not boxes:
            return 35.0 if upper >= 63 else 0.0
        state = boxes, upper, fifty
        if state not in self.known:
            probability, keeps = reroll()
            ends = np.array([self.best(roll, boxes, upper, fifty) for roll in ROLLS])
            for _ in range(2):
                kept = probability @ ends
                ends = np.array([kept[choice].max() for choice in keeps])
            self.known[state] = float(probability[0] @ ends)
        return self.known[state]

    def best(self, roll: tuple[int, ...], boxes: frozenset[int], upper: int, fifty: bool) -> float:
        five = len(set(roll)) == 1
        extra = five and YAHTZEE not in boxes and self.jokers != "none_at_all"
        joker = extra and roll[0] not in boxes
        choice = boxes
        if extra and self.jokers == "forced":
            choice = boxes & {roll[0]} or boxes & set(LOWER) or boxes
        bonus = 100 if extra and fifty else 0
        best = 0.0
        for box in choice:
            points = score(box, roll, joker)
            new_upper = min(63, upper + points) if box <= 6 else upper
            new_fifty = fifty or (box == YAHTZEE and five)
            best = max(best, points + bonus + self.of(boxes - {box}, new_upper, new_fifty))
        return best


def score(box: int, roll: tuple[int, ...], joker: bool) -> int:
    counts = sorted(Counter(roll).values())
    runs = [set(range(first, first + 4)) for first in (1, 2, 3)]
    match box:
        case 7 | 8:
            return sum(roll) if counts[-1] >= box - 4 else 0
        case 9:
            return 25 if joker or counts == [2, 3] else 0
        case 10:
            return 30 if joker or any(run <= set(roll) for run in runs) else 0
        case 11:
            return 40 if joker or set(roll) in ({1, 2, 3, 4, 5}, {2, 3, 4, 5, 6}) else 0
        case 12:
            return 50 if counts == [5] else 0
        case 13:
            return sum(roll)
    return box * roll.count(box)


EXPECTATIONS = [e for e in load_model(read_source(GAME)).expectations if e.quantity == "value"]


def params(expectation: Any) -> tuple[range, str]:
    given = dict(expectation.params)
    boxes = range(int(given.get("from_box", 1)), int(given.get("to_box", 13)) + 1)
    return boxes, given.get("jokers", "free")


@pytest.mark.parametrize(
    "expectation", [e for e in EXPECTATIONS if len(params(e)[0]) <= 4], ids=lambda e: e.text
)
def test_values_of_small_parts_of_the_card(expectation: Any) -> None:
    assert holds(expectation)


@pytest.mark.slow
@pytest.mark.parametrize(
    "expectation", [e for e in EXPECTATIONS if len(params(e)[0]) > 4], ids=lambda e: e.text
)
def test_values_of_large_parts_of_the_card(expectation: Any) -> None:
    assert holds(expectation)


def holds(expectation: Any) -> bool:
    return Card(*params(expectation)).value() == pytest.approx(float(expectation.value), abs=1e-8)
