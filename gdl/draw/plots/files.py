"""Diagrams as files; the ending of the name says in which format."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

from gdl.diagnostics import GameError
from gdl.diagnostics.commands import cannot_write
from gdl.diagnostics.drawing import missing_library, unknown_format
from gdl.draw.plots.plot import Plot

PICTURES = (".png", ".svg", ".pdf")
FORMATS = (*PICTURES, ".txt", ".csv", ".json")


def check_target(path: Path) -> None:
    """Raises GameError where the ending means nothing, the folder is missing or matplotlib is: before a long
    computation, rather than after it."""
    if path.suffix.lower() not in FORMATS:
        raise GameError([unknown_format(path.name, path.suffix, FORMATS)])
    if not path.parent.is_dir():
        raise GameError([cannot_write(str(path), "there is no such folder")])
    if path.is_dir():
        raise GameError([cannot_write(str(path), "it is a folder")])
    if path.suffix.lower() in PICTURES and find_spec("matplotlib") is None:
        raise GameError([missing_library(f"a {path.suffix.lower()} file")])


def save_plot(plot: Plot, path: Path, dark: bool = False) -> None:
    """Writes the diagram; raises GameError where that cannot be done."""
    check_target(path)
    content = _content(plot, path.suffix.lower(), dark)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise GameError([cannot_write(str(path), error.strerror or str(error))]) from None


def _content(plot: Plot, suffix: str, dark: bool) -> bytes:
    match suffix:
        case ".txt":
            return (plot.text() + "\n").encode()
        case ".csv":
            return plot.csv().encode()
        case ".json":
            return (json.dumps(plot.as_data(), indent=1, ensure_ascii=False) + "\n").encode()
        case _:
            from gdl.draw.plots.drawing import plot_bytes

            return plot_bytes(plot, suffix.removeprefix("."), dark)
