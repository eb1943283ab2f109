"""Values known from elsewhere: (game, value, source), found by every solver that can know them.

Sources: the lectures' games with their worked values; Neller & Presser 2004 for Pig and Piglet; Russell &
Norvig, figure 17.3, for the 4x3 world; Sutton & Barto, example 4.3, for the gambler; Haddad & Monmege 2018;
Bouton 1901 for Nim. Decimals that the books round were recomputed by programs outside this project.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

import gdl
import solvers
from tests.solvers.games import (
    Bins,
    Gambler,
    GridWorld,
    HaddadMonmege,
    IncAndSquare,
    Nim,
    Node,
    Pig,
    TableGame,
    TicTacToe,
    end,
    to,
)

INC_AND_SQUARE = {1: F(2), 3: F(69, 10), 4: F(5), 5: F(15, 4), 6: F(20509, 5000), 8: F(2710141, 500000)}
TREE = (
    "expectiminimax",
    "star1",
    "star2",
    "maxn",
    "backward_induction",
    "policy_iteration",
    "value_iteration",
)


@pytest.mark.parametrize("n", INC_AND_SQUARE)
@pytest.mark.parametrize("solver", TREE)
def test_inc_and_square(solver: str, n: int) -> None:
    check(IncAndSquare(n), solver, INC_AND_SQUARE[n])


@pytest.mark.parametrize("n, value", [(3, 6), (4, 5)])
@pytest.mark.parametrize("solver", ["minimax", "alphabeta", "retrograde", "backward_induction"])
def test_inc_and_square_without_chance(solver: str, n: int, value: int) -> None:
    check(IncAndSquare(n, chance=False), solver, F(value))


@pytest.mark.parametrize("solver", TREE)
def test_bins_with_a_coin(solver: str) -> None:
    """Choosing C is worth 1/2 * 1 + 1/2 * -5 = -2; A is worth -27.5 and B -24.5."""
    result = check(Bins(F(1, 2)), solver, F(-2))
    assert result.best == ("C",)


@pytest.mark.parametrize("solver", ["minimax", "alphabeta", "retrograde", *TREE])
def test_bins_without_a_coin(solver: str) -> None:
    result = check(Bins(F(0)), solver, F(1))
    assert result.best == ("B",)


@pytest.mark.parametrize("solver", ["expectimax", *TREE])
def test_chance_node_of_the_lectures(solver: str) -> None:
    """1/2 * 8 + 1/3 * 24 + 1/6 * (-12) = 10."""
    chance = Node(-1, (to(1), to(2), to(3)), odds=(F(1, 2), F(1, 3), F(1, 6)))
    ends = [Node(-2, utility=(value,)) for value in (8, 24, -12)]
    check(TableGame((chance, *ends), count=1), solver, F(10))


@pytest.mark.parametrize("heaps", [(1, 2, 3), (3, 4, 5), (2, 2), (1, 1, 1), (4,), (1, 3, 4)])
@pytest.mark.parametrize("solver", ["alphabeta", "minimax", "retrograde", "backward_induction", "mcts"])
def test_nim_by_bouton(solver: str, heaps: tuple[int, ...]) -> None:
    """The mover wins unless the heaps xor to 0; the winning moves make them xor to 0."""
    if solver in ("minimax", "mcts") and sum(heaps) > 8:
        pytest.skip("the tree of all plays is too large to exhaust")
    xor = 0
    for heap in heaps:
        xor ^= heap
    options = {"simulations": 20_000} if solver == "mcts" else {}
    result = solvers.solve(Nim(*heaps), solver, **options)
    assert result.kind == "exact"
    assert result.value == (1 if xor else -1)
    if xor and solver != "mcts":  # which stops at the first proof of a win
        wins = {(i, h - (h ^ xor)) for i, h in enumerate(heaps) if h ^ xor < h}
        assert set(result.best) == wins


@pytest.mark.parametrize("solver", ["alphabeta", "backward_induction", "retrograde", "policy_iteration"])
def test_tictactoe_is_a_draw_and_every_opening_keeps_it(solver: str) -> None:
    result = check(TicTacToe(), solver, F(0))
    assert result.best == tuple(range(9))
    if result.work.positions is not None:
        assert result.work.positions == 5478


PIG = {(10, 6): 0.709424322598303, (5, 6): 0.7970479704797}
PIGLET = {1: F(2, 3), 2: F(4, 7), 3: F(6, 11)}


@pytest.mark.parametrize("goal, faces", PIG)
@pytest.mark.parametrize("solver", ["value_iteration", "policy_iteration"])
def test_pig(solver: str, goal: int, faces: int) -> None:
    check(Pig(goal, faces), solver, PIG[goal, faces], 1e-9)


@pytest.mark.parametrize("goal", PIGLET)
def test_piglet_exactly(goal: int) -> None:
    result = solvers.solve(Pig(goal, 2), "policy_iteration")
    assert result.value == PIGLET[goal] and result.kind == "exact" and result.arithmetic == "rational"


def test_piglet_position_values() -> None:
    """Neller & Presser give all six for goal 2: P(own score, other's score, pot)."""
    table = {(0, 0, 0): F(4, 7), (0, 0, 1): F(5, 7), (0, 1, 0): F(2, 5),
             (0, 1, 1): F(3, 5), (1, 0, 0): F(4, 5), (1, 1, 0): F(2, 3)}  # fmt: skip
    policy = solvers.solve(Pig(2, 2), "policy_iteration").policy
    assert policy is not None
    for (mine, other, pot), probability in table.items():
        assert policy.value((mine, other, pot, 0))[0].number == probability
        assert policy.value((other, mine, pot, 1))[0].number == 1 - probability


GRID = {(1, 1): 0.705308219178, (4, 1): 0.387924911213, (2, 1): 0.655308219178, (3, 1): 0.611415525114}


@pytest.mark.parametrize("square", GRID)
@pytest.mark.parametrize("solver", ["value_iteration", "policy_iteration", "best_response"])
def test_gridworld(solver: str, square: tuple[int, int]) -> None:
    check(GridWorld(square), solver, GRID[square], 1e-9)


@pytest.mark.parametrize("solver", ["value_iteration", "policy_iteration"])
def test_discounted_gridworld(solver: str) -> None:
    check(GridWorld((1, 1), discount=F(9, 10)), solver, 0.296466541094, 1e-9)


GAMBLER = {1: 0.0020656247765443, 25: 0.16, 50: 0.4, 75: 0.64}


@pytest.mark.parametrize("capital", GAMBLER)
@pytest.mark.parametrize("solver", ["value_iteration", "policy_iteration"])
def test_gambler(solver: str, capital: int) -> None:
    check(Gambler(capital), solver, GAMBLER[capital], 1e-9)


@pytest.mark.parametrize("solver", ["value_iteration", "policy_iteration", "policy_evaluation"])
def test_haddad_monmege(solver: str) -> None:
    """Plain value iteration stops at about 0.35 here."""
    result = check(HaddadMonmege(20, F(7, 10)), solver, F(7, 10), 1e-9)
    assert result.kind != "estimate"


def test_maxn_with_three_players() -> None:
    """The figure of Russell & Norvig, section 6.2.2, in small: C would take (1, 2, 6), B avoids its side."""
    c1 = Node(2, (to(3), to(4)))
    c2 = Node(2, (to(5), to(6)))
    ends = [end(1, 2, 6), end(4, 3, 3), end(6, 1, 2), end(7, 4, 1)]
    game = TableGame((Node(1, (to(1), to(2))), c1, c2, *ends), count=3)
    for solver in ("maxn", "backward_induction"):
        result = solvers.solve(game, solver)
        assert [value.number for value in result.values if value] == [1, 2, 6]
        assert result.best == ("a",)


def check(game: Any, solver: str, value: F | float, tolerance: float = 0) -> Any:
    """The solver knows the value: exactly, or within proven bounds that contain it."""
    result = solvers.solve(game, solver)
    first = result.values[0]
    assert first is not None and first.low is not None and first.high is not None
    assert result.kind in ("exact", "bounded")
    if result.kind == "exact" and result.arithmetic == "rational" and not tolerance:
        assert first.number == value
    else:
        assert first.low - 1e-11 <= value <= first.high + 1e-11
        assert first.high - first.low <= max(tolerance, 1e-9)
    return result


@pytest.mark.parametrize("solver", ["retrograde", *TREE])
def test_numbers_beyond_floats(solver: str) -> None:
    game = gdl.loads(
        "game big\nplayers: a\nposition:\n    x: 0..1 = 0\nmove go: x = 1\nterminal: x == 1\n"
        "utility: 10**300 * 10**100\n",
        engine="reference",
    )
    result = solvers.solve(game, solver)
    assert (result.value, result.kind) == (10**400, "exact")


LARGE = """
game large
players: a
position:
    x: 0..2 = 0
move go:
    chance:
        1/2: reward 10**309
        else:
            reward -10**309/3
            x = 1
move stop: x = 2
terminal: x > 0
utility: 0
"""


@pytest.mark.parametrize("solver", ["value_iteration", "policy_iteration"])
def test_rewards_beyond_floats(solver: str) -> None:
    """v = 1/2 (10^309 + v) - 1/2 (10^309 / 3)."""
    result = solvers.solve(gdl.loads(LARGE, engine="reference"), solver)
    assert (result.value, result.kind) == (F(2 * 10**309, 3), "exact")
    assert "6.66666666666e+308" in str(result)


@pytest.mark.parametrize("solver", ["mcts", "flat_monte_carlo"])
def test_estimates_of_numbers_beyond_floats_are_refused(solver: str) -> None:
    with pytest.raises(solvers.Refusal, match=r"10\^30[89]"):
        solvers.solve(gdl.loads(LARGE, engine="reference"), solver, seed=1)


def test_the_native_engine_refuses_numbers_beyond_floats() -> None:
    with pytest.raises(gdl.GameError) as refused:
        gdl.loads(LARGE, engine="native")
    (found,) = refused.value.diagnostics
    assert found.code == "F010" and found.span is not None and found.span.line == 8
    assert gdl.loads(LARGE.replace("10**309", "10**149"), engine="native").traits.rewards
