"""Evaluations: kernels judge as the textbook does; files keep what was learned, or say why they do not."""

from __future__ import annotations

import ctypes
import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import gdl
from gdl.diagnostics import GameError
from gdl.game import TERMINAL
from solvers.files.evaluation_file import read, save
from solvers.learning.choosing import ways
from solvers.learning.evaluation import Evaluation, Judge
from solvers.learning.kernels.chooser import Chooser
from solvers.learning.kernels.leaf import code_of
from solvers.learning.kernels.training import standard_error
from solvers.learning.making import new_evaluation
from solvers.learning.symmetry import symmetries

CASES = [
    ("tictactoe", {}, "tuples"),
    ("tictactoe", {}, "network"),
    ("connect_four", {"width": 4, "height": 4}, "linear"),
    ("pig", {"goal": 20}, "tuples"),  # chance, judged by moves of which some draw
    ("2048", {"rows": 2, "cols": 2, "target": 16}, "tuples"),
    ("gridworld", {}, "tuples"),  # positions judged, moves by their outcomes
    ("blackjack", {}, "network"),
    ("three_players", {}, "network"),  # a column for each player
    ("backgammon", {}, "network"),  # whole turns, players change places
]


def with_weights(evaluation: Evaluation, seed: int = 1) -> Evaluation:
    rng = np.random.default_rng(seed)
    weights = {name: rng.normal(0, 0.3, a.shape).astype(np.float32) for name, a in evaluation.weights.items()}
    return replace(evaluation, weights=weights)


def positions(game: Any, count: int, seed: int = 0) -> list[Any]:
    """Of random plays, in which a player is to move."""
    rng = Random(seed)
    found: list[Any] = []
    while len(found) < count:
        play = gdl.Play(game, seed=rng.randrange(1 << 30))
        while play.to_move >= 0 and len(found) < count:
            found.append(play.position)
            play.make(rng.choice(game.moves(play.position)))
    return found


@pytest.mark.parametrize(("name", "params", "kind"), CASES)
def test_kernels_judge_as_the_textbook(name: str, params: dict[str, Any], kind: Any) -> None:
    game = gdl.load(name, **params)
    evaluation = with_weights(new_evaluation(game, kind, units=5))
    judge, chooser = Judge(game, evaluation), Chooser(game, evaluation)
    code = code_of(game, evaluation)
    native = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(code.address)
    exact = Judge(gdl.load(name, engine="reference", **params), evaluation)
    for position in positions(game, 12):
        out = (ctypes.c_double * len(game.players))()
        assert native(ctypes.cast(game.form(position), ctypes.c_void_p), out) == 0
        assert list(out) == pytest.approx(judge(position), abs=1e-5)
        if name != "backgammon":
            assert exact(exact.game.parse_position(str(position))) == pytest.approx(judge(position), abs=1e-6)
        mover = game.to_move(position)
        judged = ways(game, judge, position)
        best = max(worth[mover] for _, worth in judged)
        chosen = chooser.best(np.frombuffer(game.form(position), np.uint8).copy(), mover)
        assert chosen.worth[mover] == pytest.approx(best, abs=1e-5)
        first = game.move_of(position, chosen.first)
        assert max(w[mover] for m, w in judged if m == first) == pytest.approx(best, abs=1e-5)


def test_exchanged_players_see_the_same() -> None:
    """Backgammon is the same for both sides: who looks from the other side finds the opposite value."""
    game = gdl.load("backgammon")
    (exchange,) = symmetries(game)
    assert exchange.exchanges
    judge = Judge(game, with_weights(new_evaluation(game, "network", units=5)))
    for position in positions(game, 5):
        image = game.composed(exchange.image(game.ordinals(position)))
        assert judge(image)[1] == pytest.approx(judge(position)[0], abs=1e-6)


@pytest.mark.parametrize(
    ("name", "params", "count"),
    [
        ("tictactoe", {}, 7),  # the square has 8, one of which changes nothing
        ("connect_four", {"width": 4, "height": 4}, 1),  # left and right; gravity forbids the others
        ("2048", {"rows": 3, "cols": 3, "target": 64}, 7),
        ("2048", {"rows": 2, "cols": 3, "target": 16}, 3),
        ("hex", {}, 1),  # by half a turn each side's edges come to its own
    ],
)
def test_symmetries_are_those_of_the_board(name: str, params: dict[str, Any], count: int) -> None:
    assert len(symmetries(gdl.load(name, **params))) == count


def test_images_of_positions_are_judged_alike() -> None:
    game = gdl.load("tictactoe")
    judge = Judge(game, with_weights(new_evaluation(game, "tuples")))
    position = positions(game, 3)[2]
    values = {round(judge(game.composed(s.image(game.ordinals(position))))[0], 6) for s in symmetries(game)}
    assert values == {round(judge(position)[0], 6)}


# ------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize(("name", "params", "kind"), CASES[:4])
def test_files_keep_evaluations(name: str, params: dict[str, Any], kind: Any, tmp_path: Path) -> None:
    game = gdl.load(name, **params)
    evaluation = with_weights(new_evaluation(game, kind, units=5))
    save(tmp_path / "w", game, evaluation, {"seed": 1}, [], params)
    again = read(tmp_path / "w", game)
    assert again.facts["made"] == {"seed": 1}
    one, other = Judge(game, evaluation), Judge(game, again.evaluation)
    for position in positions(game, 5):
        assert other(position) == pytest.approx(one(position), abs=0.03)  # entries of tables are rounded


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    game = gdl.load("tictactoe")
    path = tmp_path / "w"
    save(path, game, with_weights(new_evaluation(game, "tuples")), {}, [], {})

    def refusal(given: Any = game) -> str:
        with pytest.raises(GameError) as caught:
            gdl.search(given, f"minimax(depth=1, leaf=learned:{path})")
        return str(caught.value)

    assert "about tictactoe, not about connect_four" in refusal(gdl.load("connect_four"))
    four = gdl.load("connect_four", width=4)
    save(
        path,
        gdl.load("connect_four", width=5),
        new_evaluation(gdl.load("connect_four", width=5), "tuples"),
        {},
        [],
        {"width": 5},
    )
    assert "other parameters" in refusal(four)
    save(path, game, with_weights(new_evaluation(game, "tuples")), {}, [], {})
    whole = path.read_text()
    path.write_text(whole.replace('"players": 2', '"players": 3'))
    assert "checksum" in refusal()
    path.write_text(whole[: len(whole) // 2])
    assert "damaged" in refusal()
    path.write_text(json.dumps(json.loads(whole) | {"version": 99}))
    assert "version 99" in refusal()
    assert "newer" in refusal()
    path.unlink()
    assert "not there" in refusal()


def test_what_is_hidden_is_refused() -> None:
    with pytest.raises(gdl.Refusal, match="hidden"):
        gdl.learn(gdl.load("kuhn_poker"), games=1)


# ----------------------------------------------------------------------------------- learning


def test_learning_is_repeatable_whatever_the_threads_and_kills(tmp_path: Path) -> None:
    game = gdl.load("connect_four", width=4, height=4)

    def curve(found: Any) -> list[Any]:
        return [{k: v for k, v in point.items() if k != "seconds"} for point in found.curve]

    whole = gdl.learn(game, "tuples", games=500, seed=3)
    assert curve(gdl.learn(game, "tuples", games=500, seed=3, threads=2)) == curve(whole)
    assert curve(gdl.learn(game, "tuples", games=500, seed=4)) != curve(whole)

    class Killed(Exception):
        pass

    def kill(training: Any) -> None:
        if training.learner.games > 300:
            raise Killed

    path = tmp_path / "w"
    with pytest.raises(Killed):
        gdl.learn(game, "tuples", games=500, seed=3, save=path, report=kill)
    again = gdl.learn(game, "tuples", games=500, seed=3, save=path, resume=True)
    assert curve(again) == curve(whole)
    for name, array in again.evaluation.weights.items():
        assert np.array_equal(array, whole.evaluation.weights[name])
    assert not Path(f"{path}.part").exists()


def test_learning_comes_near_the_truth_and_nearer_with_time() -> None:
    """Against the exact values: the mean error falls, and more of the chosen moves are among the best."""
    game = gdl.load("tictactoe")
    truth = gdl.solve(game).policy
    assert truth is not None

    def compared(games: int) -> tuple[float, float]:
        found = gdl.learn(game, "tuples", games=games, seed=1)
        judge = Judge(game, found.evaluation)
        errors, right = [], []
        for position in positions(game, 150, seed=5):
            mover = game.to_move(position)
            errors.append(abs(judge(position)[0] - float(truth.value(position)[0].number)))
            best = max(ways(game, judge, position), key=lambda way: way[1][mover])[0]
            right.append(best in truth(position))
        return float(np.mean(errors)), float(np.mean(right))

    few, many = compared(64), compared(6000)
    assert many[0] < few[0]
    assert many[1] > 0.93


@pytest.mark.parametrize(("name", "games"), [("gridworld", 8_000), ("blackjack", 40_000)])
def test_moves_that_leave_the_same_behind_are_told_apart(name: str, games: int) -> None:
    """In the world of Russell and Norvig every step draws before anything changes: what it leaves behind is
    where it was made. Values and best moves by policy iteration."""
    game = gdl.load(name)
    found = gdl.learn(game, games=games, seed=1)
    truth = gdl.solve(game).policy
    assert truth is not None
    judge = Judge(game, found.evaluation)
    met = {position: truth.value(position) for position in positions(game, 300, seed=2)}
    errors, right = [], []
    for position, value in met.items():
        best = max(ways(game, judge, position), key=lambda way: way[1][0])
        errors.append(abs(best[1][0] - float(value[0].number)))
        right.append(best[0] in truth(position))
    assert np.mean(errors) < 0.12
    assert np.mean(right) > 0.75


def test_an_evaluate_line_is_one_of_the_language(tmp_path: Path) -> None:
    game = gdl.load("connect_four", width=5, height=4)
    found = gdl.learn(game, "linear", games=300, seed=1)
    assert found.line is not None
    text = (gdl.games()["connect_four"]).read_text().replace("\nshow:", f"\n{found.line}\n\nshow:", 1)
    pasted = gdl.loads(text, width=5, height=4)
    judge = Judge(game, found.evaluation)
    for position in positions(game, 5):
        said = pasted.evaluate(pasted.parse_position(str(position)))
        assert said is not None
        assert float(said[0]) == pytest.approx(judge(position)[0], abs=0.05)


def test_numbers_out_of_bounds_are_stepped_back_from() -> None:
    game = gdl.loads(
        """
game counter
players: one
position:
    n: 0..20 = 0
move up:
    reward 1
    n += 1
terminal: n == 20
utility: 0
feature n_squared: n * n
"""
    )
    found = gdl.learn(game, "network", games=400, rate=1e5, seed=1)
    assert any("out of bounds" in note for note in found.notes)
    assert all(np.isfinite(a).all() for a in found.evaluation.weights.values())


def test_a_mean_of_games_that_were_all_won_has_an_error() -> None:
    """The rule of three (Hanley & Lippman-Hand 1983): what never came in n trials has at most a share of
    3 / n, with a certainty of 95 %; a lost game costs the whole range."""
    assert 1.96 * standard_error(np.ones(200), 2.0) == pytest.approx(3 / 200 * 2)
    assert standard_error(np.array([1.0, -1.0]), 2.0) == pytest.approx(1 / np.sqrt(2))


def test_terminal_positions_are_worth_their_utility() -> None:
    game = gdl.load("tictactoe")
    judge = Judge(game, with_weights(new_evaluation(game, "tuples")))
    play = gdl.Play(game, seed=1)
    rng = Random(1)
    while play.to_move != TERMINAL:
        play.make(rng.choice(game.moves(play.position)))
    assert judge.after(play.position, False) == tuple(map(float, game.utility(play.position)))


@pytest.mark.parametrize(
    ("name", "params", "solver"),
    [("tictactoe", {}, "alphabeta"), ("pig", {"goal": 20}, "star2")],
)
def test_searches_judge_by_files_on_both_engines(
    name: str, params: dict[str, Any], solver: str, tmp_path: Path
) -> None:
    game = gdl.load(name, **params)
    save(tmp_path / "w", game, with_weights(new_evaluation(game, "tuples")), {}, [], params)
    described = f"{solver}(depth=2, leaf=learned:{tmp_path / 'w'})"
    fast = gdl.search(game, described)
    slow = gdl.search(gdl.load(name, engine="reference", **params), described)
    assert fast.value == pytest.approx(float(slow.value), abs=1e-5)
    assert [str(move) for move in fast.best] == [str(move) for move in slow.best]
    simulated = gdl.search(game, f"mcts(simulations=50, rollout_depth=1, leaf=learned:{tmp_path / 'w'})")
    assert -1 <= simulated.value <= 1
