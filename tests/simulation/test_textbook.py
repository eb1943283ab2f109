"""Simulated plays: mcts, flat Monte Carlo, rollouts and evaluation of policies."""

from __future__ import annotations

from fractions import Fraction as F
from math import inf
from random import Random
from typing import Any

import pytest

import solvers
from gdl.game import CHANCE, Outcome
from solvers.core.budget import Budget
from solvers.core.chance import sample
from solvers.core.rollout import LONGEST, Rollout, rollout
from solvers.core.samples import Sample
from solvers.simulation.mcts import Tree
from solvers.simulation.playout import playout
from tests.solvers.games import (
    Bins,
    CountUp,
    GridWorld,
    IncAndSquare,
    Nim,
    Node,
    Pig,
    TableGame,
    TicTacToe,
    end,
    to,
)


def test_mcts_proves_what_it_exhausts() -> None:
    for game, value, best in ((Bins(F(1, 2)), -2, ("C",)), (IncAndSquare(4), 5, ("inc",))):
        result = solvers.solve(game, "mcts", simulations=5000)
        assert result.kind == "exact" and result.value == value and result.best == best
        assert "proven" in result.how and not result.partial


def test_a_proven_move_does_not_prove_the_root() -> None:
    """The first move ends the game at once with 0; the second, worth 1, takes long to see."""
    chain = [Node(0, (to(i + 1), to(i + 1))) for i in range(2, 12)]
    game = TableGame((Node(0, (to(1), to(2))), end(0), *chain, end(1), end(2)))
    for simulations in (2, 3, 5, 8):
        result = solvers.solve(game, "mcts", simulations=simulations)
        assert result.kind == "estimate" or result.value == 1
        assert result.moves[0].value is not None


TACTICS = {
    "xx.oo....": (0, {2}),  # x wins at once
    "xx..o....": (1, {2}),  # o must stop the row
    "x...o...x": (1, {1, 3, 5, 7}),  # corners lose: x makes two threats
}


@pytest.mark.parametrize("position", TACTICS)
def test_mcts_finds_the_only_good_moves(position: str) -> None:
    """The sets were read off the board by hand, and backward induction agrees with them."""
    player, good = TACTICS[position]
    game = TicTacToe()
    assert game.to_move(position) == player
    assert set(solvers.solve(game, "backward_induction", at=position).best) == good
    for seed in range(3):
        assert set(solvers.solve(game, "mcts", at=position, simulations=2000, seed=seed).best) <= good


def test_same_seed_same_answer() -> None:
    for name in ("mcts", "flat_monte_carlo"):
        a, b, c = (solvers.solve(TicTacToe(), name, simulations=300, seed=seed) for seed in (7, 7, 8))
        assert a.moves == b.moves and a.values == b.values and a.seed == 7
        assert a.moves != c.moves


def test_visits_add_up_and_no_confidence_is_claimed() -> None:
    result = solvers.solve(TicTacToe(), "mcts", simulations=500)
    assert sum(move.visits or 0 for move in result.moves) == 500
    for value in (*result.values, *(move.value for move in result.moves)):
        assert value is not None and value.kind == "estimate" and value.low is None and value.high is None
    assert "500 simulations" in result.how


def test_mcts_with_rewards_and_discount() -> None:
    """One move pays 3 now, the other 5 after a discount of 1/2: 3 against 5/2."""
    now = ((F(1), 1, F(3)),)
    later = ((F(1), 2, F(0)),)
    paid = ((F(1), 1, F(5)),)
    game = TableGame(
        (Node(0, (now, later)), Node(-2, utility=(F(0),)), Node(0, (paid,))), count=1, discount=F(1, 2)
    )
    result = solvers.solve(game, "mcts", simulations=100)
    assert result.kind == "exact" and result.value == 3 and result.best == ("a",)
    flat = solvers.solve(game, "flat_monte_carlo", simulations=100)
    assert [float(move.value.number) for move in flat.moves if move.value] == [3, 2.5]


def test_mcts_with_chance_as_a_player() -> None:
    """A fair coin of chance before the choice of a player."""
    coin = Node(CHANCE, (to(1), to(2)), odds=(F(1, 4), F(3, 4)))
    game = TableGame((coin, Node(0, (to(3), to(4))), Node(0, (to(4), to(5))), end(8), end(0), end(4)))
    result = solvers.solve(game, "mcts", simulations=200)
    assert result.kind == "exact" and result.value == F(1, 4) * 8 + F(3, 4) * 4
    assert not result.moves and result.line[0].player == "chance"


def test_mcts_for_three_players() -> None:
    c1, c2 = Node(2, (to(3), to(4))), Node(2, (to(5), to(6)))
    ends = [end(1, 2, 6), end(4, 3, 3), end(6, 1, 2), end(7, 4, 1)]
    game = TableGame((Node(1, (to(1), to(2))), c1, c2, *ends), count=3)
    result = solvers.solve(game, "mcts", simulations=200)
    assert [value.number for value in result.values if value] == [1, 2, 6]


def test_a_random_start() -> None:
    class Drawn(Nim):
        """One of two positions, drawn with odds 1 to 3."""

        def initial(self) -> Any:
            return [Outcome(((1,), 0), F(1, 4), ()), Outcome(((1, 1), 0), F(3, 4), ())]

    game = Drawn()
    for name in (
        "mcts",
        "minimax",
        "alphabeta",
        "backward_induction",
        "retrograde",
        "policy_iteration",
        "star2",
    ):
        result = solvers.solve(game, name)
        assert result.value == F(1, 4) - F(3, 4) and not result.moves and result.to_move is None
    assert solvers.solve(game, "flat_monte_carlo").value == pytest.approx(-0.5, abs=0.1)
    assert solvers.solve(game, "policy_evaluation").value == F(-1, 2)


def test_a_tree_is_used_again() -> None:
    game = TicTacToe()
    tree = Tree(game, 1.0, playout(game, "uniform", 0.1, None, None), seed=1)
    first = tree.search(None, 500, Budget())
    position = "." * 4 + "x" + "." * 4
    root = tree.kept(position)
    assert root.visits > 0 and first.best
    again = tree.search(position, 10, Budget())
    assert sum(move.visits or 0 for move in again.moves) >= 10 + root.visits - 10


def test_rollouts_that_never_end_are_endless_play() -> None:
    loop = TableGame((Node(0, (to(0),)), end(1)), endless=(F(2), F(-2)), acyclic=False)
    assert rollout(loop, 0, Random(0)) == Rollout((2.0, -2.0), 1.0)
    assert LONGEST >= 10_000


def test_truncated_rollouts_are_judged() -> None:
    game = CountUp(1000)
    play = rollout(game, 0, Random(0), depth=3, leaf=lambda position: (position / 10,))
    assert play == Rollout((0.3,))
    result = solvers.solve(game, "mcts", simulations=50, rollout_depth=2, leaf=lambda position: (0.25,))
    assert result.value == 0.25


def test_greedy_rollouts_follow_the_evaluation() -> None:
    nodes = (Node(0, (to(1), to(2))), Node(0, (to(3), to(4))), Node(0, (to(4), to(4))), end(1), end(0))
    game = TableGame(nodes, estimates=(0, 1, 0, 0, 0))
    greedy = playout(game, "greedy", 0.0, None, None)
    assert all(greedy.play(0, Random(seed)).paid[0] == 1 for seed in range(20))


def test_flat_monte_carlo_means_what_random_play_means() -> None:
    """After each move the mean is that of uniform play, which policy evaluation knows exactly."""
    at = "xo..x...."
    result = solvers.solve(TicTacToe(), "flat_monte_carlo", at=at, simulations=6 * 200, seed=3)
    inside = 0
    for move in result.moves:
        after = TicTacToe().outcomes(at, move.move)[0].position
        exact = -solvers.solve(TicTacToe(), "policy_evaluation", at=after).value  # o is to move
        assert move.value is not None and move.value.low is not None and move.value.high is not None
        inside += move.value.low <= exact <= move.value.high
    assert inside >= 4  # of six 95 % intervals


def test_uniform_play_of_tictactoe() -> None:
    """Known: the first player scores 64.84 % with uniform play (draw = 50 %), so the value is 0.2968."""
    assert float(solvers.solve(TicTacToe(), "policy_evaluation").value) == pytest.approx(0.2968, abs=1e-4)


def test_simulated_evaluation_agrees_with_the_exact_one() -> None:
    for game in (Pig(4), GridWorld(discount=F(9, 10)), Bins(F(1, 2))):
        exact = solvers.solve(game, "policy_evaluation").value
        value = solvers.solve(game, "policy_evaluation", simulations=600, seed=5).values[0]
        assert value is not None and value.low is not None and value.high is not None
        width = float(value.high - value.low)
        assert abs(float(value.number) - float(exact)) <= width  # two standard errors of two


def test_sampling_follows_the_probabilities() -> None:
    rng = Random(1)
    outcomes = [Outcome(0, F(1, 10), ()), Outcome(1, F(9, 10), ())]
    ones = sum(sample(outcomes, rng).position == 1 for _ in range(2000))
    assert 1740 < ones < 1860  # 1800 expected, standard deviation 13.4


def test_confidence_of_a_sample() -> None:
    """Numbers 1..5: mean 3, variance 5/2, so t(0.975, 4) = 2.776 times sqrt(1/2) on either side."""
    plays = Sample(1)
    for x in range(1, 6):
        plays.add_play([x])
    value = plays.within(0, (-inf, inf))
    assert value.low is not None
    assert value.number == 3 and float(3 - value.low) == pytest.approx(2.776445 * 0.5**0.5, rel=1e-3)
