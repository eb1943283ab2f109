"""The picture of a tree as lines, shapes and words with coordinates: the title above, the tree, and below it
what its signs mean. Equal positions that are drawn once make it a graph, which is laid out otherwise."""

from __future__ import annotations

from math import ceil

from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import picture_too_large
from gdl.draw.tree import labels
from gdl.draw.tree.as_graph import GraphDrawing
from gdl.draw.tree.as_tree import TreeDrawing
from gdl.draw.tree.canvas import LINE, MARGIN, SIZE, SMALL, SMALL_LINE, Scene, Words, text_width
from gdl.draw.tree.tree import Tree

NARROWEST = 420.0  # room for what is said above and below
MOST_POINTS = 14_400  # on a side: readers of PDF show no more, and TeX counts hardly further


def scene_of(tree: Tree) -> Scene:
    """The tree laid out, with its title above and what its signs mean below."""
    joined = any(edge.joins is not None for node in tree.nodes() for edge in node.edges)
    drawing = GraphDrawing(tree) if joined else TreeDrawing(tree)
    scene = Scene(title=tree.title)
    names_width = max((text_width(name, SMALL) + 18 for name in drawing.rows.values()), default=0.0)
    scene.width = max(NARROWEST, MARGIN + names_width + drawing.width)
    heads = [tree.title, *_wrapped(tree.how, scene.width)]
    for i, head in enumerate(heads):
        ink = "note" if i else "text"
        words = Words(MARGIN, MARGIN + LINE * (i + 0.5), head, ink, SMALL if i else SIZE, "start", not i)
        scene.words.append(words)
        scene.width = max(scene.width, MARGIN + text_width(head, words.size) * (1.0 if i else 1.12))
    top = MARGIN + LINE * len(heads) + 10
    middles = drawing.paint(scene, MARGIN + names_width, top)
    for level, name in drawing.rows.items():
        scene.words.append(Words(MARGIN, middles[level], name, "note", SMALL, "start", True))
    _captions(scene, tree)
    scene.width += MARGIN
    scene.height += MARGIN
    return scene


def check_size(scene: Scene, kind: str, scale: float, unit: str, most: int) -> None:
    """Raises GameError where a side of the picture is longer than a file of that kind may have it."""
    width, height = ceil(scene.width * scale), ceil(scene.height * scale)
    if max(width, height) > most:
        raise GameError([picture_too_large(kind, width, height, unit, most)])


def _wrapped(text: str, width: float) -> list[str]:
    """Lines of small words that are no wider than the picture."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", SMALL) <= width - 2 * MARGIN:
            lines[-1] += f" {word}"
        else:
            lines.append(f"   {word}" if lines else word)
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
