"""Diagrams as pictures, by matplotlib (the extra `plot`), whose fonts and files need nothing of the
system."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from textwrap import wrap
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import missing_matplotlib
from gdl.draw.plots.files import WITHOUT_MATPLOTLIB
from gdl.draw.plots.inks import palette
from gdl.draw.plots.plot import Chart, Map, Plot

DOTS = 160
"""Per inch, in a PNG."""

HANDLE, LETTER = 0.55, 0.07
"""Inches of a legend: of a patch with the room around it, and of a letter of 8 points."""


def plot_bytes(plot: Plot, kind: str, dark: bool = False) -> bytes:
    """The diagram as a file of that kind: "png", "svg" or "pdf". The same diagram gives the same bytes."""
    figure = figure_of(plot, dark)
    file = BytesIO()
    unsigned: dict[str, Any] = {
        "png": {"Software": None},
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None},
    }[kind]
    with _settings():
        figure.savefig(file, format=kind, dpi=DOTS, metadata=unsigned, facecolor=figure.get_facecolor())
    return file.getvalue()


def figure_of(plot: Plot, dark: bool = False) -> Any:
    """A `matplotlib.figure.Figure`; raises GameError where matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise GameError([missing_matplotlib("a picture", WITHOUT_MATPLOTLIB)]) from None
    from gdl.draw.plots.charts import draw_chart
    from gdl.draw.plots.maps import draw_map

    ink = palette(dark)
    with _settings(ink):
        sheet = Sheet(Figure(facecolor=ink["paper"], layout="constrained"), plot, ink)
        if isinstance(plot, Map):
            draw_map(sheet, plot, dark)
        else:
            assert isinstance(plot, Chart)
            draw_chart(sheet, plot, dark)
    return sheet.figure


class Sheet:
    """The paper of a diagram: the title and the legend above, notes below, and between them its body."""

    def __init__(self, figure: Any, plot: Plot, ink: dict[str, str]):
        self.figure, self.plot, self.ink = figure, plot, ink

    def body(self, width: float, height: float, legend: Sequence[Any] = (), columns: int = 4) -> Any:
        """Where to draw: so many inches; beside them there is room for what is written above and below."""
        title = wrap(self.plot.title, max(30, int(width * 9.5)))
        notes = [line for note in self.plot.notes for line in wrap(note, max(40, int(width * 15)))]
        for handle in legend:
            handle.set_label("\n".join(wrap(handle.get_label(), int((width - HANDLE) / LETTER))))
        lines = [handle.get_label().split("\n") for handle in legend]
        longest = max((len(line) for each in lines for line in each), default=1)
        columns = max(1, min(columns, len(legend), int(width / (HANDLE + LETTER * longest))))
        # Filled column by column, as matplotlib does; a row is as high as its longest label.
        per_column = -(-len(legend) // columns)
        rows = sum(max(map(len, lines[k::per_column])) for k in range(per_column))
        above = 0.14 + 0.19 * len(title) + (0.06 + 0.2 * rows if rows else 0)
        below = 0.08 + 0.14 * len(notes)
        self.figure.set_size_inches(width, above + height + below)
        head, body, foot = self.figure.subfigures(3, 1, height_ratios=[above, height, below])
        for part in (head, body, foot):
            part.set_facecolor("none")
        ink = self.ink
        head.text(
            0.5, 1 - 0.07 / above, "\n".join(title), ha="center", va="top", fontsize=11, color=ink["ink"],
            fontweight="bold",
        )  # fmt: skip
        if legend:
            shown = head.legend(
                handles=list(legend), loc="lower center", ncols=columns, fontsize=8, frameon=False,
                borderpad=0.1, labelspacing=0.35,
            )  # fmt: skip
            shown.set_in_layout(False)
        if notes:
            foot.text(
                0.5, 0.06 / below, "\n".join(notes), ha="center", va="bottom", fontsize=7.5, color=ink["soft"]
            )
        return body


def _settings(ink: dict[str, str] | None = None) -> Any:
    from matplotlib import rc_context

    settings: dict[str, Any] = {
        "font.family": "DejaVu Sans",
        "pdf.fonttype": 42,
        "svg.fonttype": "path",
        "svg.hashsalt": "gdl",
        "hatch.linewidth": 0.6,
        "font.size": 9,
    }
    if ink is not None:
        settings |= dict.fromkeys(
            ["text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"], ink["ink"]
        )
        settings |= {"axes.facecolor": ink["paper"], "grid.color": ink["faint"]}
        settings |= {"legend.facecolor": ink["paper"], "legend.edgecolor": ink["faint"]}
    known: Any = settings
    return rc_context(known)
