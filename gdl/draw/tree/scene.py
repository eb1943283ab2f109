"""Where everything stands in the picture of a tree: lines, shapes and words with coordinates, y downwards.

Every node is a block: the words of its edge above it, its shape with its value, notes to its right, its
picture below the shape. Blocks never overlap, for the layout knows how wide they are. An edge runs straight
down to where everything on its parent's level ends, across the empty band below it, and down again to its
words: no edge crosses words. Information sets have lanes of their own above that band.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from gdl.draw.pictures import Board, Picture
from gdl.draw.text import column_labels, display_width, render_text, row_order
from gdl.draw.tree import labels
from gdl.draw.tree.layout import Box, Placed, place
from gdl.draw.tree.styles import PLAYERS
from gdl.draw.tree.tree import Edge, Node, Tree

SIZE, SMALL = 13.0, 10.5  # of letters
LINE, SMALL_LINE = 16.0, 13.0
GAP = 12.0  # between blocks
SLOPE, STEEPEST = 34.0, 110.0  # of height for the slanted part of edges: the more, the wider they spread
NEAR = 240.0  # equal positions that are joined by a line
LANE = 8.0  # between dashed lines of information sets
WIDE, WIDEST = 100.0, 150.0  # words of an edge that are broken at a comma, or anywhere they can be
MARGIN = 14.0
CELL = 14.0  # of a board in a node
NOTE = 5.0  # between a node and what stands beside it
NARROWEST = 420.0  # room for what is said above and below


@dataclass(frozen=True, slots=True)
class Line:
    points: tuple[tuple[float, float], ...]
    style: str
    bent: bool = False  # three points: a curve from the first to the last, drawn towards the second


@dataclass(frozen=True, slots=True)
class Shape:
    """A closed outline, or an ellipse around the first point with the second as its corner."""

    points: tuple[tuple[float, float], ...]
    style: str
    round: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    x: float
    y: float  # of the middle of the line
    text: str
    ink: str = "text"
    size: float = SIZE
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False


@dataclass(slots=True)
class Scene:
    """What is drawn, from back to front."""

    width: float = 0.0
    height: float = 0.0
    title: str = ""
    lines: list[Line] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)


_WIDTHS = {
    0.3: "ijlI .,'|!", 0.4: "ft:;/()[]-r\\", 0.56: "cszxyvk", 0.64: "abdeghnopqu0123456789*_?$",
    0.72: "ABCDEFGHJKLNPRSTUVXYZ#&", 0.86: "wOQM=+<>≤≥→~−", 1.0: "mW@…%∞√",
}  # fmt: skip
"""Letters of DejaVu Sans, the widest of the fonts that are asked for, by what they take of their size."""

_WIDTH = {letter: width for width, letters in _WIDTHS.items() for letter in letters}


def text_width(text: str, size: float = SIZE) -> float:
    """How wide words are, in the fonts that are asked for, at most."""
    return size * sum(_WIDTH.get(letter, 0.72 * display_width(letter)) for letter in text)


@dataclass(slots=True)
class _Block:
    """A node, or what stands for branches that are left out, with its measures."""

    node: Node | None
    edge: Edge | None
    above: list[str]  # the words of the edge
    value: str
    notes: list[str]
    shape: tuple[float, float]
    picture: tuple[float, float] = (0.0, 0.0)
    below: list[_Block] = field(default_factory=list)

    @property
    def words_width(self) -> float:
        return max((text_width(text, SMALL) for text in self.above), default=0.0)

    @property
    def words_height(self) -> float:
        """Of the words above a node; those of branches that are left out hang down."""
        return SMALL_LINE * len(self.above) + 4 if self.above and self.node is not None else 0.0

    @property
    def style(self) -> str:
        """Of the edge that leads here."""
        edge = self.edge
        assert edge is not None, "only the root has none"
        if edge.cut or (self.node.faint if self.node is not None else edge.joins is None):
            return "edge-cut"
        return "edge-best" if edge.best else "edge"

    @property
    def notes_width(self) -> float:
        return max((text_width(text, SMALL) for text in self.notes), default=0.0)

    @property
    def left(self) -> float:
        notes = 0.0 if self.below else self.notes_width / 2  # below a leaf, beside any other node
        return max(self.shape[0] / 2, self.words_width / 2, self.picture[0] / 2, notes)

    @property
    def right(self) -> float:
        notes = self.shape[0] / 2 + NOTE + self.notes_width if self.below and self.notes else 0.0
        return max(self.left, notes)


def scene_of(tree: Tree) -> Scene:
    """The tree laid out, with its title above and what its signs mean below."""
    rows = _rows(tree)
    joined = {edge.joins for node in tree.nodes() for edge in node.edges if edge.joins is not None}
    root = _block(tree.root, None, 0, rows, joined)
    placed = place(_box(root), GAP)
    scene = Scene(title=tree.title)
    names_width = max((text_width(name, SMALL) + 18 for name in rows.values()), default=0.0)
    scene.width = max(NARROWEST, MARGIN + names_width + _end(root, placed))
    heads = [tree.title, *_wrapped(tree.how, scene.width)]
    for i, head in enumerate(heads):
        ink = "note" if i else "text"
        words = Words(MARGIN, MARGIN + LINE * (i + 0.5), head, ink, SMALL if i else SIZE, "start", not i)
        scene.words.append(words)
        scene.width = max(scene.width, MARGIN + text_width(head, words.size) * (1.0 if i else 1.12))
    top = MARGIN + LINE * len(heads) + 10
    _Painter(scene, tree, rows, MARGIN + names_width, top).paint(root, placed)
    _captions(scene, tree)
    scene.width += MARGIN
    scene.height += MARGIN
    return scene


def _end(block: _Block, placed: Placed) -> float:
    """How far the tree reaches to the right."""
    return max(
        [placed.x + block.right]
        + [_end(child, at) for child, at in zip(block.below, placed.below, strict=True)]
    )


def _wrapped(text: str, width: float) -> list[str]:
    """Lines of small words that are no wider than the picture."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", SMALL) <= width - 2 * MARGIN:
            lines[-1] += f" {word}"
        else:
            lines.append(f"   {word}" if lines else word)
    return lines


def _broken(label: str) -> list[str]:
    """The words of a move or an outcome in lines that are not wide, where they can be parted: between parts,
    and a part that is wider yet between its arguments.

    >>> _broken("card[alice] = jack, card[bob] = queen")
    ['card[alice] = jack,', 'card[bob] = queen']
    """
    if text_width(label, SMALL) <= WIDE:
        return [label]
    parts = []
    for part in re.split(r"(?<=,) (?![^(]*\))", label):
        narrow = text_width(part, SMALL) <= WIDEST
        parts += [part] if narrow else [each for each in re.split(r"(?<=\()|(?<=,) ", part) if each]
    lines = parts[:1]
    for part in parts[1:]:
        joined = lines[-1] + ("" if lines[-1].endswith("(") else " ") + part
        if text_width(joined, SMALL) <= WIDE:
            lines[-1] = joined
        else:
            lines.append(part)
    return lines


def _captions(scene: Scene, tree: Tree) -> None:
    best = any(edge.best for node in tree.nodes() for edge in node.edges)
    said = [*tree.steps, *([""] if tree.steps else []), *tree.notes, *labels.legend(tree)]
    y = scene.height + 12
    for text in [*said, *([f"thick: {tree.thick}"] if best else [])]:
        indent = text[: len(text) - len(text.lstrip())]
        for part in _wrapped(text.lstrip(), scene.width) or [""]:
            y += SMALL_LINE
            scene.words.append(Words(MARGIN, y - SMALL_LINE / 2, indent + part, "note", SMALL, "start"))
            scene.width = max(scene.width, MARGIN + text_width(indent + part, SMALL))
    scene.height = y


def _rows(tree: Tree) -> dict[int, str]:
    """The name of whoever moves on a level, where one player alone does, or chance alone; levels from 0."""
    rows: dict[int, str] = {}
    level = [tree.root]
    depth = 0
    while level:
        movers = {node.mover for node in level if node.kind != "end" and node.mover}
        players = movers - {"chance"} or movers
        if len(players) == 1:
            (rows[depth],) = players
        level = [edge.node for node in level for edge in node.edges if edge.node is not None]
        depth += 1
    return rows


def _block(node: Node, edge: Edge | None, depth: int, rows: dict[int, str], joined: set[int]) -> _Block:
    above = _words_of(edge) if edge is not None else []
    if edge is not None and edge.interval is not None:
        above.append(f"→ {labels.interval(edge.interval)}")
    value = labels.worth(node.worth)
    notes = labels.notes(node, depth not in rows)
    if node.ident in joined:
        notes.append(f"@{node.ident}")
    block = _Block(
        node, edge, above, value, notes, _shape_size(node, value),
        (0.0, 0.0) if node.picture is None else _picture_size(node.picture),
    )  # fmt: skip
    for below in node.edges:
        if below.node is not None:
            block.below.append(_block(below.node, below, depth + 1, rows, joined))
        elif below.joins is not None:
            words = [*_words_of(below), f"= @{below.joins}"]
            block.below.append(_Block(None, below, words, "", [], (0.0, 0.0)))
    if node.left_out is not None:
        said = labels.left_out(node.left_out, bool(node.edges))
        rest = Edge("", cut=node.left_out.known == "all cut")
        block.below.append(_Block(None, rest, said, "", [], (0.0, 0.0)))
    return block


def _words_of(edge: Edge) -> list[str]:
    """What stands at an edge, a long name in several lines."""
    lines = labels.edge_lines(edge)
    return [*_broken(lines[0]), *lines[1:]] if edge.label else lines


def _shape_size(node: Node, value: str) -> tuple[float, float]:
    room = text_width(value, SIZE)
    match node.kind:
        case "max" | "min":
            return max(38.0, 1.75 * room + 8), 34.0  # where the value stands it is a little over half as wide
        case "chance":
            return max(28.0, room + 12), 28.0
        case "end":
            return max(22.0, room + 10), 22.0
        case _:
            return max(30.0, room + 16), 24.0


def _box(block: _Block) -> Box:
    return Box(block.left, block.right, tuple(_box(child) for child in block.below))


class _Painter:
    def __init__(self, scene: Scene, tree: Tree, rows: dict[int, str], left: float, top: float):
        self.scene = scene
        self.tree = tree
        self.rows = rows
        self.left = left
        self.top = top
        self.where: dict[
            int, tuple[float, float, float]
        ] = {}  # by the number of a node: x, its top, its bottom
        self.joins: list[
            tuple[int, float, float]
        ] = []  # the number of a node that is reached again, and where

    def paint(self, root: _Block, placed: Placed) -> None:
        level: list[_Placing] = [_Placing(root, placed, None)]
        y = self.top
        depth = 0
        while level:
            spread = max((abs(p.x - p.parent.x) for p in level if p.parent is not None), default=0.0)
            slope = min(STEEPEST, max(SLOPE, 0.12 * spread)) if depth else 0.0
            start, words_top = y, y + slope
            words_height = max(p.block.words_height for p in level)
            middle = words_top + words_height + max(p.block.shape[1] for p in level) / 2
            y = middle
            for p in level:
                x = self.left + p.x
                p.bottom = self._block(p.block, x, middle)
                y = max(y, p.bottom)
                if p.parent is not None:
                    bend = ((self.left + p.parent.x, start), (x, words_top))
                    y = max(y, self._edge(p.block, bend, words_height, middle))
            for parent in dict.fromkeys(p.parent for p in level if p.parent is not None):
                self._trunk(parent, self.left + parent.x, start)
            if depth in self.rows:
                name = Words(MARGIN, middle, self.rows[depth], "note", SMALL, "start", True)
                self.scene.words.append(name)
            y = self._lanes(level, middle, y)
            level = [
                _Placing(child, at, p)
                for p in level
                for child, at in zip(p.block.below, p.placed.below, strict=True)
            ]
            depth += 1
        self._join()
        self._far_groups()
        self.scene.height = y

    # ------------------------------------------------------------ one node

    def _block(self, block: _Block, x: float, y: float) -> float:
        """Draws a node around its middle; gives where it ends."""
        width, height = block.shape
        node = block.node
        if node is None:
            return y  # only words, which the edge brings
        self._shape(node, x, y, width, height)
        drop = {"max": 6.5, "min": -6.5}.get(node.kind, 0.0)
        ink = "faint" if node.faint else "text"
        if block.value:
            self.scene.words.append(Words(x, y + drop, block.value, ink))
        end = y + height / 2
        if node.picture is not None:
            end = self._picture(node.picture, x - block.picture[0] / 2, end + 4)
        over = (len(block.notes) - 1) / 2
        for i, note in enumerate(block.notes):
            if block.below:
                at = y + (i - over) * SMALL_LINE
                self.scene.words.append(Words(x + width / 2 + NOTE, at, note, "note", SMALL, "start"))
            else:
                end += SMALL_LINE
                self.scene.words.append(Words(x, end - SMALL_LINE / 2 + 2, note, "note", SMALL))
        self.where[node.ident] = (x, y - height / 2, end)
        return end

    def _shape(self, node: Node, x: float, y: float, width: float, height: float) -> None:
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
                self.scene.shapes.append(Shape(((x, y), (x + w, y + h)), style, True))
                return
            case _:
                points = ((x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h))
        self.scene.shapes.append(Shape(points, style))

    def _picture(self, picture: Picture, x: float, y: float) -> float:
        board = _small_board(picture)
        if board is None:
            for line in render_text(picture).splitlines():
                self.scene.words.append(Words(x, y + SMALL_LINE / 2, line, "note", SMALL, "start"))
                y += SMALL_LINE
            return y + 3
        for row in row_order(board):
            for col in range(board.cells.cols):
                left = x + col * CELL
                corners = ((left, y), (left + CELL, y), (left + CELL, y + CELL), (left, y + CELL))
                self.scene.shapes.append(Shape(corners, "cell"))
                stone = board.stones[row * board.cells.cols + col]
                if not stone.nothing and stone.glyph.strip() and stone.glyph not in ".·":
                    size = min(10.5, 15.0 / max(1, display_width(stone.glyph)))
                    self.scene.words.append(Words(left + CELL / 2, y + CELL / 2, stone.glyph, "text", size))
            y += CELL
        return y

    # ------------------------------------------------------------ lines

    def _edge(
        self, block: _Block, bend: tuple[tuple[float, float], ...], words: float, middle: float
    ) -> float:
        """Draws the edge to a block by way of these points, and its words; gives where these end."""
        edge, style = block.edge, block.style
        assert edge is not None, "only the root has none, and no parent either"
        x, top = bend[-1]
        own = top + words - block.words_height if block.node is not None else top  # where its words begin
        end = own if block.above else middle - block.shape[1] / 2
        self.scene.lines.append(Line(tuple(dict.fromkeys((*bend, (x, end)))), style))
        ink = "faint" if style == "edge-cut" else "move"
        for i, text in enumerate(block.above):
            self.scene.words.append(Words(x, own + SMALL_LINE * (i + 0.5) + 2, text, ink, SMALL))
        if edge.cut:
            a, b = (bend[0][0] + x) / 2, (bend[0][1] + top) / 2
            for slant in (-1, 1):
                self.scene.lines.append(Line(((a - 5, b - 5 * slant), (a + 5, b + 5 * slant)), "cross"))
        end = own + SMALL_LINE * len(block.above)
        if edge.joins is not None:
            self.joins.append((edge.joins, x, end))
        return end

    def _trunk(self, parent: _Placing, x: float, end: float) -> None:
        """What the edges of a node share: down to where everything on its level ends."""
        styles = {child.style for child in parent.block.below}
        style = next(style for style in ("edge-best", "edge", "edge-cut") if style in styles)
        if end > parent.bottom:
            # A little further, so that thick lines meet without a notch.
            more = 1.0 if style == "edge-best" else 0.0
            self.scene.lines.append(Line(((x, parent.bottom), (x, end + more)), style))

    def _join(self) -> None:
        """Faint lines from where an equal position is reached to where it is drawn, if that is near by; else
        its number has to do."""
        for ident, x, y in self.joins:
            to, top, _ = self.where[ident]
            if abs(to - x) < NEAR and 0 <= y - top < 2 * SLOPE:
                line = Line(((x, y), ((x + to) / 2, max(y, top) + 14), (to, top + 12)), "join", True)
                self.scene.lines.insert(0, line)

    def _lanes(self, level: list[_Placing], middle: float, bottom: float) -> float:
        """Information sets on one level: neighbours joined by a dashed line, others by one that runs below
        the level, in a lane of its own where sets overlap. Gives where the lanes end."""
        here = [p.block.node.ident if p.block.node is not None else None for p in level]
        x = [self.left + p.x for p in level]
        ends: list[float] = []  # of each lane: how far it is taken
        sets = [[k for k, ident in enumerate(here) if ident in group] for group in self.tree.groups]
        for places in sorted(sets):
            far = [(a, b) for a, b in pairwise(places) if b > a + 1]
            for a, b in pairwise(places):
                if b == a + 1:
                    self.scene.lines.append(Line(((x[a], middle), (x[b], middle)), "group"))
            if not far:
                continue
            lane = next((k for k, end in enumerate(ends) if end < x[far[0][0]]), len(ends))
            ends[lane : lane + 1] = [x[far[-1][1]] + 2 * GAP]
            y = bottom + LANE * (lane + 1)
            for a, b in far:
                for end, side in ((x[a], 1), (x[b], -1)):
                    curve = ((end, middle), (end + side * 26, y), (end + side * 44, y))
                    self.scene.lines.append(Line(curve, "group", True))
                self.scene.lines.append(Line(((x[a] + 44, y), (x[b] - 44, y)), "group"))
        return bottom + LANE * (len(ends) + 1) if ends else bottom

    def _far_groups(self) -> None:
        """Nodes of one information set on different levels, joined by bent lines."""
        for group in self.tree.groups:
            places = sorted(self.where[ident] for ident in group if ident in self.where)
            for (x1, top1, _), (x2, top2, _) in pairwise(places):
                if top1 != top2:
                    y1, y2 = top1 + 14, top2 + 14
                    bend = ((x1, y1), ((x1 + x2) / 2, (y1 + y2) / 2 + 30), (x2, y2))
                    self.scene.lines.append(Line(bend, "group", True))


@dataclass(slots=True, eq=False)
class _Placing:
    """A block with its place and that of its parent; `bottom`: where it ends, once it is drawn."""

    block: _Block
    placed: Placed
    parent: _Placing | None
    bottom: float = 0.0

    @property
    def x(self) -> float:
        return self.placed.x


# ---------------------------------------------------------------- pictures of positions


def _small_board(picture: Picture) -> Board | None:
    """The one board that a picture is, drawn cell by cell; any other picture is written."""
    boards = [part for row in picture for part in row if isinstance(part, Board)]
    if len(boards) == 1 and boards[0].cells.kind == "grid" and column_labels(boards[0].cells):
        return boards[0]
    return None


def _picture_size(picture: Picture) -> tuple[float, float]:
    board = _small_board(picture)
    if board is not None:
        return CELL * board.cells.cols, CELL * board.cells.rows
    lines = render_text(picture).splitlines()
    return max((text_width(line, SMALL) for line in lines), default=0.0), SMALL_LINE * len(lines)
