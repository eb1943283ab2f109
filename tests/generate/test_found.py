"""A game that fails is cut down and kept; one that is fine, or no game at all, is not."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.diagnostics import GameError
from tests.generate import found, game_of_seed, hold

GAME = """\
game long

players: a, b

def twice(i: 0..4): 2 * i

position:
    n: 0..9 = 0
    turn: player = a

player: turn

move add(k: 1..3) when n + k <= 9:
    let more = twice(k) div 2
    if more > 1:
        n += more
    else:
        n += 1
    turn = b

terminal: n >= 7

utility: 1 if turn == a else -1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(found, "FOUND", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def no_division(text: str) -> None:
    gdl.loads(text, engine="reference")
    assert " div " not in text


def test_the_smallest_game_is_kept(folder: Path) -> None:
    with pytest.raises(AssertionError, match=r"no_division_\w+\.gdl fails"):
        hold(GAME, no_division)
    (file,) = folder.iterdir()
    text = file.read_text(encoding="utf-8")
    gdl.loads(text, engine="reference")
    assert " div " in text and "twice" not in text and "if more" not in text
    assert len(text) < len(GAME) / 2


def test_nothing_is_kept_of_what_is_fine_or_no_game(folder: Path) -> None:
    hold(GAME.replace(" div 2", ""), no_division)
    with pytest.raises(GameError):
        hold(GAME.replace("players: a, b", ""), no_division)
    assert not list(folder.iterdir())


def test_a_seed_gives_the_same_game() -> None:
    assert game_of_seed(17) == game_of_seed(17) != game_of_seed(18)
