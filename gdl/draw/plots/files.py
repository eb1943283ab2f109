"""Diagrams as files; the ending of the name says in which format."""

from __future__ import annotations

import json
from pathlib import Path

from gdl.draw import targets
from gdl.draw.plots.plot import Plot

PICTURES = (".png", ".svg", ".pdf")
FORMATS = (*PICTURES, ".txt", ".csv", ".json")
WITHOUT_MATPLOTLIB = "without it there is text, and the data: --csv, --json"


def check_target(path: Path) -> None:
    """Raises GameError where no diagram can be written there, before a long computation."""
    targets.check_target(path, FORMATS, PICTURES, WITHOUT_MATPLOTLIB)


def save_plot(plot: Plot, path: Path, dark: bool = False) -> None:
    """Writes the diagram; raises GameError where that cannot be done."""
    check_target(path)
    targets.write_target(path, _content(plot, path.suffix.lower(), dark))


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
