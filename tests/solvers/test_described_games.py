"""Solvers and agents on games from text, through the reference engine."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

import gdl
import solvers
from gdl.game import CHANCE
from gdl.playing.play import Play
from solvers.agents.kinds import agent
from solvers.agents.seated import Seated
from solvers.agents.seen import View
from solvers.hidden.sequences import Known
from solvers.hidden.worlds import Belief
from tests.solvers.games import IncAndSquare


@pytest.mark.parametrize("n", [3, 5, 8])
def test_a_described_game_and_a_python_class_agree_everywhere(n: int) -> None:
    described, written = gdl.load("inc_and_square", n=n, engine="reference"), IncAndSquare(n)
    ours = solvers.solve(described, "backward_induction").policy
    theirs = solvers.solve(written, "backward_induction").policy
    assert ours is not None and theirs is not None
    values = {described.format_position(p): ours.value(p)[0].number for p in ours.positions}
    assert values == {f"x={x} k={k}": theirs.value((x, k))[0].number for x, k in theirs.positions}


KNOWN = [
    ("bins", {}, F(-2)),
    ("chance_tree", {}, F(10)),
    ("piglet", {"goal": 2}, 2 * F(4, 7) - 1),  # a win pays 1, a loss -1
    ("pig", {"goal": 5}, 2 * F(216, 271) - 1),
    ("haddad_monmege", {}, F(7, 10)),
    ("halving", {}, None),
]


@pytest.mark.parametrize("name, params, value", KNOWN)
def test_exact_solvers_agree(name: str, params: dict[str, Any], value: F | None) -> None:
    game = gdl.load(name, **params, engine="reference")
    exact = solvers.solve(game, "policy_iteration")
    assert value is None or exact.value == value
    for solver in ("backward_induction", "retrograde", "value_iteration", "expectiminimax", "star2"):
        if solvers.applies(solver, game) is None:
            try:
                other = solvers.solve(game, solver)
            except solvers.Refusal as refusal:
                assert refusal.code == "R002"
                continue
            first = other.values[0]
            assert first is not None and first.low is not None and first.high is not None
            assert first.low <= exact.value <= first.high
            assert other.best == exact.best


def test_the_expected_length_of_snakes_and_ladders() -> None:
    """39.2251 spins (Althoen, King & Schilling 1993, for this board)."""
    assert float(solvers.solve(gdl.load("snakes_and_ladders", engine="reference")).value) == pytest.approx(
        39.22512230823, abs=1e-9
    )


def test_refusals_name_the_move_and_the_line() -> None:
    refusal = solvers.applies("alphabeta", gdl.load("pig", engine="reference"))
    assert refusal is not None
    assert refusal.reason.startswith("alphabeta needs a game without chance; pig draws in `roll` (line ")


def finish(game: Any, texts: tuple[str, ...], seed: int) -> Play[Any, Any]:
    play: Play[Any, Any] = Play(game, rng=Random(seed))
    seats = [Seated(agent(text, game), Random(f"{seed} {i}")) for i, text in enumerate(texts)]
    while not play.finished:
        if play.to_move == CHANCE:
            play.draw()
        else:
            play.make(seats[play.to_move].choose(play))
    return play


def test_agents_sit_down_to_plays() -> None:
    game = gdl.load("tictactoe", engine="reference")
    for seed in range(3):
        assert finish(game, ("alphabeta(depth=9)", "random"), seed).returns[0] >= 0
    again = [finish(game, ("mcts(simulations=20)", "random"), 1).history for _ in range(2)]
    assert again[0] == again[1]


def test_pimc_plays_kuhn_poker_without_looking() -> None:
    """With the king to call a bet nobody folds; what the other holds makes no difference to the choice."""
    game = gdl.load("kuhn_poker", engine="reference")
    chooser = agent("pimc", game)
    choices: dict[Any, set[Any]] = {}
    for number in range(len(game.initial())):
        play: Play[Any, Any] = Play(game, outcome=number)
        play.make("bet")
        view = View.of_play(play)
        known = Known(view.player, view.seen, view.moves)
        worlds = Belief(game).worlds(known, Random(0))
        assert len(worlds) == 2 and sum(worlds.weights) == 1 and play.position in worlds.positions
        move = game.format_move(chooser.choose(view, Random(5)).move)
        choices.setdefault(game.observation(play.position, 1), set()).add(move)
    assert len(choices) == 3 and all(len(moves) == 1 for moves in choices.values())
    assert {"call"} in choices.values() and {"fold"} in choices.values()


def test_agents_refuse_to_look_in_kuhn_poker() -> None:
    for text in ("alphabeta", "mcts", "backward_induction", "greedy"):
        with pytest.raises(solvers.Refusal, match="hidden"):
            agent(text, gdl.load("kuhn_poker", engine="reference"))
