"""One plan for every door: what is planned, that it is followed, and that all refuse what does not fit."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import gdl
import solvers
from solvers import plan_play, plan_search, plan_whole
from solvers.core.result import MoveValue, Result, Value, Work
from solvers.plan import PROVING, SECONDS
from solvers.portfolio import follow, joined
from tests.solvers.games import CountUp, Nim, Pig, TicTacToe

load = cache(gdl.load)


def names(plan: gdl.Plan) -> list[str]:
    return [step.solver for step in plan.steps]


# ------------------------------------------------------------------------------ whole games


def test_types_tell_the_size_of_a_small_game() -> None:
    plan = plan_whole(load("tictactoe"))
    assert (plan.solver, plan.known_by, plan.refusal) == ("backward_induction", "types", None)
    assert plan.positions == pytest.approx(2 * 3**9)  # nine cells of three kinds, and whose turn it is
    assert plan.memory is not None and plan.allowed is not None and plan.memory < plan.allowed


def test_sampling_tells_that_a_large_game_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connect Four has 4,531,985,219,092 positions (Tromp). Whoever asks hears the same."""
    monkeypatch.setattr("solvers.whole.estimate.sizing.available_memory", lambda: 4 * 10**9)
    game = load("connect_four")
    plan = gdl.plan(game)
    assert plan.known_by == "sampling" and plan.positions is not None and plan.refusal is not None
    assert 4.5e11 < plan.positions < 4.5e13
    assert "gdl search connect_four" in str(plan.refusal) and "refused" in str(plan)
    with pytest.raises(gdl.Refusal) as refused:
        gdl.solve(game)
    assert str(refused.value) == str(plan.refusal)
    with pytest.raises(gdl.Refusal) as refused:
        solvers.solve(game)  # a solver as it is, without symmetries
    assert str(refused.value) == str(gdl.plan(game, symmetry=False).refusal)


def test_a_limit_takes_the_place_of_an_estimate() -> None:
    plan = gdl.plan(load("connect_four"), limit=1000)
    assert (plan.known_by, plan.positions) == ("limit", 1000)
    with pytest.raises(gdl.Refusal, match="more than 1,000 positions"):
        gdl.solve(load("connect_four"), limit=1000)


def test_classes_of_ones_own_are_counted_or_sampled() -> None:
    small, larger = plan_whole(Nim(2, 3)), plan_whole(TicTacToe())
    # By hand: who is to move after m matches are gone depends on the number of moves, from one a heap to m.
    assert (small.known_by, small.positions) == ("counting", 20)
    assert (larger.known_by, larger.engine) == ("sampling", "Python")
    assert larger.positions is not None and 1_000 < larger.positions < 5_478 * 1.2  # 5,478 by any count


def test_a_fraction_asked_for_is_part_of_the_plan() -> None:
    assert gdl.plan(Pig(5), exact=True).solver == gdl.solve(Pig(5), exact=True).solver == "policy_iteration"
    assert gdl.plan(Pig(5)).solver == gdl.solve(Pig(5)).solver == "value_iteration"


def test_the_next_step_has_its_turn_where_positions_repeat() -> None:
    assert names(plan_whole(TicTacToe())) == ["backward_induction", "retrograde"]
    assert names(plan_whole(TicTacToe(), plan_whole(TicTacToe()).steps[1:])) == ["retrograde"]


def test_a_plan_for_a_search_says_how_long_it_may_take() -> None:
    ended = gdl.plan(load("tictactoe"), solver="alphabeta")
    endless = gdl.plan(load("chomp"), solver="alphabeta")
    assert ended.steps[0].limits == {} and set(endless.steps[0].limits) == {"time"}


@pytest.mark.parametrize("question", ["win", ""])
def test_there_are_three_questions(question: Any) -> None:
    with pytest.raises(gdl.Refusal, match="no plan to"):
        gdl.plan(load("nim"), question)


# ---------------------------------------------------------------------------------- searches


@pytest.mark.parametrize(
    ("name", "limits", "steps"),
    [
        ("connect_four", {}, ["alphabeta", "mcts"]),
        ("connect_four", {"depth": 3}, ["alphabeta"]),
        ("connect_four", {"simulations": 3}, ["mcts"]),
        ("tictactoe", {"nodes": 50_000}, ["alphabeta", "backward_induction", "mcts"]),
        ("tictactoe", {"nodes": 500}, ["alphabeta", "mcts"]),  # not enough to visit all positions
        ("piglet", {"time": 1}, ["value_iteration", "mcts"]),  # no search of a tree would end
        ("backgammon", {"time": 1}, ["star2"]),  # an evaluation was learned and comes with the program
        ("hypergammon", {"time": 1}, ["star2", "mcts"]),
        ("chess", {"time": 1}, ["alphabeta"]),  # it declares an evaluation
        ("three_players", {}, ["mcts"]),
        ("three_players", {"depth": 2}, ["maxn"]),
    ],
)
def test_searches_prove_solve_or_simulate(name: str, limits: dict[str, Any], steps: list[str]) -> None:
    plan = plan_search(load(name), None, limits)
    assert names(plan) == steps
    assert plan.usual == (not limits)
    if not limits:
        assert plan.seconds == SECONDS


def test_the_budget_is_shared() -> None:
    first, last = plan_search(load("connect_four"), None, {"nodes": 3000}).steps
    assert first.limits == {"nodes": 3000 * PROVING} and last.limits == {"nodes": 2000}
    result = gdl.search(load("connect_four"), nodes=30_000)
    assert result.work.nodes is not None and result.work.nodes < 33_000


def test_moves_of_connect_four_are_told_apart() -> None:
    """The middle wins, the columns beside it draw, the others lose (Allis 1988): the edges are no good."""
    result = gdl.search(load("connect_four"), nodes=400_000, seed=1)
    assert result.solver == "mcts" and "alphabeta looked for a proof" in result.how
    assert {str(move) for move in result.best} <= {"drop(2)", "drop(3)", "drop(4)"}
    assert len({move.value.number for move in result.moves if move.value}) == 7


def test_what_can_be_proven_is_proven() -> None:
    """4 x 4 is a draw (Tromp)."""
    result = gdl.search(load("connect_four", width=4, height=4), nodes=600_000)
    assert (result.solver, result.kind, result.value) == ("alphabeta", "exact", 0)


def test_options_find_the_search_that_has_them() -> None:
    board = load("tictactoe")
    assert gdl.search(board, c=0.5, simulations=20).solver == "mcts"
    assert gdl.search(board, table=0, depth=2).solver == "alphabeta"
    with pytest.raises(gdl.Refusal, match="has no option"):
        gdl.search(board, colour="red")


def test_a_step_that_refuses_is_passed_over() -> None:
    game = load("three_players")
    plan = replace(plan_search(game, None, {"nodes": 200}), steps=())
    step = plan_search(game, None, {"nodes": 200}).steps[0]
    tried = replace(step, solver="alphabeta", limits={"nodes": 100})  # needs opposed players
    result = follow(replace(plan, steps=(tried, step)), game)
    assert result.solver == "mcts"


# ------------------------------------------------------------------------------- two answers


def answer(solver: str, moves: list[tuple[str, Value, bool, int | None]], value: Value) -> Result:
    found = tuple(MoveValue(text, text, number, best, visits) for text, number, best, visits in moves)
    return Result("g", solver, (value, -value), ("a", "b"), "somehow", Work(1.0, 10), "a", found)


def test_a_move_that_is_proven_bad_is_not_played() -> None:
    guess, loss = Value.estimate(0.5), Value.exact(-1)
    proof = answer(
        "alphabeta", [("x", loss, False, None), ("y", Value.estimate(0), True, None)], Value.estimate(0)
    )
    plays = answer("mcts", [("x", guess, True, 90), ("y", Value.estimate(0.1), False, 10)], guess)
    both = joined(proof, plays)
    assert both.best == ("y",)
    assert [move.value for move in both.moves] == [loss, Value.estimate(0.1)]
    assert both.work.seconds == 2.0 and both.work.nodes == 20


def test_an_estimate_stays_within_what_is_proven() -> None:
    proof = answer("alphabeta", [], Value(0.5, "bounded", 0, 1))
    both = joined(proof, answer("mcts", [], Value.estimate(-0.25)))
    assert both.value == 0 and both.kind == "estimate"
    assert "at least 0" in both.how or "a: " in both.how


# -------------------------------------------------------------------------------------- play


def test_agents_follow_the_plan() -> None:
    for game in (load("nim"), load("connect_four"), load("kuhn_poker"), CountUp(3)):
        plan = plan_play(game)
        assert gdl.plan(game, "play") == plan
        assert str(gdl.agent("best", game)).partition("(")[0] == plan.solver


def test_what_plays_is_what_a_search_ends_with() -> None:
    for name in ("hex", "chess"):
        game = load(name)
        assert plan_play(game).solver == plan_search(game).steps[-1].solver
