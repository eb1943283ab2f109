"""What one player sees: `show(p):`, and `show:` without what is hidden."""

from __future__ import annotations

from random import Random

import pytest

from gdl.diagnostics import Source
from gdl.loading import load_model
from gdl.reference.engine import ReferenceGame

GAME = """\
game views
players: left, right
type Card = {jack "J", queen "Q"}
type Piece = (owner: player, kind: Card)
type Cell = grid(1, 3)
position:
    card[p: player]: Card visible to p
    board[c: Cell]: Card? visible to left
    pieces[Cell]: Piece?
    pile[p: player]: list(2) of Card visible to p
    hand[p: player]: bag(2) of Card visible to p
    n: 0..2 = 0
    turn: player = left
initial:
    card[left] = queen
    card[right] = jack
    board[a1] = jack
    pieces[b1] = (right, queen)
    push(pile[left], jack)
    hand[right] += {queen}
player: turn
move go when n < 2:
    n += 1
    turn = next(turn)
terminal: n == 2
utility: 1 if card[left] > card[right] else -1
"""


def game(shown: str) -> ReferenceGame:
    return ReferenceGame(load_model(Source("views", GAME + shown)))


def seen(shown: str, player: int | None) -> str:
    made = game(shown)
    position = made.sample_initial(Random(0)).position
    return (made.show(position) if player is None else made.show_observation(position, player)).strip()


@pytest.mark.parametrize(
    ("line", "all_of_it", "left", "right"),
    [
        ("{card[left]}", "queen", "queen", "?"),
        ("{card[left] > card[right]}", "true", "?", "?"),
        ("{1 if card[left] == queen else 2}", "1", "1", "?"),
        ("{n} {turn}", "0 left", "0 left", "0 left"),
        ("{pile[left]}", "jack", "jack", "?"),
        ("{hand[right]}, {count(hand[right])}", "{queen}, 1", "?, ?", "{queen}, 1"),
        ("{any(card[q] == queen for q in player)}", "true", "true", "?"),
        ("{max(rank(card[q]) for q in player)}", "1", "?", "?"),
    ],
)
def test_what_is_hidden_is_not_told(line: str, all_of_it: str, left: str, right: str) -> None:
    shown = f'show: "{line}"\n'
    assert [seen(shown, player) for player in (None, 0, 1)] == [all_of_it, left, right]


def test_a_view_of_ones_own() -> None:
    shown = 'show: "all"\nshow(p):\n    "{p} has {card[p]}"\n    "{next(p)} has {card[next(p)]}"\n'
    assert seen(shown, None) == "all"
    assert seen(shown, 0) == "left has queen\nright has ?"
    assert seen(shown, 1) == "right has jack\nleft has ?"


def test_boards_cell_by_cell() -> None:
    assert seen("show: board\n", 0).split()[-3:] == ["J", ".", "."]
    assert seen("show: board\n", 1).split()[-3:] == ["?", "?", "?"]


def test_a_board_is_drawn_with_what_its_def_takes_behind_the_cell() -> None:
    shown = "def mine(c: Cell, p: player): card[p] if c == b1 else board[c]\nshow(p):\n    mine(p)\n"
    assert seen(shown, 0).split()[-3:] == ["J", "Q", "."]
    assert seen(shown, 1).split()[-3:] == ["?", "J", "?"]
    assert seen(shown.replace("show(p):\n    mine(p)", "show: mine(right)"), None).split()[-3:] == [
        "J",
        "J",
        ".",
    ]


def test_records_are_drawn_by_their_parts() -> None:
    assert seen("show: pieces\n", None).split()[-3:] == [".", "rightQ", "."]
