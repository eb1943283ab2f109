"""Two players whose interests differ: all equilibria of games whose equilibria are in every textbook."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import gdl
import solvers
from solvers.core.refusal import Refusal, TooLarge
from solvers.hidden.game_tree import game_tree
from solvers.hidden.support_enumeration import plans_of

TOGETHER = """
game matrix

players: row, column

type Choice = {{one, two}}

position:
    sealed: Choice? visible to row
    other: Choice?
    turn: player = row

player: turn

secret move choose(c: Choice):
    if turn == row:
        sealed = c
    else:
        other = c
    turn = column

terminal: other is not none

const own = {rows}
const theirs = {columns}
def cell: (0 if sealed == one else 2) + (0 if other == one else 1)

utility(p): own[cell] if p == row else theirs[cell]
"""


def matrix(rows: list[int], columns: list[int], engine: str = "native") -> Any:
    return gdl.loads(TOGETHER.format(rows=rows, columns=columns), engine=engine)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_battle_of_the_sexes(engine: str) -> None:
    """Luce & Raiffa (1957): two pure equilibria, and one in which both get 2/3."""
    found = gdl.solve(matrix([2, 0, 0, 1], [1, 0, 0, 2], engine))
    assert found.solver == "support_enumeration" and found.kind == "exact"
    assert "one of 3 equilibria" in found.how
    for paid in ("(2, 1)", "(1, 2)", "(2/3, 2/3)"):
        assert paid in found.how
    assert sum(value.number for value in found.values if value is not None) == 3
    strategy: Any = found.strategy
    assert strategy.judgement.nash_conv == 0


def test_an_equilibrium_without_pure_moves() -> None:
    """An inspection game: nobody can be sure. Each mixes so that the other does not care."""
    found = gdl.solve(matrix([4, 0, 0, 1], [0, 3, 2, 0]))
    # column's shares q: 4 q = 1 (1 - q), q = 1/5, worth 4/5; row's p: 2 (1 - p) = 3 p, p = 2/5, worth 6/5
    assert [value.number for value in found.values if value is not None] == [Fraction(4, 5), Fraction(6, 5)]
    strategy: Any = found.strategy
    odds = [dict(row.moves) for row in strategy.rows()]
    assert odds == [
        {"choose(one)": Fraction(2, 5), "choose(two)": Fraction(3, 5)},
        {"choose(one)": Fraction(1, 5), "choose(two)": Fraction(4, 5)},
    ]


def test_plans_of_kuhn_poker() -> None:
    """Kuhn (1950): 27 plans of the first player and 64 of the second, without those that repeat others."""
    tree = game_tree(gdl.load("kuhn_poker", engine="reference"))
    assert [len(list(plans_of(tree, player))) for player in range(2)] == [27, 64]
    with pytest.raises(TooLarge, match="27 and 64 plans") as raised:
        solvers.solve(gdl.load("kuhn_poker"), "support_enumeration")
    assert "Use sequence_form" in str(raised.value)  # interests are opposed


def test_where_too_many_plans_are_as_good_regrets_are_minimised() -> None:
    """Column is always paid the same, and row's answers decide nothing for column: no pair is unique."""
    found = gdl.solve(matrix([1, 1, 1, 1], [0, 0, 0, 0]))
    assert found.kind in ("exact", "bounded") and "nobody gains" in found.how


def test_one_player_who_does_not_see_everything() -> None:
    """Frank & Basin (1998): what looks best in every deal is not best (games/strategy_fusion.gdl)."""
    fusion, lemons = gdl.load("strategy_fusion"), gdl.load("non_locality")
    assert gdl.solve(fusion).value == pytest.approx(0.5)
    assert gdl.evaluate(fusion, guesser="pimc").value == pytest.approx(0)
    assert gdl.solve(lemons).value == pytest.approx(0)
    assert gdl.evaluate(lemons, buyer="pimc").value == pytest.approx(-0.5)


def test_fractions_are_not_promised_to_three() -> None:
    with pytest.raises(Refusal, match="more than two players"):
        gdl.solve(gdl.load("three_player_kuhn"), exact=True)
