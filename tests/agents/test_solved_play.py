"""Small games are solved before they are played: by either solver alike, once per machine."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import gdl
from gdl.game import TERMINAL
from solvers.agents.kinds import agent
from solvers.agents.seen import View
from solvers.agents.solving import TableAgent
from solvers.files import best_moves
from solvers.files.best_moves import BestMoves
from solvers.registry import SOLVERS, choose


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(best_moves, "cache_directory", lambda: tmp_path)
    return tmp_path


def reachable(game: Any, most: int = 3000) -> list[Any]:
    queue = [outcome.position for outcome in game.initial()]
    seen = dict.fromkeys(queue)
    for position in queue:  # which grows
        for move in game.moves(position):
            for outcome in game.outcomes(position, move):
                if outcome.position not in seen and len(seen) < most:
                    seen[outcome.position] = None
                    queue.append(outcome.position)
    return queue


GAMES = [("pig", {"goal": 8}), ("nim", {}), ("inc_and_square", {}), ("three_players", {}), ("gridworld", {})]


@pytest.mark.parametrize(("name", "params"), GAMES, ids=[name for name, _ in GAMES])
def test_both_solvers_give_the_same_table(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, params: dict[str, int]
) -> None:
    game = gdl.load(name, engine="native", **params)
    solver = SOLVERS[choose(game, "solve")[0]]
    tables = []
    for textbook in (0.0, 60.0):
        monkeypatch.setattr(best_moves, "LOG2_MOST", 60.0)
        monkeypatch.setattr(best_moves, "LOG2_TEXTBOOK", textbook)
        tables.append(BestMoves.of(game, solver))
        for file in folder.iterdir():
            file.unlink()
    by_kernels, by_textbook = tables
    assert by_kernels is not None and by_textbook is not None
    for position in reachable(game):
        expected, found = by_textbook.at(position), by_kernels.at(position)
        if game.to_move(position) < 0:
            assert expected is None and found is None
            continue
        assert expected is not None and found is not None
        assert found[0] == expected[0]
        assert found[1] == pytest.approx(expected[1], abs=1e-8)


def test_the_best_moves_are_those_of_the_solver(folder: Path) -> None:
    game = gdl.load("tictactoe", engine="native")
    playing = agent("backward_induction", game)
    assert isinstance(playing, TableAgent) and playing.kept is not None
    assert [file.suffix for file in folder.iterdir()] == [".moves"]
    exact = gdl.load("tictactoe", engine="reference")
    solved = SOLVERS["backward_induction"].load()(exact)
    for position in reachable(game):
        if game.to_move(position) != TERMINAL:
            moves = set(playing.decided(position)[0])
            assert moves == set(solved.policy.best(exact.parse_position(str(position))))


def test_what_is_kept_is_used_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = gdl.load("pig", engine="native", goal=6)
    solver = SOLVERS["value_iteration"]
    first = BestMoves.of(game, solver)

    def fails(*_: Any) -> None:
        raise AssertionError("solved again")

    monkeypatch.setattr(best_moves, "_by_textbook", fails)
    again = BestMoves.of(game, solver)
    assert first is not None and again is not None
    start = game.initial()[0].position
    assert again.at(start) == first.at(start)
    with pytest.raises(AssertionError, match="solved again"):
        BestMoves.of(gdl.load("pig", engine="native", goal=7), solver)


def test_a_damaged_file_is_made_again(folder: Path) -> None:
    game = gdl.load("pig", engine="native", goal=6)
    assert BestMoves.of(game, SOLVERS["value_iteration"]) is not None
    (file,) = folder.iterdir()
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)
    assert BestMoves.of(game, SOLVERS["value_iteration"]) is not None
    assert file.read_bytes() != bytes(data)


def test_a_file_in_another_order_is_made_again(folder: Path) -> None:
    game, solver = gdl.load("pig", engine="native", goal=6), SOLVERS["value_iteration"]
    first = BestMoves.of(game, solver)
    assert first is not None
    best_moves._write(game, solver, {name: array[::-1] for name, array in first.arrays.items()})
    again = BestMoves.of(game, solver)
    assert again is not None
    start = game.initial()[0].position
    assert again.at(start) == first.at(start) is not None


def test_a_policy_knows_its_positions_without_going_through_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from solvers.whole.kernels.solve import GraphValues, solve_whole

    game = gdl.load("pig", engine="native", goal=6)
    policy = solve_whole(game, "value_iteration").result.policy
    monkeypatch.setattr(GraphValues, "positions", None)
    assert policy is not None
    assert game.initial()[0].position in policy
    assert game.parse_position("banked=[6 6]") not in policy


def test_without_a_cache_folder_it_is_solved_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best_moves, "cache_directory", lambda: None)
    assert BestMoves.of(gdl.load("pig", engine="native", goal=6), SOLVERS["value_iteration"]) is not None


def test_few_files_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best_moves, "MOST_FILES", 2)
    for goal in (4, 5, 6):
        BestMoves.of(gdl.load("pig", engine="native", goal=goal), SOLVERS["value_iteration"])
    assert len(list(folder.iterdir())) == 2


def test_positions_that_the_game_does_not_reach_are_solved_by_themselves(folder: Path) -> None:
    game = gdl.load("nim", engine="native")
    chosen = agent(choose(game, "play")[0], game)
    position = game.initial()[0].position
    assert chosen.choose(View.of(game, position), Random(0)).move in game.moves(position)
    larger = gdl.load("chess", engine="native")
    assert best_moves.log2_positions(larger) is None
    assert best_moves.log2_positions(gdl.load("nim", engine="reference")) is None  # not compiled
