"""Values that the world knows, found by the fast solvers on the native engine.

Sources: T. W. Neller & C. G. M. Presser, 'Optimal Play of the Dice Game Pig' (2004), and an independent
program for other goals; S. Russell & P. Norvig, figure 17.3; R. Sutton & A. Barto, exercise 4.9; J. Tromp's
Connect Four page (values and numbers of positions); Othello on 4 x 4 ends 3-11; Haddad & Monmege (2018).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import gdl
import solvers
from solvers.whole.kernels.solve import Settings, Solved, solve_whole


def solve(name: str, solver: str | None = None, at: str | None = None, **options: Any) -> Solved:
    settings = Settings(**{key: options.pop(key) for key in list(options) if key in Settings.__annotations__})
    game = gdl.load(name, engine="native", **options)
    position = None if at is None else game.parse_position(at)
    return solve_whole(game, solver or solvers.choose(game)[0], position, settings)


@pytest.mark.parametrize(
    ("goal", "first_wins"),
    [
        (5, 0.7970479704797),
        (10, 0.709424322598303),
        (20, 0.615558549805043),
        (25, 0.588109237294173),
        pytest.param(50, 0.546150844166788, marks=pytest.mark.slow),
        pytest.param(100, 0.530592725273746, marks=pytest.mark.slow),
    ],
)
def test_pig(goal: int, first_wins: float) -> None:
    value = solve("pig", goal=goal).result.values[0]
    assert value is not None and value.low is not None and value.high is not None
    assert value.high - value.low <= 1e-9
    assert value.low - 1e-12 <= 2 * first_wins - 1 <= value.high + 1e-12


def test_piglet_as_a_fraction() -> None:
    assert solve("piglet", goal=2, exact=True).result.value == 2 * Fraction(4, 7) - 1


@pytest.mark.parametrize(
    ("room", "value"),
    [
        ("a1", 0.705308219178),
        ("b1", 0.655308219178),
        ("c1", 0.611415525114),
        ("d1", 0.387924911213),
        ("a2", 0.761558219178),
        ("c2", 0.660273972603),
        ("a3", 0.811558219178),
        ("b3", 0.867808219178),
        ("c3", 0.917808219178),
    ],
)
def test_gridworld(room: str, value: float) -> None:
    assert solve("gridworld", at=f"at={room}").result.value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(("room", "value"), [("a1", 0.296466541094), ("d1", 0.129942470106)])
def test_gridworld_with_discount(room: str, value: float) -> None:
    found = solve("gridworld", at=f"at={room}", gamma="9/10").result.value
    assert found == pytest.approx(value, abs=1e-9)


def test_gambler() -> None:
    assert solve("gamblers_problem").result.value == pytest.approx(0.4, abs=1e-9)


@pytest.mark.parametrize("n", [5, 20, 40])
def test_haddad_monmege_is_not_fooled(n: int) -> None:
    value = solve("haddad_monmege", n=n).result.values[0]
    assert value is not None and value.low is not None and value.high is not None
    assert value.low <= 0.7 <= value.high
    assert value.high - value.low <= 1e-9


@pytest.mark.parametrize(
    ("width", "height", "value", "positions"),
    [
        (4, 4, 0, 161_029),
        (5, 4, 0, 3_945_711),
        pytest.param(5, 5, 0, 69_763_700, marks=pytest.mark.slow),
    ],
)
def test_connect_four(width: int, height: int, value: int, positions: int) -> None:
    solved = solve("connect_four", width=width, height=height)
    assert solved.result.value == value
    assert solved.statistics.positions == positions


@pytest.mark.slow
def test_connect_four_6x4_is_lost() -> None:
    assert solve("connect_four", width=6, height=4).result.value == -1


@pytest.mark.parametrize("solver", ["backward_induction", "retrograde", "value_iteration"])
def test_othello_4x4(solver: str) -> None:
    assert solve("othello", solver, size=4).result.value == -8


def test_tictactoe_is_a_draw_whatever_is_played_first() -> None:
    result = solve("tictactoe").result
    assert result.value == 0
    assert len(result.best) == 9
