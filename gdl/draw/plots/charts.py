"""Charts drawn by matplotlib: lines with bands, points with error bars, bars, levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gdl.draw.plots.inks import DASHES, HATCHES, MARKERS, lines, palette
from gdl.draw.plots.plot import Chart, Panel, Series

if TYPE_CHECKING:
    from gdl.draw.plots.drawing import Sheet


def draw_chart(sheet: Sheet, chart: Chart, dark: bool) -> None:
    count = len(chart.panels)
    columns = count if count <= 3 else 2
    rows = -(-count // columns)
    figure = sheet.body(max(5.6, 4.3 * columns), 3.3 * rows)
    for number, panel in enumerate(chart.panels, 1):
        _draw_panel(figure.add_subplot(rows, columns, number), panel, dark)


def _draw_panel(axes: Any, panel: Panel, dark: bool) -> None:
    for number, series in enumerate(panel.series):
        _draw_series(axes, series, number, dark)
    ink = palette(dark)
    axes.set_title(panel.title, fontsize=9.5)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
    if panel.log_x:
        axes.set_xscale("log")
    if panel.log_y:
        axes.set_yscale("log")
    if panel.between is not None:
        axes.set_ylim(*panel.between)
    elif not panel.log_y and any(series.look == "bars" for series in panel.series):
        axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
    axes.grid(True, axis="y", linewidth=0.5, color=ink["faint"])
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    _whole_ticks(axes, panel)
    if any(series.name for series in panel.series) and (len(panel.series) > 1 or panel.series[0].name):
        axes.legend(fontsize=7.5, framealpha=0.85)


def _draw_series(axes: Any, series: Series, number: int, dark: bool) -> None:
    color = lines(dark)[number % len(lines(dark))]
    ink = palette(dark)
    known = [k for k, y in enumerate(series.y) if y is not None]
    x = [series.x[k] for k in known]
    y = [series.y[k] for k in known]
    low = [series.low[k] for k in known] if series.low else []
    high = [series.high[k] for k in known] if series.high else []
    errors = _errors(y, low, high)
    match series.look:
        case "level":
            axes.axhline(y[0], color=ink["ink"], linewidth=1.1, linestyle=(0, (5, 3)), label=series.name)
        case "bars":
            many = len(x) > 30
            axes.bar(
                x, y, width=1.0 if many and not isinstance(x[0], str) else 0.8, color=color, alpha=0.75,
                edgecolor=ink["ink"], linewidth=0.2 if many else 0.6, hatch=HATCHES[number % len(HATCHES)],
                label=series.name or None,
            )  # fmt: skip
            if errors is not None:
                axes.errorbar(x, y, errors, fmt="none", ecolor=ink["ink"], elinewidth=1, capsize=3)
            if any(isinstance(each, str) for each in x):
                longest = max(len(str(each)) for each in x)
                axes.tick_params(axis="x", rotation=0 if longest * len(x) < 36 else 25)
                if longest * len(x) >= 36:
                    for label in axes.get_xticklabels():
                        label.set_ha("right")
        case "points":
            if errors is None:
                axes.plot(
                    x, y, linestyle="none", marker=MARKERS[number % len(MARKERS)], markersize=3.5,
                    color=color, label=series.name or None,
                )  # fmt: skip
            else:
                axes.errorbar(
                    x, y, errors, fmt=MARKERS[number % len(MARKERS)], color=color, ecolor=ink["ink"],
                    elinewidth=1, capsize=3, markersize=5, label=series.name or None,
                )  # fmt: skip
        case _:
            few = len(x) <= 40
            axes.plot(
                x, y, color=color, linewidth=1.6, linestyle=DASHES[number % len(DASHES)],
                marker=MARKERS[number % len(MARKERS)] if few else None, markersize=4,
                label=series.name or None,
            )  # fmt: skip
            if errors is not None:
                ends = [[a if a is not None else b for a, b in zip(e, y, strict=True)] for e in (low, high)]
                axes.fill_between(x, *ends, color=color, alpha=0.18, linewidth=0)


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

    numbers = [x for series in panel.series for x in series.x]
    if not panel.log_x and numbers and all(not isinstance(x, str) and x == int(x) for x in numbers):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
