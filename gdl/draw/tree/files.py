"""Trees as files; the ending of the name says in which format."""

from __future__ import annotations

import json
from pathlib import Path

from gdl.diagnostics import GameError
from gdl.diagnostics.commands import cannot_write
from gdl.diagnostics.drawing import unknown_format
from gdl.draw.tree.tree import Tree

FORMATS = (".txt", ".svg", ".png", ".pdf", ".tex", ".dot", ".json")


def check_target(path: Path) -> None:
    """Raises GameError where the ending means nothing or the folder is missing: before a long search, rather
    than after it."""
    if path.suffix.lower() not in FORMATS:
        raise GameError([unknown_format(path.name, path.suffix, FORMATS)])
    if not path.parent.is_dir():
        raise GameError([cannot_write(str(path), "there is no such folder")])


def save_tree(tree: Tree, path: Path, dark: bool = False) -> None:
    """Writes the tree; raises GameError where that cannot be done."""
    check_target(path)
    content = tree_bytes(tree, path.suffix.lower(), dark)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise GameError([cannot_write(str(path), error.strerror or str(error))]) from None


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
