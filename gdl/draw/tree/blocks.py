"""A node with all that stands at it, as one block: how large it is, and how it is drawn around its middle.

The words of the edge that leads to it stand above, its value in its shape, notes to its right (below where
nothing else is below), and the picture of its position below the shape.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from gdl.draw.pictures import Board, Picture
from gdl.draw.text import column_labels, display_width, render_text, row_order
from gdl.draw.tree import labels
from gdl.draw.tree.canvas import NOTE, SIZE, SMALL, SMALL_LINE, Line, Scene, Shape, Words, text_width
from gdl.draw.tree.styles import PLAYERS
from gdl.draw.tree.tree import Edge, Node

WIDE, WIDEST = 100.0, 150.0  # words of an edge that are broken at a comma, or anywhere they can be
CELL = 14.0  # of a board in a node


@dataclass(slots=True)
class Block:
    """A node, or, without one, only the words of an edge, with its measures."""

    node: Node | None
    edge: Edge | None  # that leads here
    above: list[str]  # the words of the edge
    value: str = ""
    notes: list[str] = field(default_factory=list)
    shape: tuple[float, float] = (0.0, 0.0)
    picture: tuple[float, float] = (0.0, 0.0)
    below: list[Block] = field(default_factory=list)

    @property
    def inner(self) -> bool:
        """Whether anything is drawn below it."""
        return self.node is not None and (bool(self.node.edges) or self.node.left_out is not None)

    @property
    def words_width(self) -> float:
        return max((text_width(text, SMALL) for text in self.above), default=0.0)

    @property
    def words_height(self) -> float:
        """Of the words above a node; those without a node hang down."""
        return SMALL_LINE * len(self.above) + 4 if self.above and self.node is not None else 0.0

    @property
    def style(self) -> str:
        """Of the edge that leads here."""
        edge = self.edge
        assert edge is not None, "only the root has none"
        if edge.cut or self.node is None or self.node.faint:
            return "edge-cut"
        return "edge-best" if edge.best else "edge"

    @property
    def notes_width(self) -> float:
        return max((text_width(text, SMALL) for text in self.notes), default=0.0)

    @property
    def left(self) -> float:
        notes = 0.0 if self.inner else self.notes_width / 2  # below a leaf, beside any other node
        return max(self.shape[0] / 2, self.words_width / 2, self.picture[0] / 2, notes)

    @property
    def right(self) -> float:
        notes = self.shape[0] / 2 + NOTE + self.notes_width if self.inner and self.notes else 0.0
        return max(self.left, notes)


def node_block(node: Node, edge: Edge | None, named: bool, note: str = "") -> Block:
    """A node that is reached by an edge; `named`: who moves there is said elsewhere."""
    value = labels.worth(node.worth)
    notes = labels.notes(node, not named) + ([note] if note else [])
    return Block(
        node, edge, words_at(edge) if edge is not None else [], value, notes, _shape_size(node, value),
        (0.0, 0.0) if node.picture is None else _picture_size(node.picture),
    )  # fmt: skip


def rest_block(node: Node) -> Block:
    """What stands for the branches of a node that are left out."""
    assert node.left_out is not None
    said = labels.left_out(node.left_out, bool(node.edges))
    return Block(None, Edge("", cut=node.left_out.known == "all cut"), said)


def words_at(edge: Edge) -> list[str]:
    """What stands at an edge, a long name in several lines."""
    lines = labels.edge_lines(edge)
    lines = [*broken(lines[0]), *lines[1:]] if edge.label else lines
    return lines if edge.interval is None else [*lines, f"→ {labels.interval(edge.interval)}"]


def broken(label: str) -> list[str]:
    """The words of a move or an outcome in lines that are not wide, where they can be parted: between parts,
    and a part that is wider yet between its arguments.

    >>> broken("card[alice] = jack, card[bob] = queen")
    ['card[alice] = jack,', 'card[bob] = queen']
    >>> broken("a_name_that_is_longer_than_others(1, 2)")
    ['a_name_that_is_longer_than_others', '(1, 2)']
    """
    if text_width(label, SMALL) <= WIDE:
        return [label]
    parts = []
    for part in re.split(r"(?<=,) (?![^(]*\))", label):
        narrow = text_width(part, SMALL) <= WIDEST
        parts += [part] if narrow else re.split(r"(?<=\w)(?=\()|(?<=,) ", part)
    lines = parts[:1]
    for part in parts[1:]:
        joined = lines[-1] + ("" if part.startswith("(") else " ") + part
        if text_width(joined, SMALL) <= WIDE:
            lines[-1] = joined
        else:
            lines.append(part)
    return lines


def _shape_size(node: Node, value: str) -> tuple[float, float]:
    room = text_width(value, SIZE)
    match node.kind:
        case "max" | "min":
            return max(38.0, 1.9 * room + 9), 34.0  # where the value stands it is a little over half as wide
        case "chance":
            return max(28.0, room + 12), 28.0
        case "end":
            return max(22.0, room + 10), 22.0
        case _:
            return max(30.0, room + 16), 24.0


def draw_block(scene: Scene, block: Block, x: float, y: float) -> float:
    """Draws a node around its middle; gives where it ends."""
    width, height = block.shape
    node = block.node
    if node is None:
        return y  # only words, which the edge brings
    _draw_shape(scene, node, x, y, width, height)
    drop = {"max": 6.5, "min": -6.5}.get(node.kind, 0.0)
    ink = "faint" if node.faint else "text"
    if block.value:
        scene.words.append(Words(x, y + drop, block.value, ink))
    end = y + height / 2
    if node.picture is not None:
        end = _draw_picture(scene, node.picture, x - block.picture[0] / 2, end + 4)
    over = (len(block.notes) - 1) / 2
    for i, note in enumerate(block.notes):
        if block.inner:
            at = y + (i - over) * SMALL_LINE
            scene.words.append(Words(x + width / 2 + NOTE, at, note, "note", SMALL, "start"))
        else:
            end += SMALL_LINE
            scene.words.append(Words(x, end - SMALL_LINE / 2 + 2, note, "note", SMALL))
    return end


def draw_words(scene: Scene, lines: Sequence[str], x: float, top: float, style: str) -> float:
    """The words of an edge of this style, in lines that begin at `top`; gives where they end."""
    ink = "faint" if style == "edge-cut" else "move"
    for i, text in enumerate(lines):
        scene.words.append(Words(x, top + SMALL_LINE * (i + 0.5) + 2, text, ink, SMALL))
    return top + SMALL_LINE * len(lines)


def draw_cross(scene: Scene, x: float, y: float) -> None:
    """On an edge that was cut."""
    for slant in (-1, 1):
        scene.lines.append(Line(((x - 5, y - 5 * slant), (x + 5, y + 5 * slant)), "cross"))


def _draw_shape(scene: Scene, node: Node, x: float, y: float, width: float, height: float) -> None:
    w, h = width / 2, height / 2
    if node.faint:
        style = "node-faint"
    elif node.kind == "player":
        style = f"node-{PLAYERS[(node.player or 0) % len(PLAYERS)]}"
    else:
        style = f"node-{node.kind}"
    if node.cut_off:
        style += "-judged"
    points: tuple[tuple[float, float], ...]
    match node.kind:
        case "max":
            points = ((x, y - h), (x + w, y + h), (x - w, y + h))
        case "min":
            points = ((x - w, y - h), (x + w, y - h), (x, y + h))
        case "player":
            side = min(8.0, w)
            points = (
                (x - w + side, y - h), (x + w - side, y - h), (x + w, y),
                (x + w - side, y + h), (x - w + side, y + h), (x - w, y),
            )  # fmt: skip
        case "chance":
            scene.shapes.append(Shape(((x, y), (x + w, y + h)), style, True))
            return
        case _:
            points = ((x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h))
    scene.shapes.append(Shape(points, style))


def _draw_picture(scene: Scene, picture: Picture, x: float, y: float) -> float:
    board = _small_board(picture)
    if board is None:
        for line in render_text(picture).splitlines():
            scene.words.append(Words(x, y + SMALL_LINE / 2, line, "note", SMALL, "start", mono=True))
            y += SMALL_LINE
        return y + 3
    empty = _empty(board)
    for row in row_order(board):
        for col in range(board.cells.cols):
            left = x + col * CELL
            corners = ((left, y), (left + CELL, y), (left + CELL, y + CELL), (left, y + CELL))
            scene.shapes.append(Shape(corners, "cell"))
            stone = board.stones[row * board.cells.cols + col]
            for number, part in enumerate(stone.lines):
                if not part.nothing and part.glyph and part.glyph not in empty:
                    size = min(10.5 / len(stone.lines), 15.0 / max(1, display_width(part.glyph)))
                    middle = y + CELL * (number + 0.5) / len(stone.lines)
                    scene.words.append(Words(left + CELL / 2, middle, part.glyph, "text", size))
        y += CELL
    return y


# ---------------------------------------------------------------- pictures of positions


def _small_board(picture: Picture) -> Board | None:
    """The one board that a picture is, drawn cell by cell; any other picture is written."""
    boards = [part for row in picture for part in row if isinstance(part, Board)]
    if len(boards) == 1 and boards[0].cells.kind == "grid" and column_labels(boards[0].cells):
        return boards[0]
    return None


def _empty(board: Board) -> tuple[str, ...]:
    """The glyphs of empty cells: a dot is one, unless others are blank, beside which it is something."""
    blank = any(not stone.nothing and not stone.in_one_line.strip() for stone in board.stones)
    return ("", " ") if blank else (".", "·")


def _picture_size(picture: Picture) -> tuple[float, float]:
    board = _small_board(picture)
    if board is not None:
        return CELL * board.cells.cols, CELL * board.cells.rows
    lines = render_text(picture).splitlines()
    return max((text_width(line, SMALL, mono=True) for line in lines), default=0.0), SMALL_LINE * len(lines)
