"""`gdl play` in lines, as a person would type them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands.conftest import Gdl


def test_a_whole_play_in_lines(gdl: Gdl, tmp_path: Path) -> None:
    saved = tmp_path / "play.json"
    typed = f"?\na1\nhelp\nundo\nhint\nb2\nsave {saved}\nwhy\nquit\n"
    ran = gdl("play", "tictactoe", "-a", "o=random", "--seed", "3", stdin=typed)
    assert ran.code == 0
    assert "5  place(b2)" in ran.out and "x: place(b2)" in ran.out and "* place(" in ran.out
    assert json.loads(saved.read_text())["plays"][0]["moves"][0]["move"] == "place(b2)"


def test_the_same_seed_plays_what_run_plays(gdl: Gdl) -> None:
    who = ("pig", "-p", "goal=10", "-a", "random", "--seed", "5", "--json")
    played, run = gdl("play", "--watch", *who), gdl("run", *who)
    assert played.code == run.code == 0
    assert played.data["plays"] == [run.data["play"]]


def test_input_that_ends_leaves_the_play(gdl: Gdl) -> None:
    ran = gdl("play", "tictactoe", "-a", "o=random", stdin="a1\n")
    assert ran.code == 130 and "no more input" in ran.err


def test_people_hand_over_the_screen(gdl: Gdl) -> None:
    ran = gdl("play", "kuhn_poker", "--people", "--seed", "1", stdin="\n1\n\n1\nquit\n")
    assert ran.code == 0
    assert "hand over to alice" in ran.err and "hand over to bob" in ran.err
    assert "?" in ran.out


def test_either_everyone_is_a_person_or_nobody(gdl: Gdl) -> None:
    ran = gdl("play", "tictactoe", "--people", "--watch")
    assert ran.code == 2 and "either everyone" in ran.err
