"""Can't Stop against an independent program, which knows the start of a turn as two tuples of heights.

The program finds the probability that the player about to roll wins, by iteration over the starts of turns;
within a turn it looks ahead to every end of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from gdl.loading import load_model, read_source

GAME = Path(__file__).parents[2] / "games" / "cant_stop.gdl"

Heights = tuple[int, ...]  # of the columns 2, 3, ..


class Program:
    def __init__(self, sides: int = 6, shortest: int = 3, growth: int = 2, to_win: int = 3):
        columns = 2 * sides - 1
        self.length = tuple(shortest + growth * min(i, columns - 1 - i) for i in range(columns))
        self.to_win = to_win
        rolls = Counter(tuple(sorted(dice)) for dice in product(range(1, sides + 1), repeat=4))
        self.rolls = [(dice, ways / sides**4) for dice, ways in rolls.items()]
        self.wins: dict[tuple[Heights, Heights], float] = {}
        self.met: set[tuple[Heights, Heights]] = set()

    def value(self) -> float:
        """The first player's probability of winning minus that of losing."""
        foot = (0,) * len(self.length)
        self.wins = {(foot, foot): 0.5}
        change = 1.0
        while change > 1e-13:
            change = 0.0
            for me, you in list(self.wins):
                found = self.of_turn(me, you)
                change = max(change, abs(found - self.wins[me, you]))
                self.wins[me, you] = found
            if self.met:
                self.wins |= dict.fromkeys(self.met, 0.5)
                self.met.clear()
                change = 1.0
        return 2 * self.wins[foot, foot] - 1

    def of_turn(self, me: Heights, you: Heights) -> float:
        """The probability to win, rolling for the first time in a turn, by what is known of other turns."""
        lost = 1 - self.looked_up(you, me)

        @cache
        def roll(now: Heights) -> float:
            total = 0.0
            for dice, probability in self.rolls:
                options = set(self.climbs(me, you, now, dice))
                total += probability * max((decide(after) for after in options), default=lost)
            return total

        @cache
        def decide(now: Heights) -> float:
            if self.topped(now) >= self.to_win:
                return 1.0  # stops and has won
            left = tuple(
                0 if at == top else other for at, top, other in zip(now, self.length, you, strict=True)
            )
            return max(roll(now), 1 - self.looked_up(left, now))

        return roll(me)

    def looked_up(self, me: Heights, you: Heights) -> float:
        if (me, you) not in self.wins:
            self.met.add((me, you))
        return self.wins.get((me, you), 0.5)

    def topped(self, heights: Heights) -> int:
        return sum(at == top for at, top in zip(heights, self.length, strict=True))

    def climbs(self, me: Heights, you: Heights, now: Heights, dice: tuple[int, ...]) -> Iterator[Heights]:
        """The heights of runners and markers after each way to pair the dice and to order the two sums."""
        a, b, c, d = dice
        for one, two in (((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c))):
            for order in ((sum(one), sum(two)), (sum(two), sum(one))):
                heights = list(now)
                for total in order:
                    column = total - 2
                    top = self.length[column]
                    runners = sum(at > was for at, was in zip(heights, me, strict=True))
                    has_runner = heights[column] > me[column]
                    if heights[column] < top and you[column] < top and (has_runner or runners < 3):
                        heights[column] += 1
                if tuple(heights) != now:
                    yield tuple(heights)


EXPECTATIONS = [e for e in load_model(read_source(GAME)).expectations if e.quantity == "value"]


def holds(expectation: Any) -> bool:
    params = {name: int(number) for name, number in dict(expectation.params).items()}
    return Program(**params).value() == pytest.approx(float(expectation.value), abs=1e-10)


@pytest.mark.parametrize("expectation", [e for e in EXPECTATIONS if not e.slow], ids=lambda e: e.text)
def test_values(expectation: Any) -> None:
    assert holds(expectation)


@pytest.mark.slow
@pytest.mark.parametrize("expectation", [e for e in EXPECTATIONS if e.slow], ids=lambda e: e.text)
def test_values_of_larger_games(expectation: Any) -> None:
    assert holds(expectation)
