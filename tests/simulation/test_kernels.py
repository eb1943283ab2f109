"""Monte Carlo kernels: proofs, chance, many players, budgets, threads, and play that does not lose."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import solvers
from gdl import load
from gdl.loading import loads
from gdl.playing.play import Play
from solvers.core.budget import Budget
from solvers.core.refusal import Refusal
from tests.generate import game_of_seed

GAMES = Path(__file__).parent.parent.parent / "games"


@cache
def native(name: str, params: tuple[tuple[str, Any], ...] = ()) -> Any:
    return load(GAMES / f"{name}.gdl", engine="native", **dict(params))


def after(game: Any, *moves: str) -> Any:
    play: Play[Any, Any] = Play(game)
    for move in moves:
        play.make(move)
    return play.position


def test_a_small_game_is_proven() -> None:
    answer = solvers.solve(native("bins"), "mcts", simulations=20_000)
    exact = solvers.solve(native("bins"), "expectiminimax")
    assert answer.kind == "exact"
    assert answer.value == pytest.approx(exact.value, abs=1e-9)
    assert set(answer.best) <= set(exact.best)


@pytest.mark.parametrize("name", ["inc_and_square", "chance_tree", "halving"])
def test_proofs_are_exact_with_and_without_chance(name: str) -> None:
    answer = solvers.solve(native(name), "mcts", simulations=200_000)
    assert answer.kind == "exact"
    assert answer.value == pytest.approx(solvers.solve(native(name), "expectiminimax").value, abs=1e-9)


LONG_WAY = """
game long_way

players: one

position:
    steps: 0..12 = 0
    won: 0..2 = 0

player: one

move stop when steps == 0:
    steps = 12
    won = 1
move left when steps < 12:
    steps += 1
    if steps == 12: won = 2
move right when steps < 12:
    steps += 1

terminal: steps == 12
utility: won
"""


@pytest.mark.parametrize("parallel", ["root", "tree"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_proven_move_does_not_prove_the_root(threads: int, parallel: str) -> None:
    """Stopping pays 1 at once; going on is worth 2, and takes long to see."""
    game = loads(LONG_WAY, engine="native")
    kinds = set()
    for simulations in (3, 4, 8, 16, 200_000):
        options = {"simulations": simulations, "threads": threads, "parallel": parallel}
        answer = solvers.solve(game, "mcts", **options)
        assert answer.kind == "estimate" or answer.value == 2
        kinds.add(answer.kind)
    assert kinds == {"estimate", "exact"}


def test_what_is_proven_of_generated_games_is_true() -> None:
    """Whatever tree search calls exact, exact solving finds too. (Where interests are not opposed, values
    depend on how ties are broken.)"""
    proven = 0
    for seed in range(400):
        if proven == 5:
            return
        text = game_of_seed(seed, faults=False)
        traits = loads(text, engine="reference").traits
        if traits.hidden or not (traits.players == 1 or (traits.players == 2 and traits.zero_sum)):
            continue
        game = loads(text, engine="native")
        answer = solvers.solve(game, "mcts", simulations=3000, seed=seed)
        if answer.kind == "exact":
            truth = solvers.solve(game, limit=200_000).values[0]
            assert truth is not None and truth.low is not None and truth.high is not None
            assert float(truth.low) - 1e-9 <= answer.value <= float(truth.high) + 1e-9
            proven += 1
    raise AssertionError("too few games were proven for this to show anything")


def test_estimates_come_near_the_value_and_claim_no_confidence() -> None:
    """Neller & Presser 2004: Pig to 100 points is won by the first player with probability 0.5306."""
    answer = solvers.solve(native("pig"), "mcts", simulations=100_000, seed=1)
    assert answer.kind == "estimate"
    assert abs(answer.value - (2 * 0.5306 - 1)) < 0.2
    value = answer.values[0]
    assert value is not None and value.low is None and value.high is None


def test_the_same_seed_gives_the_same_answer() -> None:
    game = native("connect_four")
    for options in ({}, {"threads": 2}, {"transpositions": True}, {"rollout_depth": 6}):
        first, second = (solvers.solve(game, "mcts", simulations=3000, seed=7, **options) for _ in range(2))
        assert [m.visits for m in first.moves] == [m.visits for m in second.moves]
        assert first.value == second.value


def test_threads_share_a_tree() -> None:
    game = native("connect_four")
    answer = solvers.solve(game, "mcts", simulations=20_000, threads=4, parallel="tree")
    assert sum(move.visits or 0 for move in answer.moves) >= 20_000
    assert answer.best == (game.parse_move(after(game), "drop(3)"),)  # Allis 1988: only the middle wins


@pytest.mark.parametrize("options", [{}, {"widening": 2.0}, {"rollout": "greedy"}, {"c": 0.5}])
def test_options_change_the_search_not_its_contract(options: dict[str, Any]) -> None:
    answer = solvers.solve(native("pig", (("goal", 10),)), "mcts", simulations=5000, **options)
    assert -1 <= answer.value <= 1
    assert [move.text for move in answer.moves] == ["roll"]


def test_three_players_have_values_of_their_own() -> None:
    game = native("three_players")
    answer = solvers.solve(game, "mcts", simulations=20_000)
    assert len(answer.values) == 3
    if answer.kind == "exact":
        exact = solvers.solve(game, "maxn")
        assert [v.number for v in answer.values if v] == pytest.approx(
            [float(v.number) for v in exact.values if v]
        )


TACTICS = [
    # The only moves that do not lose, or that win at once.
    ("tictactoe", ["place(a1)"], {"place(b2)"}),
    ("tictactoe", ["place(a1)", "place(b2)", "place(a2)"], {"place(a3)"}),
    ("connect_four", ["drop(0)", "drop(6)", "drop(0)", "drop(6)", "drop(0)", "drop(5)"], {"drop(0)"}),
    ("connect_four", ["drop(0)", "drop(6)", "drop(0)", "drop(6)", "drop(0)"], {"drop(0)"}),
]


@pytest.mark.parametrize(("name", "moves", "best"), TACTICS)
def test_only_moves_are_found(name: str, moves: list[str], best: set[str]) -> None:
    game = native(name)
    position = after(game, *moves)
    for seed in range(3):
        answer = solvers.solve(game, "mcts", position, simulations=10_000, seed=seed)
        assert {game.format_move(move) for move in answer.best} <= best


def only_wins(name: str, moves: range, count: int) -> list[tuple[Any, Any]]:
    """Positions of random plays in which one move alone wins, in at most five, as alpha-beta proves."""
    game, rng = native(name), Random(name)
    found: list[tuple[Any, Any]] = []
    while len(found) < count:
        play: Play[Any, Any] = Play(game, rng=rng)
        wanted = rng.choice(moves)
        while len(play.history) < wanted and not play.finished:
            play.make(rng.choice(list(play.moves())))
        if play.finished:
            continue
        answer = solvers.solve(game, "alphabeta", play.position, depth=5)
        won = answer.value == (1 if play.to_move == 0 else -1)
        if answer.kind == "exact" and won and len(answer.best) == 1:
            found.append((play.position, answer.best[0]))
    return found


@pytest.mark.parametrize(
    ("name", "moves", "count"), [("connect_four", range(8, 22), 12), ("breakthrough", range(20, 40), 4)]
)
def test_the_only_winning_move_is_found(name: str, moves: range, count: int) -> None:
    game = native(name)
    for position, move in only_wins(name, moves, count):
        answer = solvers.solve(game, "mcts", position, simulations=10_000)
        assert answer.best == (move,), game.format_position(position)


def test_mcts_does_not_lose_tictactoe_to_perfect_play() -> None:
    _play_tictactoe(games=6)


@pytest.mark.slow
def test_mcts_never_loses_tictactoe() -> None:
    _play_tictactoe(games=1000)


def _play_tictactoe(games: int) -> None:
    """10,000 simulations a move against the policy of backward induction, `games` with each colour."""
    game = native("tictactoe")
    policy = solvers.solve(load(GAMES / "tictactoe.gdl", engine="reference"), "backward_induction").policy
    assert policy is not None
    reference = load(GAMES / "tictactoe.gdl", engine="reference")
    for number in range(2 * games):
        rng = Random(number)
        play: Play[Any, Any] = Play(game)
        while not play.finished:
            if play.to_move == number % 2:
                answer = solvers.solve(game, "mcts", play.position, simulations=10_000, seed=number)
                play.make(rng.choice(answer.best))
            else:
                same = reference.parse_position(game.format_position(play.position))
                play.make(reference.format_move(rng.choice(policy.best(same))))
        assert play.returns[number % 2] >= 0


def test_a_tree_is_used_again() -> None:
    from solvers.simulation.kernels.mcts import Search

    game = native("connect_four")
    search = Search(game, seed=1)
    first = search.search(None, 5000, Budget())
    visits = {move.text: move.visits or 0 for move in first.moves}
    second = search.search(after(game, "drop(3)"), 100, Budget())
    assert sum(move.visits or 0 for move in second.moves) > visits["drop(3)"] // 2


def test_budgets_of_nodes_and_memory_are_kept() -> None:
    game = native("connect_four")
    answer = solvers.solve(game, "mcts", nodes=10_000)
    assert answer.partial
    assert (answer.work.nodes or 0) <= 11_000
    small = solvers.solve(game, "mcts", simulations=100_000, memory="1MB")
    assert "memory" in small.how
    assert small.work.rounds == 100_000


def test_flat_monte_carlo_takes_moves_in_turn() -> None:
    answer = solvers.solve(native("tictactoe"), "flat_monte_carlo", simulations=9000, seed=2)
    assert {move.visits for move in answer.moves} == {1000}
    assert [move.text for move in answer.moves if move.best] == ["place(b2)"]  # most lines, most random wins


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"c": -1.0}, "a number from 0 up"), ({"threads": 0}, "threads"), ({"parallel": "leaf"}, "parallel"),
     ({"epsilon": 2.0, "rollout": "greedy"}, "probability"), ({"simulations": 0}, "simulations"),
     ({"widening": -1.0}, "widening")],
)  # fmt: skip
def test_senseless_options_are_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        solvers.solve(native("tictactoe"), "mcts", **options)


def test_transpositions_need_a_game_that_ends() -> None:
    with pytest.raises(Refusal, match="come back"):
        solvers.solve(native("three_mens_morris"), "mcts", transpositions=True)
