"""Confidence intervals: how often they cover the truth, for payments of many shapes."""

from __future__ import annotations

from math import inf, isclose
from random import Random

import pytest

from solvers.core.intervals import confidence, student
from solvers.core.samples import Sample, judged
from tests.solvers.games import TicTacToe

SHAPES: dict[str, tuple[dict[float, float], tuple[float, float]]] = {
    "a coin": ({0: 0.5, 1: 0.5}, (0, 1)),
    "rare wins": ({0: 0.95, 1: 0.05}, (0, 1)),
    "win, draw, loss": ({-1: 0.29, 0: 0.13, 1: 0.58}, (-1, 1)),
    "pennies before a steamroller": ({1: 0.45, 0: 0.5, -100: 0.05}, (-100, 1)),
    "doubling": ({2.0**k: 2.0 ** -(k + 1) for k in range(10)} | {1024: 2.0**-10}, (0, 1024)),
    "a die": (dict.fromkeys(range(1, 7), 1 / 6), (1, 6)),
}


@pytest.mark.parametrize("count", [30, 100])
@pytest.mark.parametrize("shape", SHAPES)
def test_an_interval_covers_about_as_often_as_it_says(shape: str, count: int) -> None:
    odds, bounds = SHAPES[shape]
    truth = sum(value * p for value, p in odds.items())
    rng = Random(f"{shape} {count}")
    inside = 0
    for _ in range(1000):
        sample = Sample(1)
        for value in rng.choices(list(odds), list(odds.values()), k=count):
            sample.add_play([value])
        found = sample.within(0, bounds)
        assert found.low is not None and found.high is not None
        inside += found.low <= truth <= found.high
    assert 910 <= inside <= 993


@pytest.mark.parametrize(("count", "wins"), [(10, 0), (10, 3), (50, 50), (200, 7)])
def test_of_two_values_it_is_wilsons(count: int, wins: int) -> None:
    """The ends p of (mean - p)^2 = t^2 p (1 - p) / n."""
    mean = wins / count
    found = confidence(count, mean, mean * (1 - mean), (0, 1))
    assert found is not None
    t = student(count - 1)
    for end in found:
        if 0 < end < 1:
            assert isclose((mean - end) ** 2, t * t * end * (1 - end) / count, rel_tol=1e-9)
    assert found[0] == 0 if wins == 0 else found[0] > 0
    assert found[1] == 1 if wins == count else found[1] < 1


def test_plays_that_all_paid_the_same_are_no_certainty() -> None:
    sample = Sample(1)
    for _ in range(2):
        sample.add_play([1])
    few = sample.within(0, (-1, 1))
    assert few.low is not None and few.low < 0
    assert sample.within(0, (-inf, inf)).low is None  # nothing is known of what else may be paid
    assert sample.within(0, (1, 1)).low == 1


def test_students_quantiles() -> None:
    """Any table: 12.706, 4.303, 2.776, 2.262, 1.984 for 1, 2, 4, 9 and 99 degrees."""
    for degrees, quantile in ((1, 12.7062), (2, 4.30265), (4, 2.77645), (9, 2.26216), (99, 1.98422)):
        assert student(degrees) == pytest.approx(quantile, rel=1e-3)


def test_the_best_of_several_means_has_no_interval() -> None:
    """Nine moves that are all worth 0: the largest mean is above 0, and no interval pretends to know."""
    rng = Random(5)
    samples = {move: Sample(2) for move in range(9)}
    for sample in samples.values():
        for _ in range(40):
            paid = rng.choice((-1, 1))
            sample.add_play([paid, -paid])
    best, values = judged(TicTacToe(), 0, samples)
    assert samples[best].of(0) == max(sample.of(0) for sample in samples.values()) == values[0].number
    assert values[0].low is values[0].high is None
    _, (alone, _) = judged(TicTacToe(), 0, {0: samples[0]})
    assert alone.low is not None and alone.low < alone.number
