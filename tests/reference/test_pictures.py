"""How positions are drawn, as text and as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from textwrap import dedent
from typing import Any

import pytest

from gdl.loading import load, loads
from gdl.model import nodes as n
from gdl.model.types import BOOL, Cells, Enum, Int, Member, SetOf, Union
from gdl.reference.engine import ReferenceGame
from tests.reference.models import (
    SPAN,
    const,
    counter,
    grid,
    local,
    move,
    optional,
    players,
    read,
    tictactoe,
    variable,
)

SOLO = players("solo")
PIECE = Enum("Piece", (Member("empty", "."), Member("rook", "R"), Member("tower")))
NAMED = Cells("Ring", "graph", ("north", "east", "south"), adjacent=((1,), (2,), (0,)))
MORRIS = Cells("Spot", "graph", ("a1", "d1", "a4", "d4"), adjacent=((1, 2), (0, 3), (0, 3), (1, 2)))


def showing(*variables: n.Variable, show: n.Show | None = None) -> ReferenceGame:
    return ReferenceGame(counter(move("wait"), variables=variables, show=show))


def drawn(game: ReferenceGame, text: str = "") -> str:
    return game.show(game.parse_position(text))


def lines(text: str) -> str:
    return dedent(text).strip("\n")


def test_a_board_with_coordinates_as_the_game_says() -> None:
    game = ReferenceGame(tictactoe())
    assert drawn(game, "board=[X . . . O . . . .] turn=x") == lines("""
          a b c
        1 X . .
        2 . O .
        3 . . .
        turn: x
    """)


def test_a_flipped_board_has_row_one_at_the_bottom() -> None:
    game = ReferenceGame(tictactoe(flip=True))
    assert drawn(game, "board=[X . . . O . . . .]") == lines("""
        3 . . .
        2 . O .
        1 X . .
          a b c
        turn: x
    """)


def test_wide_values_keep_their_columns() -> None:
    cells = grid(2, 2)
    assert drawn(showing(variable("board", PIECE, 0, cells)), "board=[empty rook tower empty]") == lines("""
        x: 0
        board:
          a     b
        1 .     R
        2 tower .
    """)


def test_tall_boards_line_up() -> None:
    cells = grid(10, 1)
    text = drawn(showing(variable("board", Int(0, 9), 0, cells)))
    assert text.splitlines()[2:5] == ["   a", " 1 0", " 2 0"]
    assert text.splitlines()[-1] == "10 0"


def test_hexagons_lean() -> None:
    cells = grid(3, 3, "hex")
    assert drawn(showing(variable("board", PIECE, 1, cells))) == lines("""
        x: 0
        board:
          a b c
        1 R R R
         2 R R R
          3 R R R
    """)


def test_graphs_stand_where_their_names_say() -> None:
    assert drawn(showing(variable("board", PIECE, 1, MORRIS)), "board=[R . tower .]") == lines("""
        x: 0
        board:
        4 tower             .
        3
        2
        1 R                 .
          a     b     c     d
    """)
    assert drawn(showing(variable("at", PIECE, 1, NAMED))) == lines("""
        x: 0
        at:
        north: R
        east: R
        south: R
    """)


def test_every_variable_is_shown_without_being_told() -> None:
    cells = grid(1, 2)
    game = showing(
        variable("score", Int(0, 9), 7, players("x", "o")),
        variable("left", Int(0, 4), 0, Int(1, 3)),
        variable("men", Int(0, 9), 2, players("x", "o"), Int(1, 3)),
        variable("marks", optional(SOLO), 1, players("x", "o"), cells),
        variable("seen", SetOf(cells), 0b10),
        variable("flags", BOOL, True, cells),
    )
    assert drawn(game) == lines("""
        x: 0
        score: x=7 o=7
        left: 0 0 0
        men[x]: 2 2 2
        men[o]: 2 2 2
        marks[x]:   marks[o]:
          a b         a b
        1 . .       1 . .
        seen:
          a b
        1 . #
        flags:
          a b
        1 # #
    """)


def test_lines_of_text_with_values_and_boards_side_by_side() -> None:
    cells = grid(2, 2)
    board = n.ShowBoard(cells, 0, read("board", local(0, cells), type_=PIECE), False)
    show = n.Show(
        1,
        (
            n.ShowLine(("x is ", read("x", type_=Int(0, 3)), " of 3")),
            n.ShowLine((board, board)),
            n.ShowLine((board, "  <- a board")),
        ),
    )
    assert drawn(showing(variable("board", PIECE, 1, cells), show=show)) == lines("""
        x is 0 of 3
        R R   R R
        R R   R R
        R R  <- a board
        R R
    """)


TWO_LINES = """
game g
players: a, b
{cells}
position:
    piece[Cell]: {{king "K", queen "Q"}}? = [none, king, none, queen]
    owner[Cell]: player? = [a, b, none, none]
    pile[Cell]: list(3) of 1..9 = [[1, 2], [], [], []]
    card[p: player]: 0..2 = 1 visible to p
def mine(c: Cell): card[a]
player: a
move look(c: Cell): pass
show: {show}
terminal: true
utility: 0
"""


def two_lines(show: str, cells: str = "type Cell = grid(2, 2)", engine: str = "reference") -> Any:
    return loads(TWO_LINES.format(show=show, cells=cells), engine=engine)


def shown_at_start(game: Any) -> list[str]:
    text: str = game.show(game.initial()[0].position)
    return text.split("\n")


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_squares_of_several_lines(engine: str) -> None:
    """A line is blank where nothing is; a square in which nothing is at all is drawn as elsewhere."""
    assert shown_at_start(two_lines("flip(above(owner, piece))", engine=engine)) == [
        "2 .", "    Q", "1 a b", "    K", "  a b",
    ]  # fmt: skip
    assert shown_at_start(two_lines("above(flip(piece), flip(owner))", engine=engine)) == [
        "2 . Q", "", "1   K", "  a b", "  a b",
    ]  # fmt: skip
    three = two_lines("above(owner, piece, pile)", engine=engine)
    assert shown_at_start(three) == ["  a  b", "1 a  b", "     K", "  12", "2 .", "     Q", ""]
    nested = two_lines("above(above(owner, piece), pile)", engine=engine)
    assert shown_at_start(nested) == shown_at_start(three)


def test_lines_of_squares_on_hexagons_and_graphs() -> None:
    def drawn(cells: str) -> list[str]:
        return shown_at_start(two_lines("above(piece, owner)", f"type Cell = {cells}"))

    assert drawn("hex(2, 2)") == ["  a b", "1   K", "  a b", " 2 . Q", ""]
    joined = "graph:\n    {0} - {1}\n    {1} - {2}\n    {2} - {3}"
    assert drawn(joined.format("a1", "b1", "a2", "b2")) == ["2 . Q", "", "1   K", "  a b", "  a b"]
    assert drawn(joined.format("west", "east", "north", "south")) == [
        "west:", "      a", "east: K", "      b", "north: .", "south: Q", "",
    ]  # fmt: skip


def test_lines_of_squares_in_svg_have_places_and_colours_of_their_own() -> None:
    game = two_lines("above(owner, piece)")
    texts = list(ElementTree.fromstring(game.svg(game.initial()[0].position)))[1].findall(".//*[@fill]")
    owner, piece = (
        next(part for part in texts if part.text == glyph and part.get("font-size") == "16.0")
        for glyph in "bK"
    )
    assert owner.get("x") == piece.get("x") and float(owner.get("y", 0)) < float(piece.get("y", 0))
    assert owner.get("fill") != piece.get("fill")


def test_a_line_of_a_square_that_is_not_seen() -> None:
    game = two_lines("above(mine, owner)")
    start = game.initial()[0].position
    assert game.show(start).count("1") == 4 + 1  # and the label of the first row
    assert game.show_observation(start, 1).count("?") == 4


def test_boards_have_the_labels_that_moves_name() -> None:
    """Cells, or columns, or nothing: what is labelled `c2` one would try to name so."""

    def shown(name: str) -> list[str]:
        game = load(name, engine="reference")
        return game.show(game.initial()[0].position).splitlines()

    assert shown("tictactoe")[0].split() == ["a", "b", "c"]
    assert shown("connect_four")[-1].split() == list("0123456")
    assert shown("cant_stop")[-2].split() == [str(total) for total in range(2, 13)]
    assert shown("kalah")[1].split() == ["4"] * 6


def test_wide_characters_take_two_columns() -> None:
    cells = grid(2, 2)
    emoji = Enum("E", (Member("none", "."), Member("ghost", "👻")))
    assert drawn(showing(variable("board", emoji, 0, cells)), "board=[ghost none none ghost]") == lines("""
        x: 0
        board:
          a  b
        1 👻 .
        2 .  👻
    """)


@pytest.mark.parametrize(
    "variables",
    [
        (variable("board", Union((PIECE, SOLO)), 3, grid(3, 4)),),
        (variable("board", PIECE, 1, grid(3, 3, "hex")),),
        (variable("board", PIECE, 1, MORRIS), variable("ring", PIECE, 2, NAMED)),
    ],
)
def test_svg_is_well_formed_and_has_every_stone(variables: tuple[n.Variable, ...]) -> None:
    game = showing(*variables)
    position = game.parse_position("")
    root = ElementTree.fromstring(position._repr_svg_())
    assert root.tag.endswith("svg")
    texts = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]
    for v in variables:
        glyphs = {3: "SOLO", 1: "R", 2: "tower"}
        assert texts.count(glyphs[v.default[0]]) == v.count
    assert "x: 0" in texts


def test_svg_escapes_text() -> None:
    show = n.Show(0, (n.ShowLine(("<b> & ", const(3))),))
    game = showing(show=show)
    assert "&lt;b&gt; &amp; " in game.svg(game.parse_position(""))


def test_a_game_shows_itself_in_a_notebook() -> None:
    html = ReferenceGame(tictactoe())._repr_html_()
    assert "hand_made" in html and "<svg" in html
    assert SPAN.source.name not in html


def svg_texts(game: ReferenceGame, position: str = "") -> list[str]:
    root = ElementTree.fromstring(game.svg(game.parse_position(position)))
    return ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]


def test_svg_draws_every_glyph_that_the_game_gives() -> None:
    tiles = Enum("Tile", tuple(Member(f"t{k}", glyph) for k, glyph in enumerate(".·-_#")))
    texts = svg_texts(showing(variable("board", tiles, 0, grid(1, 5))), "board=[t0 t1 t2 t3 t4]")
    assert [text for text in texts if text in set(".·-_#")] == list(".·-_#")


@pytest.mark.parametrize(("type_", "value"), [(BOOL, False), (optional(PIECE), PIECE.size)])
def test_svg_leaves_cells_free_where_the_value_is_nothing(type_: Any, value: Any) -> None:
    assert "." not in svg_texts(showing(variable("board", type_, value, grid(2, 2))))


def test_pacmans_food_is_in_the_picture() -> None:
    game = load("pacman", engine="reference")
    (start,) = game.initial()
    assert game.svg(start.position).count(">.</text>") == 3
