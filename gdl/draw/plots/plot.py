"""Diagrams as public data: a `Chart` has series over numbers, a `Map` has cells over variables of a position.

Both are plain, frozen records: `rows()` is a table of all that is drawn, `as_data()` is for JSON, `save`
draws. Who wants another drawing takes the rows.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from gdl.diagnostics.html import printed

Label = int | str
"""A value of a variable: a number, or its name."""


class Plot:
    """What every diagram can do."""

    __slots__ = ()

    title: str
    notes: tuple[str, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """All that is drawn, a row for each point or cell, with the same columns in each."""
        raise NotImplementedError

    def text(self) -> str:
        """The diagram for the terminal."""
        raise NotImplementedError

    def as_data(self) -> dict[str, Any]:
        """The diagram as plain data for JSON."""
        plain: dict[str, Any] = _plain(asdict(self))  # type: ignore[call-overload]
        return plain

    def csv(self) -> str:
        """The rows, separated by commas, below their names."""
        rows = list(self.rows())
        file = io.StringIO()
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return file.getvalue()

    def save(self, path: str | Path, *, dark: bool = False) -> None:
        """Writes the diagram; the ending of the name says how: .png .svg .pdf, .txt .csv .json.

        Raises GameError where that is none of them, where matplotlib is missing (pictures), or where the file
        cannot be written.
        """
        from gdl.draw.plots.files import save_plot

        save_plot(self, Path(path), dark)

    def figure(self, dark: bool = False) -> Any:
        """The drawing as a `matplotlib.figure.Figure`, to be changed as one likes."""
        from gdl.draw.plots.drawing import figure_of

        return figure_of(self, dark)

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str | None:
        """Without matplotlib none: a notebook then shows the text."""
        from gdl.draw.plots.drawing import plot_bytes

        return plot_bytes(self, "svg").decode() if find_spec("matplotlib") else None


# ------------------------------------------------------------------------------- charts


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers over numbers, or over names. `low` and `high` are the ends of what is known of each."""

    name: str
    x: tuple[float | str, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    look: Literal["line", "points", "bars", "band", "level"] = "line"


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    title: str
    x: str  # what is measured along each axis
    y: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    between: tuple[float, float] | None = None  # the ends of the y axis, where they are known


@dataclass(frozen=True, slots=True)
class Chart(Plot):
    """Panels side by side."""

    title: str
    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()

    def rows(self) -> Iterator[dict[str, Any]]:
        for panel in self.panels:
            for series in panel.series:
                for k, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
                    yield {
                        "panel": panel.title,
                        "series": series.name,
                        "x": x,
                        "y": y,
                        "low": series.low[k] if series.low else None,
                        "high": series.high[k] if series.high else None,
                    }

    def text(self) -> str:
        from gdl.draw.plots.text import chart_text

        return chart_text(self)

    def __str__(self) -> str:
        return self.text()

    _repr_pretty_ = printed


# --------------------------------------------------------------------------------- maps


@dataclass(frozen=True, slots=True)
class Axis:
    """A variable and the values of it that are drawn, in order."""

    name: str
    values: tuple[Label, ...]

    @property
    def numeric(self) -> bool:
        return all(isinstance(value, int) for value in self.values)


@dataclass(frozen=True, slots=True)
class Cell:
    """A place of a map: numbers of values on its axes, and what is known there."""

    x: int
    y: int
    slice: int
    value: float | None  # to the player to move; at the end of a play, to the first player
    moves: tuple[str, ...] = ()  # that tie for best
    others: tuple[tuple[str, ...], ...] = ()  # of each policy that is drawn over it: what it may play
    mixed: bool = False  # positions that differ in what is not drawn have other best moves, or values
    steps: tuple[tuple[float, float] | None, ...] = ()  # on a board: where each best move goes
    stone: str | None = None  # on the board of one position: what stands there; the value is of moving there

    def differs(self, policy: int) -> bool:
        """Whether a policy may play there what is not best."""
        return bool(self.moves) and not set(self.others[policy]) <= set(self.moves)


@dataclass(frozen=True, slots=True)
class Map(Plot):
    """The best moves, or values, over one or two variables, in a slice for each value of a third."""

    title: str
    shows: Literal["policy", "value", "surface"]
    x: Axis
    y: Axis | None
    slices: Axis | None
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    worth: str = "value"  # what the numbers are
    policies: tuple[str, ...] = ()  # drawn over what is best
    board: bool = False  # x and y are columns and rows of a board
    shifts: tuple[float, ...] = ()  # of hexagons: how many cells to the right each row begins
    threshold: str = ""  # of a surface: the move that is best from there on

    def rows(self) -> Iterator[dict[str, Any]]:
        for cell in self.cells:
            row: dict[str, Any] = {self.x.name: self.x.values[cell.x]}
            if self.y is not None:
                row[self.y.name] = self.y.values[cell.y]
            if self.slices is not None:
                row[self.slices.name] = self.slices.values[cell.slice]
            row[self.worth] = cell.value
            if self.shows == "policy":
                row["best"] = " or ".join(cell.moves)
                row["depends on more"] = cell.mixed
                for name, moves in zip(self.policies, cell.others, strict=True):
                    row[name] = " or ".join(moves)
            yield row

    def text(self) -> str:
        from gdl.draw.plots.text import map_text

        return map_text(self)

    def __str__(self) -> str:
        return self.text()

    _repr_pretty_ = printed


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data
