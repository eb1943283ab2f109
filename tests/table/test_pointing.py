"""Which moves the cells of a board mean, where the parameters of moves do not say it themselves."""

from __future__ import annotations

import pytest

from gdl.draw.pictures import Picture
from gdl.loading import load
from gdl.playing.play import Play
from gdl.table.pointing import Pointing, Spot


def spots(name: str, moves: str = "") -> dict[str, tuple[Spot, ...]]:
    game = load(name, engine="reference")
    play = Play(game, seed=1)
    for move in moves.split():
        play.make(move)
    return {game.format_move(move): found for move, found in Pointing(game, play.position).spots.items()}


@pytest.mark.parametrize(
    ("name", "move", "cells"),
    [
        ("chess", "go(b1, c3)", (1, 18)),  # the cells that are named, in their order
        ("connect_four", "drop(3)", (3,)),  # the only cell that changes
        ("oware", "0", (6,)),  # the pit that is empty once its seeds are sown
        (
            "ultimate_tictactoe",
            "place(b1, c2)",
            (14,),
        ),  # column 6, row 2 of the large board, not of the small one
    ],
)
def test_cells_of_a_move(name: str, move: str, cells: tuple[int, ...]) -> None:
    assert tuple(spot.cell for spot in spots(name)[move]) == cells


def test_what_is_not_shown_tells_nothing() -> None:
    """A picture that hides something is not compared with what comes after: that would give it away."""
    game = load("connect_four", engine="reference")
    play = Play(game)
    drawn: list[object] = []

    def draw(position: object) -> Picture:
        drawn.append(position)
        return game.picture(position)  # type: ignore[arg-type]

    assert set(Pointing(game, play.position, draw).spots.values()) == {()}
    assert drawn == [play.position]


def test_of_boards_of_the_same_cells_the_one_that_such_moves_change() -> None:
    """Ships are placed on one's own waters, the first board, and shots fall on the enemy's, the second, for a
    player who sees only their own ships too."""
    game = load("battleships", engine="reference")
    play = Play(game, seed=1)

    def seen(position: object) -> Picture:
        return game.observed_picture(position, play.to_move)  # type: ignore[arg-type,no-any-return]

    def pointed() -> dict[str, tuple[Spot, ...]]:
        found = Pointing(game, play.position, seen).spots
        return {game.format_move(move): spots for move, spots in found.items()}

    assert pointed()["place(a1, b1)"] == (Spot(0, 0), Spot(0, 1))
    for move in ("place(a1, b1)", "place(a2, c2)", "place(a1, b1)", "place(a2, c2)"):
        play.make(move)
    assert pointed()["fire(b1)"] == (Spot(1, 1),)
