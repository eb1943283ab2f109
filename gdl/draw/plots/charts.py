"""Charts drawn by matplotlib: lines with bands, points with error bars, bars, levels."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from gdl.draw.plots.inks import DASHES, HATCHES, MARKERS, lines, palette
from gdl.draw.plots.plot import Chart, Panel, Series

if TYPE_CHECKING:
    from gdl.draw.plots.drawing import Sheet


def draw_chart(sheet: Sheet, chart: Chart, dark: bool) -> None:
    count = len(chart.panels)
    columns = count if count <= 3 else 2
    rows = -(-count // columns)
    wide = 6.8 if any(_is_lying(panel) for panel in chart.panels) else 5.6
    figure = sheet.body(max(wide, 4.3 * columns), 3.3 * rows)
    for number, panel in enumerate(chart.panels, 1):
        _draw_panel(figure.add_subplot(rows, columns, number), panel, dark)


BESIDE = 30
"""Letters of a line of a name that is written beside its bar."""

LONG_NAMES = 30
"""Letters of names under one axis; longer ones are written beside it, and bars lie."""


def _draw_panel(axes: Any, panel: Panel, dark: bool) -> None:
    ink = palette(dark)
    lying = _is_lying(panel)
    for number, series in enumerate(panel.series):
        _draw_series(axes, series, number, dark, lying)
    axes.set_title(panel.title, fontsize=9.5)
    (axes.set_ylabel if lying else axes.set_xlabel)(panel.x)
    (axes.set_xlabel if lying else axes.set_ylabel)(panel.y)
    if panel.log_x:
        axes.set_xscale("log")
    if panel.log_y:
        axes.set_yscale("log")
    if panel.between is not None:
        (axes.set_xlim if lying else axes.set_ylim)(*panel.between)
    axes.grid(True, axis="x" if lying else "y", linewidth=0.5, color=ink["faint"])
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    _whole_ticks(axes, panel)
    if lying:
        axes.invert_yaxis()
    if any(series.name for series in panel.series):
        axes.legend(fontsize=7.5, framealpha=0.85)


def _is_lying(panel: Panel) -> bool:
    """Whether names are too long to stand side by side below bars."""
    names = {x for series in panel.series if series.look == "bars" for x in series.x if isinstance(x, str)}
    return sum(max(map(len, name.split("\n"))) + 2 for name in names) > LONG_NAMES


def _draw_series(axes: Any, series: Series, number: int, dark: bool, lying: bool) -> None:
    color = lines(dark)[number % len(lines(dark))]
    ink = palette(dark)
    known = [k for k, y in enumerate(series.y) if y is not None]
    if not known:
        return
    x = [series.x[k] for k in known]
    if lying and series.look == "bars":
        x = ["\n".join(line for part in str(name).split("\n") for line in wrap(part, BESIDE)) for name in x]
    y = [series.y[k] for k in known]
    low = [series.low[k] for k in known] if series.low else []
    high = [series.high[k] for k in known] if series.high else []
    errors = _errors(y, low, high)
    name = series.name or None
    marker = MARKERS[number % len(MARKERS)]
    match series.look:
        case "level":
            across = axes.axvline if lying else axes.axhline
            across(y[0], color=ink["ink"], linewidth=1.1, linestyle=(0, (5, 3)), label=name)
        case "bars":
            look = {"color": color, "alpha": 0.75, "edgecolor": ink["ink"], "linewidth": 0.6, "label": name}
            look["hatch"] = HATCHES[number % len(HATCHES)]
            if lying:
                axes.barh(x, y, height=0.7, **look)
            else:
                axes.bar(x, y, width=_width(x), **look)
            if errors is not None:
                at = (y, x) if lying else (x, y)
                ends = {"xerr" if lying else "yerr": errors}
                axes.errorbar(*at, **ends, fmt="none", ecolor=ink["ink"], elinewidth=1, capsize=3)
        case "points":
            axes.plot(x, y, linestyle="none", marker=marker, markersize=4.5, color=color, label=name)
        case _:
            axes.plot(
                x, y, color=color, linewidth=1.6, linestyle=DASHES[number % len(DASHES)],
                marker=marker if len(x) <= 40 else None, markersize=4, label=name,
            )  # fmt: skip
            if errors is not None:
                ends_ = [[a if a is not None else b for a, b in zip(e, y, strict=True)] for e in (low, high)]
                axes.fill_between(x, *ends_, color=color, alpha=0.18, linewidth=0)


def _width(x: list[Any]) -> float:
    """Of bars: nearly the distance between them."""
    apart = [b - a for a, b in pairwise(x) if not isinstance(a, str)]
    return 0.85 * min(apart, default=1)


def _errors(y: list[Any], low: list[Any], high: list[Any]) -> list[list[float]] | None:
    """How far each number may be wrong, downwards and upwards; None where nothing is said of that."""
    if not low or all(a is None or (a == b == c) for a, b, c in zip(low, y, high, strict=True)):
        return None
    down = [0.0 if a is None else max(0.0, b - a) for a, b in zip(low, y, strict=True)]
    up = [0.0 if c is None else max(0.0, c - b) for c, b in zip(high, y, strict=True)]
    return [down, up]


def _whole_ticks(axes: Any, panel: Panel) -> None:
    """No ticks between whole numbers where there is nothing."""
    from matplotlib.ticker import MaxNLocator

    across = [x for series in panel.series for x in series.x]
    up = [y for series in panel.series for y in (*series.y, *series.low, *series.high) if y is not None]
    axis = (axes.yaxis, axes.xaxis) if _is_lying(panel) else (axes.xaxis, axes.yaxis)
    for numbers, logarithmic, ticked in ((across, panel.log_x, axis[0]), (up, panel.log_y, axis[1])):
        whole = all(not isinstance(x, str) and isfinite(x) and x == int(x) for x in numbers)
        if numbers and whole and not logarithmic:
            ticked.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
