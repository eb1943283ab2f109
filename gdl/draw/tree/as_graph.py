"""Where everything stands in a graph: equal positions are drawn once, and every move leads to its own.

Levels of positions and levels of words take turns: the words of a move stand below the position where it is
made, and lines cross only the empty bands between levels. A move back to a position further up, of a play
that may go round in circles, has an arrow over its words.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count, pairwise

from gdl.draw.tree.as_tree import draw_far_groups, draw_trunk, sole_movers
from gdl.draw.tree.blocks import Block, draw_block, draw_cross, draw_words, node_block, rest_block, words_at
from gdl.draw.tree.canvas import GAP, STEEPEST, Line, Scene, Shape
from gdl.draw.tree.layering import Link, closes_cycle, ordered, placed, ranks
from gdl.draw.tree.tree import Edge, Tree

BAND = 22.0  # of height between levels, at least
UPRIGHT = {0: 1.0, 1: 3.0, 2: 8.0}  # weights of lines, by how many of their ends are no positions
BENDS = 5.0  # to both sides of a line that passes a level
STYLES = ("edge-cut", "edge", "edge-best")  # from back to front


@dataclass(slots=True)
class _Way:
    """A move or an outcome, from its position to that which it leads to; `down` has the vertices by which it
    passes, from the upper one to the lower one, and `words` is one of them."""

    edge: Edge
    source: int
    target: int | None  # nothing: branches that are left out, or a move that changes nothing
    back: bool = False
    block: Block | None = None
    words: int = 0
    down: list[int] = field(default_factory=list)

    @property
    def style(self) -> str:
        if self.edge.cut or self.target is None or (self.edge.node is not None and self.edge.node.faint):
            return "edge-cut"
        return "edge-best" if self.edge.best else "edge"


class GraphDrawing:
    """A tree some of whose edges join others, laid out; `rows`: who moves on whole levels."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.nodes = {node.ident: node for node in tree.nodes()}
        self.ways = self._ways()
        down = [(way.source, way.target) for way in self.ways if way.target is not None and not way.back]
        self.rank = ranks(tree.root.ident, down)
        levels = [[n for n in self.nodes.values() if self.rank[n.ident] == k] for k in range(self._height())]
        self.rows = sole_movers(levels)
        self.blocks = {
            node.ident: node_block(node, None, self.rank[node.ident] in self.rows) for node in tree.nodes()
        }
        self.layers: list[list[int]] = [[] for _ in range(2 * len(levels))]
        self.widths: dict[int, tuple[float, float]] = {}
        self.links: list[Link] = []
        self._vertices()
        self.layers = ordered(self.layers, self.links)
        self.x = placed(self.layers, self.links, self.widths, GAP)
        self.width = max(self.x[vertex] + self.widths[vertex][1] for vertex in self.x)

    def _height(self) -> int:
        return 1 + max(self.rank.values())

    def _ways(self) -> list[_Way]:
        """All of them in the order of the tree."""
        found = []
        for node in self.tree.nodes():
            for edge in node.edges:
                target = edge.joins if edge.node is None else edge.node.ident
                found.append(_Way(edge, node.ident, target))
                if target == node.ident:
                    found[-1].target = None
                    found[-1].block = Block(None, edge, [*words_at(edge), "changes nothing"])
                elif words := words_at(edge):
                    found[-1].block = Block(None, edge, words)
            if node.left_out is not None:
                rest = rest_block(node)
                assert rest.edge is not None
                found.append(_Way(rest.edge, node.ident, None, block=rest))
        trunk = [(w.source, w.target) for w in found if w.edge.node is not None and w.target is not None]
        joining = [way for way in found if way.edge.node is None and way.target is not None]
        more = [(way.source, way.target) for way in joining if way.target is not None]
        for way, back in zip(joining, closes_cycle(trunk, more), strict=True):
            way.back = back
        return found

    def _vertices(self) -> None:
        """A vertex for every position on the even layers, one for every word below it on the odd ones, and
        one for every layer that a line passes."""
        fresh = count(max(self.nodes) + 1)
        for ident, block in self.blocks.items():
            self.layers[2 * self.rank[ident]].append(ident)
            self.widths[ident] = block.left, block.right
        for way in self.ways:
            here = 2 * self.rank[way.source]
            there = here + 2 if way.target is None else 2 * self.rank[way.target]
            # The words stand beside the position where the move is made: below, or above if it leads up.
            spoken = here - 1 if way.back else here + 1
            upper, lower = (there, here) if way.back else (here, there)
            ends = (way.target, way.source) if way.back else (way.source, way.target)
            assert ends[0] is not None
            way.down = [ends[0]]
            for layer in range(upper + 1, lower):
                vertex = next(fresh)
                self.layers[layer].append(vertex)
                self.widths[vertex] = (BENDS, BENDS)
                way.down.append(vertex)
                if layer == spoken:
                    way.words = vertex
                    if way.block is not None:
                        self.widths[vertex] = (way.block.words_width / 2,) * 2
            if ends[1] is not None:
                way.down.append(ends[1])
            for a, b in pairwise(way.down):
                bends = sum(end not in self.nodes and end != way.words for end in (a, b))
                self.links.append(Link(a, b, UPRIGHT[bends]))

    # ------------------------------------------------------------ painting

    def paint(self, scene: Scene, left: float, top: float) -> dict[int, float]:
        """Draws all of it, its left end and its top there; gives the middles of the levels. The scene then
        is as high as the graph."""
        self.at = {vertex: left + x for vertex, x in self.x.items()}
        self.ends: dict[int, tuple[float, float]] = {}  # of positions and words: where they begin and end
        self.bounds: list[tuple[float, float]] = []  # the same of every layer
        self.layer_of = {vertex: k for k, layer in enumerate(self.layers) for vertex in layer}
        spread = [0.0] * len(self.layers)
        for link in self.links:
            k = self.layer_of[link.lower]
            spread[k] = max(spread[k], abs(self.x[link.upper] - self.x[link.lower]))
        words = {way.words: way for way in self.ways if way.block is not None}
        middles: dict[int, float] = {}
        y = top
        for k, layer in enumerate(self.layers):
            begin = y + min(STEEPEST, max(BAND, 0.12 * spread[k])) if k and layer else y
            y = begin
            blocks = [self.blocks[vertex] for vertex in layer if vertex in self.blocks]
            if blocks:
                middles[k // 2] = begin + max(block.shape[1] for block in blocks) / 2
            for vertex in layer:
                if vertex in self.blocks:
                    block, middle = self.blocks[vertex], middles[k // 2]
                    end = draw_block(scene, block, self.at[vertex], middle)
                    self.ends[vertex] = middle - block.shape[1] / 2, end
                elif vertex in words:
                    way = words[vertex]
                    assert way.block is not None
                    end = draw_words(scene, way.block.above, self.at[vertex], begin, way.style) + 2
                    self.ends[vertex] = begin, end
                else:
                    continue
                y = max(y, end)
            self.bounds.append((begin, y))
        self._draw_lines(scene)
        where = {vertex: (self.at[vertex], self.ends[vertex][0]) for vertex in self.nodes}
        draw_far_groups(scene, self.tree, where, level=True)
        scene.height = y
        return middles

    def _draw_lines(self, scene: Scene) -> None:
        """The thick ones last, over all others."""
        trunks: defaultdict[int, list[str]] = defaultdict(list)
        heads: defaultdict[int, list[str]] = defaultdict(list)
        for way in sorted(self.ways, key=lambda way: STYLES.index(way.style)):
            trunks[way.down[0]].append(way.style)
            if way.down[-1] in self.nodes:
                heads[way.down[-1]].append(way.style)
            points: list[tuple[float, float]] = []
            for a, b in pairwise(way.down):
                if a == way.words and way.block is not None:  # which the line stops for
                    _draw_line(scene, points, way.style)
                    points = [(self.at[a], self.ends[a][1])]
                points += [(self.at[a], self._bounds(a)[1]), (self.at[b], self._bounds(b)[0])]
            _draw_line(scene, points, way.style)
            if way.edge.cut:
                a, b = way.down[:2]
                middle = (self._bounds(a)[1] + self._bounds(b)[0]) / 2
                draw_cross(scene, (self.at[a] + self.at[b]) / 2, middle)
            if way.back:
                x, tip = self.at[way.words], self._bounds(way.words)[0] - 7
                scene.shapes.append(Shape(((x, tip), (x + 4, tip + 8), (x - 4, tip + 8)), "arrow"))
        for vertex, styles in trunks.items():
            draw_trunk(scene, styles, self.at[vertex], self.ends[vertex][1], self._bounds(vertex)[1])
        for vertex, styles in heads.items():
            draw_trunk(scene, styles, self.at[vertex], self._bounds(vertex)[0], self.ends[vertex][0])

    def _bounds(self, vertex: int) -> tuple[float, float]:
        return self.bounds[self.layer_of[vertex]]


def _draw_line(scene: Scene, points: list[tuple[float, float]], style: str) -> None:
    points = list(dict.fromkeys(points))
    if len(points) > 1:
        scene.lines.append(Line(tuple(points), style))
