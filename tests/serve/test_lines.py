"""Plays as data: taken over by other rules, and brought from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl.loading import games, load_model
from gdl.serve.lines import adapted, begin, history, last_text, make, replay, ways
from gdl.serve.loaded import Ready, source_of


def ready(name: str, old: str = "", new: str = "", **params: str) -> Ready:
    """A game of the collection, with a part of its text changed."""
    text = games()[name].read_text(encoding="utf-8")
    assert old in text
    return Ready(load_model(source_of({"name": name, "text": text.replace(old, new, 1)}), params))


def played(game: Ready, moves: Sequence[str], seed: int = 1) -> dict[str, Any]:
    line = begin(game, seed)
    for move in moves:
        line["steps"].append(make(game, line, move, seed))
    return line


def moves_of(line: dict[str, Any]) -> list[tuple[str, str]]:
    return [(step["move"], step["chance"]) for step in line["steps"]]


def test_a_play_goes_on_where_the_board_grows() -> None:
    small, large = ready("tictactoe"), ready("tictactoe", "grid(3, 3)", "grid(4, 4)")
    for moves in (["place(a1)", "place(b2)"], ["place(a1)", "place(b1)", "place(c1)"]):
        line = adapted(small, large, played(small, moves), 1)
        assert line["kept"] == "play" and moves_of(line) == [(move, "") for move in moves]
        assert line["start"] == begin(large, 1)["start"]
    back = adapted(large, small, played(large, ["place(a1)", "place(d4)"]), 1)
    assert back["kept"] == "nothing" and back == {**begin(small, 1), "kept": "nothing"}


def test_chance_does_again_what_it_did_under_other_rules() -> None:
    six, other = ready("pig", goal="100"), ready("pig", goal="60")
    line = begin(six, 1)
    for face in ("face = 5", "face = 3"):
        (way,) = [way for way in ways(six, line, "roll") if way["label"] == face]
        line["steps"].append(make(six, line, "roll", 1, way))
    line["steps"].append(make(six, line, "roll", 1))  # drawn
    found = adapted(six, other, line, 2)
    assert found["kept"] == "play" and moves_of(found) == moves_of(line)
    assert found["start"] == begin(other, 1)["start"]
    four = ready("pig", "face ~ 1..6", "face ~ 1..4")
    assert adapted(six, four, line, 2)["kept"] == "position"  # a five cannot be thrown any more


def test_a_play_from_elsewhere_says_what_chance_did() -> None:
    pig = ready("pig")
    line = played(pig, ["roll", "roll"])
    brought = [{"move": step["move"], "position": step["position"]} for step in line["steps"]]
    again = replay(pig, line["start"], brought, 2)
    assert history(pig, again, None) == history(pig, line, None)
    assert last_text(again) == last_text(line)
