"""Trees as files; the ending of the name says in which format."""

from __future__ import annotations

import json
from pathlib import Path

from gdl.draw import targets
from gdl.draw.tree.tree import Tree

FORMATS = (".txt", ".svg", ".png", ".pdf", ".tex", ".dot", ".json")
BY_MATPLOTLIB = (".png", ".pdf")
WITHOUT_MATPLOTLIB = "an .svg file needs neither"


def check_target(path: Path) -> None:
    """Raises GameError where no tree can be written there, before a long search."""
    targets.check_target(path, FORMATS, BY_MATPLOTLIB, WITHOUT_MATPLOTLIB)


def save_tree(tree: Tree, path: Path, dark: bool = False) -> None:
    """Writes the tree; raises GameError where that cannot be done."""
    check_target(path)
    targets.write_target(path, tree_bytes(tree, path.suffix.lower(), dark))


def tree_bytes(tree: Tree, suffix: str, dark: bool) -> bytes:
    match suffix:
        case ".txt":
            return (tree.text() + "\n").encode()
        case ".svg":
            return tree.svg().encode()
        case ".tex":
            return tree.tikz().encode()
        case ".dot":
            return tree.dot().encode()
        case ".json":
            return (json.dumps(tree.as_data(), indent=1, ensure_ascii=False) + "\n").encode()
        case _:
            from gdl.draw.tree.plotted import tree_plotted

            return tree_plotted(tree, suffix.removeprefix("."), dark)
