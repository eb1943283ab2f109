"""Policies as chance: what is written down where they draw, and where they do not."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import pytest

import gdl
from solvers.policies.kernels import against
from solvers.policies.kernels.fixed_policies import with_policies
from solvers.registry import SOLVERS

GAME = """
game dice
players: a, b
position:
    n: 0..40 = 0
    turn: player = a
player: turn
move roll:
    face ~ 1..2
    n = min(n + face, 40)
    turn = next(turn)
move step:
    n = min(n + 1, 40)
    turn = next(turn)
terminal: n == 40
utility: 1 if turn == a else -1
"""


def steady(game: Any, position: Any) -> dict[Any, Fraction]:
    return {game.moves(position)[0]: Fraction(1)}


def parted(game: Any, position: Any) -> dict[Any, Fraction]:
    return {game.moves(position)[int(game.format_position(position).split()[0][2:]) % 2]: Fraction(1)}


def drawing(game: Any, position: Any) -> dict[Any, Fraction]:
    return dict(zip(game.moves(position), (Fraction(1, 3), Fraction(2, 3)), strict=True))


@pytest.mark.parametrize(("policy", "draws"), [(steady, False), (parted, False), (drawing, True)])
def test_a_certain_choice_keeps_the_law_of_its_move(
    policy: Any, draws: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each position at which a policy draws has a law of its own; values are those of the textbook, in
    fractions, either way."""
    game = gdl.loads(GAME, engine="native")
    graphs = []

    def fixing(game: Any, graph: Any, *rest: Any) -> Any:
        graphs.append((graph, with_policies(game, graph, *rest)))
        return graphs[-1][1]

    monkeypatch.setattr(against, "FEW_EDGES", -1)  # else so small a graph is solved in fractions at once
    monkeypatch.setattr(against, "with_policies", fixing)
    found = against.solve_against(game, {1: partial(policy, game)}, 0).result.values[0]
    ((before, after),) = graphs
    drawn = int((before.mover == 1).sum()) if draws else 0
    assert len(after.law_start) - len(before.law_start) == drawn
    exact = SOLVERS["best_response"].textbook(game, None, against={1: partial(policy, game)}, player=0)
    assert found.low <= exact.values[0].number <= found.high and found.high - found.low < 1e-9
