"""Positions and moves as people type them, and what they are told when they mistype."""

from __future__ import annotations

from random import Random

import pytest

import gdl
from gdl.diagnostics import GameError
from gdl.model import nodes as n
from gdl.model.types import BOOL, Enum, Int, Member, SetOf, Tuple, Union
from gdl.reference.engine import ReferenceGame
from gdl.reference.notation import parse_moves
from tests.reference.models import (
    SPAN,
    arithmetic,
    assign,
    compare,
    const,
    counter,
    grid,
    local,
    move,
    optional,
    parameter,
    read,
    tictactoe,
    variable,
)

SUITS = Enum("Suit", (Member("clubs", "C"), Member("hearts", "H"), Member("spades", "H")))
CELLS = grid(2, 2)
GAME = ReferenceGame(
    counter(
        move("wait", assign("x", const(3))),
        variables=(
            variable("held", optional(SUITS), 3),
            variable("hands", SetOf(SUITS), 0, BOOL),
            variable("spot", Union((CELLS, Enum("Off", (Member("off"),)), Int(-2, 9))), 4),
            variable("pair", Tuple((Int(-3, 3), Tuple((BOOL, SUITS)))), (0, (False, 0))),
            variable("board", Int(0, 9), 0, Int(1, 2), Int(1, 3)),
        ),
    )
)


@pytest.mark.parametrize(
    "text",
    [
        "x=0 held=none hands=[{} {}] spot=off pair=(0, (false, clubs)) board=[0 0 0 0 0 0]",
        "x=3 held=spades hands=[{clubs, spades} {}] spot=b2 pair=(-3, (true, hearts)) board=[1 2 3 4 5 6]",
        "x=1 held=clubs hands=[{} {clubs}] spot=-2 pair=(3, (true, hearts)) board=[9 0 0 0 0 9]",
    ],
)
def test_positions_read_back_as_printed(text: str) -> None:
    assert str(GAME.parse_position(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "board=[1 2 3 4 5 6] x=2",  # any order, the rest by default
        "x=2, board=[1, 2, 3, 4, 5, 6]",
        "  x = 2  board = [[1 2 3] [4 5 6]]",
        "x=2;board=[[1,2,3],[4,5,6]]",
    ],
)
def test_positions_are_read_generously(text: str) -> None:
    position = GAME.parse_position(text)
    assert position["x"] == 2
    assert list(position["board"].values()) == [1, 2, 3, 4, 5, 6]
    assert position["held"] is None


def test_glyphs_stand_for_their_values_where_they_mean_one() -> None:
    game = ReferenceGame(tictactoe())
    assert game.parse_position("board=[X . . . O . . . .]")["board"]["b2"] == "o"
    assert GAME.parse_position("held=C")["held"] == "clubs"
    with pytest.raises(GameError, match="P003"):
        GAME.parse_position("held=H")  # hearts or spades


@pytest.mark.parametrize(
    ("text", "code", "words", "at"),
    [
        ("bord=[1]", "P001", "no variable `bord`", "bord"),
        ("board=[1 2 3]", "P002", "`board` has 6 elements, but 3 are given", "[1 2 3]"),
        ("board=4", "P002", "`board` has an element for each of its indices", "4"),
        ("x=7", "P003", "`7` is not a value of `x: 0..3`", "7"),
        ("x=-1", "P003", "`-1` is not a value", "-1"),
        ("x=two", "P003", "`two` is not a value", "two"),
        ("held=club", "P003", "`club` is not a value", "club"),
        ("spot=c1", "P003", "`c1` is not a value", "c1"),
        ("hands=[{clubs} {queen}]", "P003", "`{queen}` is not a value", "{queen}"),
        ("pair=(1, true)", "P003", "is not a value", "(1, true)"),
        ("pair=(1, (true, clubs), 2)", "P003", "is not a value", "(1, (true, clubs), 2)"),
        ("x 3", "P004", "expected `=`, but found `3`", "3"),
        ("board[1]=x", "P004", "its elements are not given one by one", "board"),
        ("x=", "P004", "expected a value, but found the end", ""),
        ("board=[1 2", "P004", "expected a value or `]`, but found the end", ""),
        ("board=[1 2)", "P004", "expected a value or `]`, but found `)`", ")"),
        ("=3", "P004", "expected a variable, but found `=`", "="),
        ("x=1 x=2", "P005", "`x` is given twice", "x"),
        ("x=" + "9" * 10_000, "P003", "is not a value", "9" * 10_000),
        ("x=" + "[" * 10_000, "P004", "expected fewer brackets", "["),
    ],
)
def test_mistakes_in_positions(text: str, code: str, words: str, at: str) -> None:
    with pytest.raises(GameError) as caught:
        GAME.parse_position(text)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert words in diagnostic.message
    assert diagnostic.span is not None and diagnostic.span.text == at


def test_all_mistakes_of_a_position_are_told_at_once_with_suggestions() -> None:
    with pytest.raises(GameError) as caught:
        GAME.parse_position("bord=[1] x=9 held=heart")
    assert [d.code for d in caught.value.diagnostics] == ["P001", "P003", "P003"]
    assert [d.hint for d in caught.value.diagnostics] == [
        "did you mean `board`?",
        None,
        "did you mean `hearts`?",
    ]


# -------------------------------------------------------------------------------- moves


def pawns() -> ReferenceGame:
    """Moves as in breakthrough: from, a side step that is chosen, and a target that is computed."""
    cells = grid(3, 3)
    to = n.Step(cells, local(0, cells), const(1), local(1), optional(cells), SPAN)
    low = compare(local(0, cells), "<", const(3, cells))
    return ReferenceGame(
        counter(
            move(
                "step",
                parameters=(
                    parameter("from", 0, cells, low),
                    parameter("side", 1, Int(-1, 1)),
                    n.MoveParameter("to", 2, cells, None, to, ()),
                ),
            ),
            move("pass", guards=(compare(read("x"), "==", const(1)),)),
            move(
                "add",
                parameters=(
                    parameter(
                        "k", 0, Int(0, 5), compare(arithmetic(local(0), "mod", const(2)), "==", const(0))
                    ),
                ),
            ),
        )
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("step(a1, 0, a2)", "step(a1, 0, a2)"),
        ("step(a1, 1)", "step(a1, 1, b2)"),  # without the computed one
        ("step(a1, b2)", "step(a1, 1, b2)"),  # without the side
        ("step(from=b1, to=c2)", "step(b1, 1, c2)"),
        ("step(to=c2, from=b1)", "step(b1, 1, c2)"),
        ("step(b1, to=c2)", "step(b1, 1, c2)"),
        ("step(side=-1, to=a2)", "step(b1, -1, a2)"),
        ("  step( a1 , 0 )  ", "step(a1, 0, a2)"),
        ("step(a1 0)", "step(a1, 0, a2)"),
        ("add(4)", "add(4)"),
    ],
)
def test_moves_are_read_generously(text: str, expected: str) -> None:
    game = pawns()
    (start,) = game.initial()
    assert str(game.parse_move(start.position, text)) == expected  # type: ignore[arg-type]


def test_none_at_the_end_of_a_move_is_not_written() -> None:
    some = optional(Int(1, 2))
    names = (parameter(name, slot, some) for slot, name in enumerate(("first", "second", "third")))
    game = ReferenceGame(counter(move("hop", parameters=tuple(names))))
    position = game.sample_initial(Random(0)).position
    texts = [str(legal) for legal in game.moves(position)]
    assert texts[:4] == ["hop(1, 1, 1)", "hop(1, 1, 2)", "hop(1, 1)", "hop(1, 2, 1)"]
    assert texts[-3:] == ["hop(none, none, 1)", "hop(none, none, 2)", "hop(none)"]
    for legal, text in zip(game.moves(position), texts, strict=True):
        assert game.parse_move(position, text) == legal
    assert game.parse_move(position, "hop(2, none, none)") == game.parse_move(position, "hop(2)")


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("stop(a1)", "P006", "no move `stop`"),
        ("step(a1, -1)", "P007", "`step(a1, -1)` is not legal here"),
        ("step(a3, 0)", "P007", "is not legal here"),
        ("add(3)", "P007", "`add(3)` is not legal here"),
        ("pass", "P007", "`pass` is not legal here"),
        ("step(a1)", "P008", "could be any of 2 moves"),
        ("step", "P008", "could be any of 7 moves"),
        ("step(to=b2)", "P008", "could be any of 3 moves"),
        ("add(9)", "P003", "`9` fits no parameter of `add(k: 0..5)`"),
        ("step(a1, z9)", "P003", "`z9` fits no parameter"),
        ("add(j=2)", "P009", "`add(k: 0..5)` has no parameter `j`"),
        ("pass(3)", "P009", "`pass` takes no arguments"),
        ("add(4, 4)", "P007", "is not legal here"),
        ("add(4", "P004", "found the end"),
        ("add(4) add(2)", "P004", "expected the end of the move, but found `add`"),
        ("", "P004", "expected a move, but found the end"),
        ("(4)", "P004", "expected a move"),
    ],
)
def test_mistakes_in_moves(text: str, code: str, words: str) -> None:
    game = pawns()
    (start,) = game.initial()
    with pytest.raises(GameError) as caught:
        game.parse_move(start.position, text)  # type: ignore[arg-type]
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert words in diagnostic.message


def hint_of(game: ReferenceGame, position: str, text: str) -> str:
    with pytest.raises(GameError) as caught:
        game.parse_move(game.parse_position(position), text)
    return caught.value.diagnostics[0].hint or ""


def test_mistakes_name_the_legal_moves() -> None:
    assert hint_of(pawns(), "", "add(3)") == "legal here: `add(0)`, `add(2)` and `add(4)`"
    assert hint_of(pawns(), "", "step(a1)") == "say which: `step(a1, 0, a2)` and `step(a1, 1, b2)`"
    assert hint_of(pawns(), "", "stepp(a1)") == "did you mean `step`?"
    assert hint_of(pawns(), "", "pass").startswith("legal here: `step(a1, 0, a2)`")


def test_long_lists_of_moves_are_cut() -> None:
    many = ReferenceGame(
        counter(
            move("pick", parameters=(parameter("k", 0, Int(0, 99)),)),
            move("never", guards=(const(False, BOOL),)),
        )
    )
    assert hint_of(many, "", "never").endswith("`pick(19)` and 80 more")


def test_no_move_after_the_end() -> None:
    with pytest.raises(GameError) as caught:
        GAME.parse_move(GAME.parse_position("x=3"), "wait")
    assert caught.value.diagnostics[0].code == "P010"


def test_sequences_of_moves() -> None:
    assert parse_moves("place(a1) place(b2)") == ["place(a1)", "place(b2)"]
    assert parse_moves(" roll roll,hold ; step(a1, to=b2) ") == ["roll", "roll", "hold", "step(a1, to=b2)"]
    assert parse_moves("") == []
    with pytest.raises(GameError):
        parse_moves("place(a1")


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_what_a_position_does_not_say_is_as_at_the_start(engine: str) -> None:
    text = (
        "game begun\nplayers: a\nposition:\n    x: 0..5 = 0\n    y: 0..5 = 0\n    z: 0..9 = 7\n"
        "initial:\n    x = 3\n    y ~ {1, 2}\nmove stop: y = 5\nterminal: y == 5\nutility: x\n"
    )
    game = gdl.loads(text, engine=engine)
    assert str(game.parse_position("y=1")) == "x=3 y=1 z=7"
    assert str(game.parse_position("z=0 x=1 y=0")) == "x=1 y=0 z=0"
    with pytest.raises(GameError, match="the start draws `y`") as caught:
        game.parse_position("x=2")
    assert caught.value.diagnostics[0].code == "P011"
