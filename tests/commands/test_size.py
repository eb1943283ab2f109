"""`gdl size`: what there is to choose from in plays of agents and in recorded ones."""

from __future__ import annotations

import json
from math import comb, log10
from pathlib import Path

import pytest

from tests.commands.conftest import Gdl

SHANNON = 4634726695587809641192045982323285670400000
"""64! / (32! 8!^2 2!^6): the men of chess on any squares, of the order of 10^43 (C. Shannon, 'Programming a
computer for playing chess', 1950)."""


def test_plays_that_were_recorded(gdl: Gdl, tmp_path: Path) -> None:
    """In tic-tac-toe there are 9, 8, 7 … moves to choose from."""
    file = tmp_path / "plays.json"
    gdl("run", "tictactoe", "-a", "random", "-n", 3, "--seed", 4, "--record", file)
    lengths = [len(play["moves"]) for play in json.loads(file.read_text())["plays"]]
    measured = gdl("size", "tictactoe", "--replay", file, "--json").data
    choices = [9 - k for length in lengths for k in range(length)]
    assert measured["branching"] == pytest.approx(sum(choices) / len(choices))
    assert measured["plies"] == pytest.approx(sum(lengths) / 3)
    assert measured["plays"] == 3 and measured["agent"] is None


def test_a_recording_of_another_game_is_refused(gdl: Gdl, tmp_path: Path) -> None:
    file = tmp_path / "plays.json"
    gdl("run", "tictactoe", "-a", "random", "--seed", 4, "--record", file)
    assert gdl("size", "connect_four", "--replay", file).code == 1
    missing = gdl("size", "connect_four", "--replay", tmp_path / "none.json")
    assert missing.code == 1 and "No such file" in missing.err


def test_the_men_of_chess_are_placed_in_as_many_ways_as_shannon_says(gdl: Gdl, tmp_path: Path) -> None:
    file = tmp_path / "play.json"
    gdl("run", "chess", "-a", "random", "--seed", 1, "--longest", 1, "--record", file)
    measured = gdl("size", "chess", "--replay", file, "--json").data
    assert measured["log10_placings"] == pytest.approx(log10(SHANNON))
    assert "1 play stopped before the end" in gdl("size", "chess", "--replay", file).out


def test_every_number_of_marks_counts_once(gdl: Gdl) -> None:
    """Of k marks on 9 cells half are those of x, rounded up; a play is over with the ninth at the latest."""
    boards = sum(comb(9, k) * comb(k, k // 2) for k in range(9))
    assert gdl("size", "tictactoe", "--plays", 60, "--json").data["log10_placings"] == pytest.approx(
        log10(boards)
    )
    assert gdl("size", "kuhn_poker", "--json").data["log10_placings"] is None
