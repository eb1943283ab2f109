"""Where everything stands in a tree: every node below its parent, nobody over anybody else.

Blocks never overlap, for the layout knows how wide they are. An edge runs straight down to where everything
on its parent's level ends, across the empty band below it, and down again to its words: no edge crosses
words. Information sets have lanes of their own above that band.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from gdl.draw.tree.blocks import Block, draw_block, draw_cross, draw_words, node_block, rest_block
from gdl.draw.tree.canvas import GAP, SLOPE, STEEPEST, Line, Scene
from gdl.draw.tree.layout import Box, Placed, place
from gdl.draw.tree.tree import Edge, Node, Tree

LANE = 8.0  # between dashed lines of information sets


@dataclass(slots=True, eq=False)
class _Placing:
    """A block with its place and that of its parent; `bottom`: where it ends, once it is drawn."""

    block: Block
    placed: Placed
    parent: _Placing | None
    bottom: float = 0.0

    @property
    def x(self) -> float:
        return self.placed.x


class TreeDrawing:
    """A tree, laid out; `rows`: the names of those who move on whole levels, which stand at the left."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.rows = sole_movers(_levels(tree.root))
        self.root = self._block(tree.root, None, 0)
        self.placed = place(_box(self.root), GAP)
        self.width = _end(self.root, self.placed)
        self.where: dict[int, tuple[float, float]] = {}  # by the number of a node: x and its top

    def _block(self, node: Node, edge: Edge | None, depth: int) -> Block:
        block = node_block(node, edge, depth in self.rows)
        block.below = [self._block(e.node, e, depth + 1) for e in node.edges if e.node is not None]
        if node.left_out is not None:
            block.below.append(rest_block(node))
        return block

    def paint(self, scene: Scene, left: float, top: float) -> dict[int, float]:
        """Draws all of it, its left end and its top there; gives the middles of the levels. The scene then
        is as high as the tree."""
        self.scene, self.left = scene, left
        level: list[_Placing] = [_Placing(self.root, self.placed, None)]
        y = top
        middles: dict[int, float] = {}
        while level:
            spread = max((abs(p.x - p.parent.x) for p in level if p.parent is not None), default=0.0)
            slope = min(STEEPEST, max(SLOPE, 0.12 * spread)) if middles else 0.0
            start, words_top = y, y + slope
            words_height = max(p.block.words_height for p in level)
            middle = words_top + words_height + max(p.block.shape[1] for p in level) / 2
            middles[len(middles)] = y = middle
            for p in level:
                x = left + p.x
                p.bottom = draw_block(scene, p.block, x, middle)
                if p.block.node is not None:
                    self.where[p.block.node.ident] = x, middle - p.block.shape[1] / 2
                y = max(y, p.bottom)
                if p.parent is not None:
                    bend = ((left + p.parent.x, start), (x, words_top))
                    y = max(y, self._edge(p.block, bend, words_height, middle))
            for parent in dict.fromkeys(p.parent for p in level if p.parent is not None):
                styles = [child.style for child in parent.block.below]
                draw_trunk(scene, styles, left + parent.x, parent.bottom, start)
            y = self._lanes(level, middle, y)
            level = [
                _Placing(child, at, p)
                for p in level
                for child, at in zip(p.block.below, p.placed.below, strict=True)
            ]
        draw_far_groups(scene, self.tree, self.where)
        scene.height = y
        return middles

    def _edge(
        self, block: Block, bend: tuple[tuple[float, float], ...], words: float, middle: float
    ) -> float:
        """Draws the edge to a block by way of these points, and its words; gives where these end."""
        assert block.edge is not None, "only the root has none, and no parent either"
        x, top = bend[-1]
        own = top + words - block.words_height if block.node is not None else top  # where its words begin
        end = own if block.above else middle - block.shape[1] / 2
        self.scene.lines.append(Line(tuple(dict.fromkeys((*bend, (x, end)))), block.style))
        if block.edge.cut:
            draw_cross(self.scene, (bend[0][0] + x) / 2, (bend[0][1] + top) / 2)
        return draw_words(self.scene, block.above, x, own, block.style)

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


def sole_movers(levels: list[list[Node]]) -> dict[int, str]:
    """The names of who moves on a level, where one player alone does, also beside chance; levels from 0."""
    rows: dict[int, str] = {}
    for depth, level in enumerate(levels):
        movers = {node.mover for node in level if node.kind != "end" and node.mover}
        players = movers - {"chance"}
        if movers and len(players) <= 1:
            rows[depth] = ", ".join([*players, *(movers - players)])
    return rows


def draw_trunk(scene: Scene, styles: list[str], x: float, top: float, end: float) -> None:
    """What edges of these styles share: from the node above straight down to where its level ends."""
    style = next(style for style in ("edge-best", "edge", "edge-cut") if style in styles)
    if end > top:
        # A little further, so that thick lines meet without a notch.
        more = 1.0 if style == "edge-best" else 0.0
        scene.lines.append(Line(((x, top), (x, end + more)), style))


def draw_far_groups(
    scene: Scene, tree: Tree, where: dict[int, tuple[float, float]], level: bool = False
) -> None:
    """Nodes of one information set on different levels, or also on one `level`, joined by bent lines."""
    for group in tree.groups:
        for (x1, top1), (x2, top2) in pairwise(sorted(where[ident] for ident in group)):
            if level or top1 != top2:
                y1, y2 = top1 + 14, top2 + 14
                bend = ((x1, y1), ((x1 + x2) / 2, (y1 + y2) / 2 + 30), (x2, y2))
                scene.lines.append(Line(bend, "group", True))


def _levels(root: Node) -> list[list[Node]]:
    levels = [[root]]
    while levels[-1]:
        levels.append([edge.node for node in levels[-1] for edge in node.edges if edge.node is not None])
    return levels


def _end(block: Block, placed: Placed) -> float:
    """How far the tree reaches to the right."""
    return max(
        [placed.x + block.right]
        + [_end(child, at) for child, at in zip(block.below, placed.below, strict=True)]
    )


def _box(block: Block) -> Box:
    return Box(block.left, block.right, tuple(_box(child) for child in block.below))
