"""Farkle against an independent program over what may be set aside of each throw, best first.

The program is held to R. McKenna's table of what a turn with so many points and dice is worth.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from pathlib import Path
from typing import Any

import pytest

from gdl.loading import load_model, read_source

GAMES = Path(__file__).parents[2] / "games"

Options = dict[int, int]  # the most points for so many dice set aside


@cache
def group(face: int, dice: int) -> tuple[tuple[int, int], ...]:
    """Points and dice for each way to set aside some of these dice of one face, in one group and singles."""
    single = {1: 100, 5: 50}.get(face, 0)
    triple = 1000 if face == 1 else 100 * face
    ways = {(0, 0)}
    for used in range(1, dice + 1):
        for together in (0, *range(3, used + 1)):
            if together == used or single:
                ways.add((triple * max(together - 2, 0) + single * (used - together), used))
    return tuple(ways)


def options(throw: Counter[int]) -> Options:
    found: Options = {}
    for ways in product(*(group(face, dice) for face, dice in throw.items())):
        points, used = (sum(column) for column in zip(*ways, strict=True))
        if used:
            found[used] = max(found.get(used, 0), points)
    if sorted(throw.values()) == [1] * 6:
        found[6] = max(found.get(6, 0), 1500)
    if sorted(throw.values()) == [2, 2, 2]:
        found[6] = max(found.get(6, 0), 750)
    return found


@cache
def throws(dice: int) -> list[tuple[float, Options]]:
    found = []
    for faces in combinations_with_replacement(range(1, 7), dice):
        throw = Counter(faces)
        ways = factorial(dice) // prod(map(factorial, throw.values()))
        found.append((ways / 6**dice, options(throw)))
    return found


def best_turn(dice: int, most: int, bank: Any, farkle: float) -> Any:
    """What it is worth to throw so many dice with so many points, when `bank` says what points are worth."""

    @cache
    def throw(pot: int, left: int) -> float:
        return sum(
            chance
            * max((decide(min(pot + won, most), left - used) for used, won in aside.items()), default=farkle)
            for chance, aside in throws(left)
        )

    def decide(pot: int, left: int) -> float:
        return bank(pot) if pot == most else max(bank(pot), throw(pot, left or dice))

    return throw


def game_value(goal: int, dice: int) -> float:
    """The first player's probability to win less that to lose, by iteration over the starts of turns."""
    scores = range(0, goal, 50)
    wins = {(me, you): 0.5 for me in scores for you in scores}
    change = 1.0
    while change > 1e-13:
        change = 0.0
        for me, you in wins:

            def bank(pot: int, me: int = me, you: int = you) -> float:
                return 1.0 if me + pot == goal else 1 - wins[you, me + pot]

            found = best_turn(dice, goal - me, bank, 1 - wins[you, me])(0, dice)
            change = max(change, abs(found - wins[me, you]))
            wins[me, you] = found
    return 2 * wins[0, 0] - 1


@pytest.mark.parametrize(
    ("pot", "dice", "worth"), [(50, 5, 363.834), (100, 5, 399.911), (150, 4, 307.673), (200, 3, 257.584)]
)
def test_the_program_finds_what_is_published(pot: int, dice: int, worth: float) -> None:
    assert best_turn(6, 10_000, float, 0.0)(pot, dice) == pytest.approx(worth, abs=5e-4)


def expectations(name: str) -> list[Any]:
    return list(load_model(read_source(GAMES / f"{name}.gdl")).expectations)


@pytest.mark.parametrize("expectation", expectations("farkle"), ids=lambda e: e.text)
def test_values_of_games(expectation: Any) -> None:
    given = {name: int(number) for name, number in expectation.params.items()}
    assert game_value(**given) == pytest.approx(float(expectation.value), abs=float(expectation.tolerance))


@pytest.mark.parametrize("expectation", expectations("farkle_turn"), ids=lambda e: e.text)
def test_values_of_turns(expectation: Any) -> None:
    given = {"goal": 10_000, "dice": 6} | {name: int(number) for name, number in expectation.params.items()}
    at = dict(part.split("=") for part in (expectation.start or "").split())
    turn = best_turn(given["dice"], given["goal"], float, 0.0)
    found = turn(int(at.get("pot", 0)), int(at.get("to_throw", given["dice"])))
    assert found == pytest.approx(float(expectation.value), abs=float(expectation.tolerance))
