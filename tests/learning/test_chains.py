"""Textbook learning on chains whose answers are known: Boyan's, and the random walk of Sutton and Barto.

Boyan (2002): the true weights of his chain are -24, -16, -8, 0. The random walk with 19 states between -1 and
1 has the values -0.9 .. 0.9 in steps of 0.1 (Sutton & Barto, Example 6.2 and Figure 7.2).
"""

from __future__ import annotations

import numpy as np
import pytest

import gdl
from solvers.learning.lstd import lstd
from solvers.learning.monte_carlo import monte_carlo
from solvers.learning.td import td

BOYAN = """
game boyan
players: walker
position:
    at: 0..12 = 12
move go:
    if at == 1:
        reward -2
        at = 0
    else:
        reward -3
        chance:
            1/2: at -= 1
            else: at -= 2
terminal: at == 0
utility: 0
feature a: max(0, 1 - abs(at - 12) / 4)
feature b: max(0, 1 - abs(at - 8) / 4)
feature c: max(0, 1 - abs(at - 4) / 4)
feature d: max(0, 1 - at / 4)
"""

WALK = """
game walk
players: walker
position:
    at: 0..20 = 10
move step:
    chance:
        1/2: at -= 1
        else: at += 1
terminal: at == 0 or at == 20
utility: 1 if at == 20 else -1
feature place: at / 20
feature one: 1
"""


@pytest.mark.parametrize("lambda_", [0.0, 0.4, 1.0])
def test_lstd_finds_the_weights_of_boyans_chain(lambda_: float) -> None:
    game = gdl.loads(BOYAN, engine="reference")
    found = lstd(game, lambda_=lambda_, episodes=300, seed=1)
    assert found == pytest.approx([-24, -16, -8, 0], abs=0.6)


def test_td_and_monte_carlo_find_them_as_well() -> None:
    game = gdl.loads(BOYAN, engine="reference")
    learned = td(game, lambda_=0.5, rate=lambda n: 0.3 / (1 + n / 100), episodes=1500, seed=1)
    assert learned == pytest.approx([-24, -16, -8, 0], abs=1.5)
    fit = monte_carlo(game, episodes=500, seed=1)
    assert fit.weights[:3] == pytest.approx([-24, -16, -8], abs=1.0)
    # What is left is the spread of returns: each move of two steps instead of one changes them by about 1.
    assert 0.1 < fit.held_out < 3


def fixed_point(lambda_: float) -> np.ndarray:
    """Where TD(lambda) comes to rest with two features on the walk, by an independent linear solve."""
    states = range(1, 20)
    p = np.zeros((19, 19))
    r = np.zeros(19)
    for s in states:
        for t in (s - 1, s + 1):
            if t in states:
                p[s - 1, t - 1] += 0.5
            else:
                r[s - 1] += 0.5 * (1 if t == 20 else -1)
    phi = np.array([[s / 20, 1] for s in states])
    visits = np.linalg.solve(np.eye(19) - p.T, np.eye(19)[9])
    inside = np.linalg.inv(np.eye(19) - lambda_ * p)
    weighted = phi.T @ np.diag(visits) @ inside
    return np.linalg.solve(weighted @ (np.eye(19) - p) @ phi, weighted @ r)


@pytest.mark.parametrize("lambda_", [0.0, 0.8])
def test_the_fixed_point_on_the_walk_is_that_of_a_linear_solve(lambda_: float) -> None:
    wanted = fixed_point(lambda_)
    assert wanted == pytest.approx([2, -1])  # the values (at - 10) / 10 are linear in the features
    game = gdl.loads(WALK, engine="reference")
    assert lstd(game, lambda_=lambda_, episodes=400, seed=2) == pytest.approx(wanted, abs=0.25)


def test_the_error_on_the_walk_falls_as_published() -> None:
    """Sutton & Barto, Figure 12.6: over the first 10 plays TD(0.8) with a rate near 0.4 comes to a root mean
    square error of about 0.3, and TD(0), whose values creep in from the ends, to no better than 0.4."""
    game = gdl.loads(WALK, engine="reference")
    truth = np.arange(-0.9, 0.91, 0.1)

    def one_of_19(position: object) -> list[float]:
        at = game.ordinals(position)[0]  # type: ignore[arg-type]
        return [float(k == at) for k in range(1, 20)]

    def error(lambda_: float, rate: float) -> float:
        found = []
        for seed in range(10):
            for episodes in (2, 4, 6, 8, 10):
                weights = td(game, one_of_19, lambda_=lambda_, rate=rate, episodes=episodes, seed=seed)
                found.append(np.sqrt(np.mean((weights - truth) ** 2)))
        return float(np.mean(found))

    assert 0.2 < error(0.8, 0.3) < 0.42
    assert error(0.8, 0.3) < error(0.0, 0.3)
