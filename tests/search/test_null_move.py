"""Null moves: fewer positions, never an unproven proof, and no harm where the rules break after a pass."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import solvers
from gdl import load
from gdl.loading import loads
from gdl.playing.play import Play
from solvers.core.refusal import Refusal

GAMES = Path(__file__).parent.parent.parent / "games"

FRAGILE = """
game fragile
players: a, b
position:
    n: 0..12 = 0
    score: -50..50 = 0
    turn: player = a
player: turn
def whose: a if n mod 2 == 0 else b
move add(k: 1..3) when n < 12:
    let broken = 0 if turn == whose else 1
    score += (k if turn == a else -k) div (1 - broken)
    n += 1
    turn = next(turn)
terminal: n == 12
utility: score
evaluate: score
"""


@pytest.mark.parametrize(("name", "params"), [("tictactoe", {}), ("hex", {"rows": 3, "cols": 3})])
@pytest.mark.parametrize("null_move", [1, 2])
def test_the_value_stays_where_passing_never_helps(name: str, params: dict[str, int], null_move: int) -> None:
    """A stone more never hurts in these games, so a position that is good after a pass is good."""
    game = load(GAMES / f"{name}.gdl", engine="native", **params)
    rng = Random(null_move)
    for _ in range(10):
        play: Play[Any, Any] = Play(game, rng=rng)
        for _ in range(rng.randrange(4)):
            play.make(rng.choice(list(play.moves())))
        exact = solvers.solve(game, "alphabeta", play.position)
        answer = solvers.solve(game, "alphabeta", play.position, depth=9, null_move=null_move)
        assert answer.value == exact.value
        assert "heuristic" in answer.how


@pytest.mark.parametrize(("name", "params"), [("connect_four", {"width": 4, "height": 4}), ("nim", {})])
def test_what_is_proven_is_true(name: str, params: dict[str, int]) -> None:
    """In these games passing would often be the best move, so values may be wrong, but not proofs."""
    game = load(GAMES / f"{name}.gdl", engine="native", **params)
    rng = Random(5)
    for depth in range(2, 12):
        play: Play[Any, Any] = Play(game, rng=rng)
        for _ in range(3):
            play.make(rng.choice(list(play.moves())))
        exact = solvers.solve(game, "alphabeta", play.position)
        value = solvers.solve(game, "alphabeta", play.position, depth=depth, null_move=1).values[0]
        assert value is not None
        if value.kind != "estimate":
            assert value.low is not None and value.high is not None
            assert value.low <= exact.value <= value.high


def test_fewer_positions_are_searched() -> None:
    game = load(GAMES / "breakthrough.gdl", engine="native", rows=6, cols=6)
    plain = solvers.solve(game, "alphabeta", depth=7)
    quick = solvers.solve(game, "alphabeta", depth=7, null_move=2)
    assert (quick.work.nodes or 0) < (plain.work.nodes or 0) / 2


def test_a_rule_that_breaks_after_a_pass_only_costs_the_cut() -> None:
    game = loads(FRAGILE, engine="native")
    plain = solvers.solve(game, "alphabeta", depth=8)
    assert solvers.solve(game, "alphabeta", depth=8, null_move=2).value == plain.value


def test_a_game_without_a_turn_to_hand_on_refuses() -> None:
    text = FRAGILE.replace("player: turn", "player: whose").replace("turn == whose", "n >= 0")
    with pytest.raises(Refusal, match="does not keep the turn in one variable"):
        solvers.solve(loads(text, engine="native"), "alphabeta", depth=4, null_move=2)


TENTHS = """
game tenths
players: a, b
position:
    n: 0..3 = 0
    turn: player = a
player: turn
move add(k: 1..2) when n + k <= 3:
    n += k
    turn = next(turn)
terminal: n == 3
utility: n / 10 if turn == a else 1/7
"""


def test_a_small_tree_of_rounded_numbers() -> None:
    """What the textbook version does not have is not asked of it."""
    for limit in ({"depth": 9}, {"nodes": 100}, {}):
        value = solvers.solve(loads(TENTHS, engine="native"), "alphabeta", null_move=1, **limit).values[0]
        assert value is not None and value.low is not None and value.high is not None
        assert value.low <= Fraction(3, 10) <= value.high
