"""What a person points at: which moves a cell of a board means.

A move means the cells among its parameters, in their order (`go(b1, c3)`: first b1, then c3). A move that
names none means the cell that looks different once it is made, or among several the only one that is empty
then (a pit whose seeds are sown); and where nothing means a cell, so does the only move of its column (a
stone is dropped wherever the column is pointed at). Where there are several boards, the one that changes is
meant, whichever one the parameters name. Who sees only a part is told nothing by that: boards of the same
cells are told apart only where all moves of a kind change the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from gdl.diagnostics.faults import Fault
from gdl.draw.pictures import Board, Picture, Stone
from gdl.game import Game
from gdl.model.types import Cells


class Spot(NamedTuple):
    """A cell of a board of the picture, both by number."""

    board: int
    cell: int


def boards(picture: Picture) -> list[Board]:
    return [part for row in picture for part in row if isinstance(part, Board)]


class Pointing:
    """The moves of a position by what they point at."""

    def __init__(self, game: Game[Any, Any], position: Any, draw: Callable[[Any], Picture] | None = None):
        """`draw` makes the picture that is pointed at, the game's own if it is not given; then it shows all
        there is, and moves are told by what they change too."""
        self.game = game
        self.position = position
        self._draw: Callable[[Any], Picture] = draw or game.picture  # type: ignore[attr-defined]
        self._all_shown = draw is None
        self.boards = boards(self._draw(position))
        self._board_of: dict[tuple[str, int], int] = {} if self._all_shown else self._boards_that_change()
        self.spots = {move: self._spots(move) for move in game.moves(position)}

    def targets(self, chosen: Sequence[Spot] = ()) -> set[Spot]:
        """The spots that may be pointed at next."""
        return {
            spots[len(chosen)]
            for spots in self.spots.values()
            if len(spots) > len(chosen) and _agrees(spots, chosen)
        }

    def meant(self, chosen: Sequence[Spot]) -> list[Any]:
        """The moves that may still be meant after pointing at spots, one after another."""
        found = [move for move, spots in self.spots.items() if _agrees(spots, chosen)]
        if found or len(chosen) != 1:
            return found
        (spot,) = chosen
        column = [
            move for move, spots in self.spots.items() if any(self._above(spot, each) for each in spots)
        ]
        return column if len(column) == 1 else []

    def settled(self, chosen: Sequence[Spot]) -> Any | None:
        """The one move that is meant, once all its spots are pointed at or no other is left."""
        found = self.meant(chosen)
        whole = [move for move in found if len(self.spots[move]) <= len(chosen)]
        if len(whole) == 1 and len(found) == 1:
            return whole[0]
        return found[0] if len(found) == 1 else None

    def _spots(self, move: Any) -> tuple[Spot, ...]:
        named = []
        for place, cells, value in _cells_named(move):
            number = self._board_of.get((move.family.name, place))
            if number is None:
                number = next((i for i, board in enumerate(self.boards) if board.cells == cells), None)
            if number is not None:
                named.append(Spot(number, value))
        if (
            len(self.boards) > 1
            and (elsewhere := self._changed(move))
            and elsewhere[0].board not in {spot.board for spot in named}
        ):
            return elsewhere
        return tuple(named) or self._changed(move)

    def _boards_that_change(self) -> dict[tuple[str, int], int]:
        """For a kind of move and a parameter that names a cell of several boards: the one on which every such
        move changes that cell, and none of the others, for who looks on."""
        found: dict[tuple[str, int], set[int]] = {}
        for move in self.game.moves(self.position):
            after: list[list[Board]] | None = None
            for place, cells, cell in _cells_named(move):
                same = [number for number, board in enumerate(self.boards) if board.cells == cells]
                if len(same) < 2:
                    continue
                if after is None:
                    after = [boards(self._draw(o.position)) for o in listed(self.game, self.position, move)]
                changed = {
                    number
                    for drawn in after
                    for number in same
                    if len(drawn) == len(self.boards)
                    and drawn[number].stones[cell] != self.boards[number].stones[cell]
                }
                found.setdefault((move.family.name, place), set()).update(changed or same)
        return {kind: next(iter(numbers)) for kind, numbers in found.items() if len(numbers) == 1}

    def _changed(self, move: Any) -> tuple[Spot, ...]:
        """Where the position looks different after the move, if that is one cell whatever chance does."""
        if not self.boards or not self._all_shown:
            return ()
        outcomes = listed(self.game, self.position, move)
        if len(outcomes) != 1:
            return ()
        after = boards(self._draw(outcomes[0].position))
        if len(after) != len(self.boards):
            return ()
        changed = [
            Spot(number, cell)
            for number, (old, new) in enumerate(zip(self.boards, after, strict=True))
            for cell, (stone, now) in enumerate(zip(old.stones, new.stones, strict=True))
            if stone != now
        ]
        if len(changed) > 1:
            changed = [spot for spot in changed if _is_empty(after[spot.board].stones[spot.cell])]
        return (changed[0],) if len(changed) == 1 else ()

    def _above(self, pointed: Spot, other: Spot) -> bool:
        cells = self.boards[pointed.board].cells
        same = pointed.board == other.board and cells.kind == "grid"
        return same and pointed.cell % cells.cols == other.cell % cells.cols


def listed(game: Game[Any, Any], position: Any, move: Any) -> Sequence[Any]:
    """What a move may lead to, each with what chance does in words where the game can tell; nothing where
    there is too much to list it."""
    try:
        found: Sequence[Any] = getattr(game, "explain_outcomes", game.outcomes)(position, move)
    except Fault as fault:
        if fault.code != "F007":
            raise
        return ()
    return found


def _cells_named(move: Any) -> Iterator[tuple[int, Cells, int]]:
    """The parameters of a move that are cells: their places, boards and numbers."""
    family = getattr(move, "family", None)
    for place, parameter in enumerate(family.parameters if family else ()):
        if isinstance(parameter.type, Cells):
            yield place, parameter.type, move.values[place]


def _is_empty(stone: Stone) -> bool:
    return all(line.nothing or line.glyph.strip() in ("", "0") for line in stone.lines)


def _agrees(spots: Sequence[Spot], chosen: Sequence[Spot]) -> bool:
    return tuple(spots[: len(chosen)]) == tuple(chosen)
