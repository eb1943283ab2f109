"""Maps drawn by matplotlib: kinds of best moves, values as shades, boards with arrows, strips, surfaces."""

from __future__ import annotations

from math import hypot, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from gdl.draw.plots.inks import FILLS, HATCHES, LINES, LINES_ON_DARK, palette
from gdl.draw.plots.kinds import Kinds, kinds_of
from gdl.draw.plots.plot import Axis, Cell, Map
from gdl.draw.plots.text import number

if TYPE_CHECKING:
    from gdl.draw.plots.drawing import Sheet

WRITTEN = 400
"""Cells of a slice up to which each has its letter or number."""

SHADES = "cividis"
"""Its lightness rises evenly: it reads the same in greyscale."""


def draw_map(sheet: Sheet, drawn: Map, dark: bool) -> None:
    if drawn.shows == "surface":
        _surface(sheet, drawn, dark)
    elif drawn.y is None:
        _line(sheet, drawn, dark)
    elif drawn.board:
        _board(sheet, drawn, dark)
    else:
        _slices(sheet, drawn, dark)


# ------------------------------------------------------------------------- two variables


def _slices(sheet: Sheet, drawn: Map, dark: bool) -> None:
    assert drawn.y is not None
    names = drawn.slices.values if drawn.slices is not None else ("",)
    columns = len(names) if len(names) <= 3 else -(-len(names) // 2)
    rows = -(-len(names) // columns)
    wide, high = _size(drawn.x, drawn.y)
    kinds = kinds_of(drawn) if drawn.shows == "policy" else None
    shaded = kinds is None or kinds.numbers is not None
    legend = [] if shaded or kinds is None else _legend(drawn, kinds)
    figure = sheet.body(max(5.2, wide * columns + 1.2), high * rows + 0.5, legend)
    values = _values(drawn, kinds) if shaded else None
    limits = _limits(values) if values is not None else None
    panels = []
    image = None
    for k, name in enumerate(names):
        axes = figure.add_subplot(rows, columns, k + 1)
        panels.append(axes)
        cells = [n for n, cell in enumerate(drawn.cells) if cell.slice == k]
        if values is not None:
            image = _shades(axes, drawn, cells, values, limits, dark)
        else:
            assert kinds is not None
            _kinds(axes, drawn, cells, kinds, dark)
        _overlay(axes, drawn, cells, dark)
        _ticks(axes, drawn.x, drawn.y, k % columns == 0, k + columns >= len(names))
        if drawn.slices is not None:
            axes.set_title(f"{drawn.slices.name} = {name}", fontsize=9)
    if image is not None:
        what = drawn.worth if kinds is None else "the smallest best number"
        figure.colorbar(image, ax=panels, label=what, shrink=0.85)


def _size(x: Axis, y: Axis) -> tuple[float, float]:
    """Inches of a panel: cells are about as wide as high, unless there are few."""
    few = len(x.values) * len(y.values) <= WRITTEN
    wide = 0.34 * len(x.values) if few else 3.6
    high = 0.25 * len(y.values) if few else 3.3
    return min(max(wide, 2.2), 7.5), min(max(high, 2.0), 6.0)


def _grid(drawn: Map, cells: list[int], numbers: Any) -> Any:
    """An array, rows upwards, of one number for each cell; nan where there is none."""
    assert drawn.y is not None
    grid = np.full((len(drawn.y.values), len(drawn.x.values)), np.nan)
    for n in cells:
        cell = drawn.cells[n]
        grid[cell.y, cell.x] = numbers[n]
    return grid


def _kinds(axes: Any, drawn: Map, cells: list[int], kinds: Kinds, dark: bool) -> None:
    from matplotlib.colors import ListedColormap

    grid = _grid(drawn, cells, [kind if kind >= 0 else np.nan for kind in kinds.of])
    fills = FILLS[: max(1, len(kinds.names))]
    axes.imshow(
        grid, origin="lower", aspect="auto", interpolation="none", cmap=ListedColormap(list(fills)),
        vmin=-0.5, vmax=len(fills) - 0.5,
    )  # fmt: skip
    written = grid.size <= WRITTEN
    for kind in range(len(kinds.names)):
        if HATCHES[kind] and not written:
            _hatch(axes, grid == kind, HATCHES[kind], "#1c1c1c66")
    if written:
        for n in cells:
            if kinds.of[n] >= 0:
                cell = drawn.cells[n]
                axes.text(
                    cell.x, cell.y, kinds.letters[kinds.of[n]], ha="center", va="center", fontsize=8,
                    color="#1c1c1c",
                )  # fmt: skip
        _lines_between(axes, grid.shape, dark)


def _hatch(axes: Any, mask: Any, hatch: str, color: str) -> None:
    """Hatches the cells of a mask as one area, its edges between the cells."""
    if not mask.any():
        return
    around = np.pad(mask.astype(float), 1)
    rows, columns = around.shape
    with _hatch_color(color):
        filled = axes.contourf(
            np.arange(columns) - 1, np.arange(rows) - 1, around, levels=[0.5, 1.5], colors="none",
            hatches=[hatch],
        )  # fmt: skip
    filled.set_edgecolor(color)
    filled.set_linewidth(0)


def _hatch_color(color: str) -> Any:
    from matplotlib import rc_context

    return rc_context({"hatch.color": color})


def _lines_between(axes: Any, shape: tuple[int, ...], dark: bool) -> None:
    for x in range(1, shape[1]):
        axes.axvline(x - 0.5, color=palette(dark)["paper"], linewidth=0.8)
    for y in range(1, shape[0]):
        axes.axhline(y - 0.5, color=palette(dark)["paper"], linewidth=0.8)


def _values(drawn: Map, kinds: Kinds | None) -> list[float]:
    if kinds is not None and kinds.numbers is not None:
        return [float(min(each)) if each else np.nan for each in kinds.numbers]
    return [np.nan if cell.value is None else cell.value for cell in drawn.cells]


def _limits(values: list[float]) -> tuple[float, float]:
    known = [value for value in values if isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _shades(axes: Any, drawn: Map, cells: list[int], values: list[float], limits: Any, dark: bool) -> Any:
    grid = _grid(drawn, cells, values)
    image = axes.imshow(
        grid, origin="lower", aspect="auto", interpolation="none", cmap=SHADES, vmin=limits[0], vmax=limits[1]
    )
    if grid.size <= WRITTEN:
        middle = sum(limits) / 2
        for (y, x), value in np.ndenumerate(grid):
            if isfinite(value):
                color = "#1c1c1c" if value > middle else "#f5f5f5"
                axes.text(x, y, _short(float(value)), ha="center", va="center", fontsize=6, color=color)
        _lines_between(axes, grid.shape, dark)
    elif np.isfinite(grid).sum() > 16:
        from matplotlib.ticker import MaxNLocator

        levels = MaxNLocator(8).tick_values(*limits)[1:-1]
        lines = axes.contour(grid, levels=levels, colors="#f5f5f5", linewidths=0.7)
        axes.clabel(lines, fontsize=6, fmt=lambda value: number(round(float(value), 6)))
    return image


def _short(value: float) -> str:
    """Two decimals without what is not needed: `-.05`, `1`."""
    if value == int(value) or abs(value) < 0.005:
        return str(int(value))
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 0.995 else f"{value:.2f}"


def _overlay(axes: Any, drawn: Map, cells: list[int], dark: bool) -> None:
    """Crosses where a policy may play what is not best."""
    for policy in range(len(drawn.policies)):
        apart = [n for n in cells if drawn.cells[n].differs(policy)]
        mask = np.nan_to_num(_grid(drawn, apart, [1.0] * len(drawn.cells))) == 1
        _hatch(axes, mask, ("xxxx", "++++", "****")[policy % 3], palette(False)["other"])
        axes.contour(
            np.arange(mask.shape[1] + 2) - 1, np.arange(mask.shape[0] + 2) - 1, np.pad(mask.astype(float), 1),
            levels=[0.5], colors=palette(False)["other"], linewidths=0.9,
        )  # fmt: skip


def _ticks(axes: Any, x: Axis, y: Axis, left: bool, bottom: bool) -> None:
    for axis, shown, values, name in (
        (axes.xaxis, bottom, x, x.name),
        (axes.yaxis, left, y, y.name),
    ):
        places = _labelled(values, 16 if axis is axes.yaxis else 11)
        axis.set_ticks(places, [str(values.values[k]) for k in places])
        if shown:
            (axes.set_xlabel if axis is axes.xaxis else axes.set_ylabel)(name)
    axes.tick_params(length=2, labelsize=7.5)


def _labelled(axis: Axis, most: int) -> list[int]:
    """The numbers of the values that have labels: round ones, where they are numbers."""
    count = len(axis.values)
    step = -(-count // most)
    if step == 1 or not axis.numeric:
        return list(range(0, count, step))
    numbers = [int(value) for value in axis.values]
    apart = -(-(numbers[-1] - numbers[0]) // most)
    power = 10 ** (len(str(apart)) - 1)
    round_step = next(n * power for n in (1, 2, 5, 10) if n * power >= apart)
    return [k for k, value in enumerate(numbers) if value % round_step == 0]


def _legend(drawn: Map, kinds: Kinds) -> list[Any]:
    from matplotlib.patches import Patch

    written = _is_written(drawn)
    shown = [
        Patch(
            facecolor=FILLS[k], edgecolor="#1c1c1c", linewidth=0.6, hatch="" if written else HATCHES[k],
            label=f"{kinds.letters[k]}: {name}" if written else name,
        )
        for k, name in enumerate(kinds.names)
    ]  # fmt: skip
    crosses = [
        Patch(
            facecolor="none", edgecolor=palette(False)["other"], hatch=("xxxx", "++++", "****")[k % 3],
            label=f"{text} may play otherwise",
        )
        for k, text in enumerate(drawn.policies)
    ]  # fmt: skip
    return [*shown, *crosses]


def _is_written(drawn: Map) -> bool:
    return drawn.y is None or len(drawn.x.values) * len(drawn.y.values) <= WRITTEN


# ---------------------------------------------------------------------------- one variable


def _line(sheet: Sheet, drawn: Map, dark: bool) -> None:
    """Values as a line; moves that differ by a number as points; others as a strip of boxes."""
    kinds = kinds_of(drawn) if drawn.shows == "policy" else None
    colors = LINES_ON_DARK if dark else LINES
    ink = palette(dark)
    if kinds is not None and kinds.numbers is None:
        _strip(sheet, drawn, kinds, dark)
        return
    axes = sheet.body(6.4, 3.5).add_subplot()
    x: list[Any] = [drawn.x.values[cell.x] for cell in drawn.cells]
    if kinds is not None:
        assert kinds.numbers is not None
        ties = [(a, b) for a, each in zip(x, kinds.numbers, strict=True) for b in each[1:]]
        first = [(a, min(each)) for a, each in zip(x, kinds.numbers, strict=True) if each]
        axes.plot(
            *zip(*ties, strict=True), linestyle="none", marker="o", markersize=3, fillstyle="none",
            color=colors[1], label="as good",
        ) if ties else None  # fmt: skip
        axes.plot(
            *zip(*first, strict=True), linestyle="none", marker="s", markersize=3.4, color=colors[0],
            label="the smallest best number",
        )  # fmt: skip
        _policy_points(axes, drawn, x, ink)
        axes.legend(fontsize=8, framealpha=0.85)
        axes.set_ylabel(drawn.cells[0].moves[0].partition("(")[0] if drawn.cells[0].moves else "move")
    else:
        between = "-" if drawn.x.numeric else "none"  # names have no values between them
        axes.plot(x, [cell.value for cell in drawn.cells], color=colors[0], linewidth=1.6, linestyle=between,
                  marker=".", markersize=3 if len(x) > 40 else 6 if drawn.x.numeric else 9)  # fmt: skip
        axes.set_ylabel(drawn.worth)
    axes.set_xlabel(drawn.x.name)
    axes.grid(True, linewidth=0.5, color=ink["faint"])
    axes.spines[["top", "right"]].set_visible(False)


def _policy_points(axes: Any, drawn: Map, x: list[Any], ink: dict[str, str]) -> None:
    """What policies of the file play, where moves are points."""
    for k, text in enumerate(drawn.policies):
        played = [
            (a, int(move.partition("(")[2].rstrip(")")))
            for a, cell in zip(x, drawn.cells, strict=True)
            for move in cell.others[k]
        ]
        if played:
            axes.plot(
                *zip(*played, strict=True), linestyle="none", marker="x", markersize=4, color=ink["other"],
                label=text,
            )  # fmt: skip


BOXES = 22
"""In a row of a strip."""


def _strip(sheet: Sheet, drawn: Map, kinds: Kinds, dark: bool) -> None:
    """A box for every value of the variable, with the letter of the best move; dark where that loses."""
    from matplotlib.patches import Rectangle

    ink = palette(dark)
    ended = {-1.0, 0.0, 1.0}
    decided = all(cell.value is not None and round(cell.value, 9) in ended for cell in drawn.cells)
    # Boxes stand as far apart as the values below them are long.
    apart = max(1.0, 0.15 * max(len(str(value)) for value in drawn.x.values))
    columns = max(1, min(int(BOXES / apart), len(drawn.cells)))
    rows = -(-len(drawn.cells) // columns)
    won = {1.0: FILLS[0], 0.0: FILLS[5], -1.0: FILLS[1]}
    legend = _strip_legend(drawn, kinds, decided, won, ink)
    axes = sheet.body(max(5.4, 0.42 * apart * columns + 0.6), 0.68 * rows + 0.3, legend, 3).add_subplot()
    for n, cell in enumerate(drawn.cells):
        x, y = apart * (n % columns), -1.6 * (n // columns)
        lost = decided and round(cell.value or 0, 9) == -1
        fill = won[round(cell.value or 0.0, 9)] if decided else FILLS[max(kinds.of[n], 0)]
        hatch = "////" if lost else "" if decided else HATCHES[max(kinds.of[n], 0)]
        axes.add_patch(
            Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=fill, edgecolor=ink["ink"], linewidth=0.8)
        )
        if hatch:
            with _hatch_color("#1c1c1c55"):
                axes.add_patch(
                    Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, hatch=hatch, edgecolor="#1c1c1c55", lw=0)
                )
        letter = kinds.letters[kinds.of[n]] if kinds.of[n] >= 0 else ""
        axes.text(x, y, letter, ha="center", va="center", fontsize=9, color="#1c1c1c", fontweight="bold")
        axes.text(
            x, y + 0.68, str(drawn.x.values[cell.x]), ha="center", va="center", fontsize=7, color=ink["soft"]
        )
        if any(cell.differs(k) for k in range(len(drawn.policies))):
            axes.plot([x + 0.3], [y - 0.3], marker="x", color=ink["other"], markersize=5)
    axes.set_xlim(-0.1 - apart / 2, apart * (columns - 0.5) + 0.1)
    axes.set_ylim(-1.6 * (rows - 1) - 0.6, 1.5)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.text(
        -apart / 2,
        1.25,
        drawn.x.name,
        ha="left",
        va="center",
        fontsize=8,
        color=ink["ink"],
        fontweight="bold",
    )


def _strip_legend(
    drawn: Map, kinds: Kinds, decided: bool, won: dict[float, str], ink: dict[str, str]
) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shown: list[Any] = []
    if decided:
        words = {1.0: "won for the player to move", 0.0: "drawn", -1.0: "lost"}
        there = {round(cell.value or 0.0, 9) for cell in drawn.cells}
        shown = [
            Patch(facecolor=won[v], edgecolor=ink["ink"], hatch="////" if v < 0 else "", label=words[v])
            for v in (1.0, 0.0, -1.0)
            if v in there
        ]
    for k, name in enumerate(kinds.names):
        fill = "none" if decided else FILLS[k]
        shown.append(
            Patch(facecolor=fill, edgecolor="none" if decided else ink["ink"],
                  hatch="" if decided else HATCHES[k],
                  label=f"{kinds.letters[k]}: {name}")
        )  # fmt: skip
    if drawn.policies:
        shown.append(
            Line2D([], [], linestyle="none", marker="x", color=ink["other"],
                   label=f"{' or '.join(drawn.policies)} may play otherwise")
        )  # fmt: skip
    return shown


# --------------------------------------------------------------------------------- boards


def _board(sheet: Sheet, drawn: Map, dark: bool) -> None:
    """The squares of a board with arrows where moves go, and what each is worth."""
    from matplotlib.patches import Rectangle, RegularPolygon

    assert drawn.y is not None
    columns, rows = len(drawn.x.values), len(drawn.y.values)
    shifts = drawn.shifts or (0.0,) * rows
    across = columns + max(shifts)
    up = 1.0 if not drawn.shifts else sqrt(3) / 2  # from a row to the next
    unit = min(1.15, 9 / max(across, rows))
    legend = _crosses(drawn) if drawn.policies else []
    axes = sheet.body(max(4.2, unit * across + 0.8), unit * up * rows + 0.5, legend).add_subplot()

    def tile(x: float, y: float, **look: Any) -> Any:
        """A cell around its middle: a hexagon where rows are shifted."""
        if drawn.shifts:
            return RegularPolygon((x, y), 6, radius=1 / sqrt(3), **look)
        return Rectangle((x - 0.5, y - 0.5), 1, 1, **look)

    values = [cell.value for cell in drawn.cells if cell.value is not None]
    low, high = _limits([float(value) for value in values])
    by_place = {(cell.x, cell.y): cell for cell in drawn.cells}
    from matplotlib import colormaps

    for x in range(columns):
        for y in range(rows):
            cell = by_place.get((x, y))
            unknown = 0.0 if cell is None or cell.stone is None else 1.0  # a cell that is taken is no bad one
            share = unknown if cell is None or cell.value is None else (cell.value - low) / (high - low)
            fill = "#8c8c8c" if cell is None else colormaps["Greys"](0.42 * (1 - share))
            place = x + shifts[y], y * up
            axes.add_patch(tile(*place, facecolor=fill, edgecolor="#1c1c1c", linewidth=1))
            if cell is None:
                with _hatch_color("#1c1c1c"):
                    axes.add_patch(tile(*place, fill=False, hatch="xx", edgecolor="#1c1c1c"))
            elif cell.stone is not None:
                _move_there(axes, cell, place, unit)
            else:
                _square(axes, drawn, cell, unit)
    axes.set_aspect("equal")
    if drawn.shifts:
        _name_rows(axes, drawn, unit, up, dark)
        return
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(-0.5, rows - 0.5)
    axes.set_xticks(range(columns), [str(value) for value in drawn.x.values])
    axes.set_yticks(range(rows), [str(value) for value in drawn.y.values])
    axes.tick_params(length=0)


def _name_rows(axes: Any, drawn: Map, unit: float, up: float, dark: bool) -> None:
    """The letters and numbers of a board of hexagons: beside the first cell of each row, which is not at the
    edge of the picture, and below the lowest row, or above the highest if that is the first."""
    assert drawn.y is not None
    ink, size = palette(dark)["ink"], max(6.0, 9.0 * unit)
    rows = [str(value) for value in drawn.y.values]
    for y, name in enumerate(rows):
        axes.text(drawn.shifts[y] - 0.65, y * up, name, ha="right", va="center", fontsize=size, color=ink)
    at, beyond = (0, -0.85) if rows[0] == "1" else (len(rows) - 1, 0.85)
    for x, value in enumerate(drawn.x.values):
        place = x + drawn.shifts[at], at * up + beyond
        axes.text(*place, str(value), ha="center", va="center", fontsize=size, color=ink)
    axes.set_xlim(-1.3, len(drawn.x.values) + max(drawn.shifts) - 0.4)
    axes.set_ylim(-0.7 - (at == 0) * 0.5, (len(rows) - 1) * up + 0.7 + (at != 0) * 0.5)
    axes.axis("off")


def _crosses(drawn: Map) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], linestyle="none", marker="x", color=palette(False)["other"],
               label=f"{' or '.join(drawn.policies)} may play otherwise")
    ]  # fmt: skip


def _on_square(value: float) -> str:
    if value == 0:
        return "0"
    return f"{int(value):+d}" if value == int(value) else f"{value:.3f}"


def _move_there(axes: Any, cell: Cell, place: tuple[float, float], unit: float) -> None:
    """What a move to this cell is worth, the best ones ringed; or what stands there."""
    from matplotlib.patches import Circle

    size = max(5.0, 11.0 * unit)
    if cell.value is None:
        axes.text(*place, cell.stone, ha="center", va="center", fontsize=size * 1.6, color="#1c1c1c")
        return
    weight = "bold" if cell.moves else "normal"
    axes.text(
        *place, _on_square(cell.value), ha="center", va="center", fontsize=size, color="#1c1c1c",
        fontweight=weight,
    )  # fmt: skip
    if cell.moves:
        axes.add_patch(Circle(place, 0.36, fill=False, edgecolor="#1c1c1c", linewidth=1.6))


def _square(axes: Any, drawn: Map, cell: Cell, unit: float) -> None:
    ended = not cell.moves
    size = max(5.0, 8.5 * unit)
    if drawn.shows == "value" or ended:
        if cell.value is not None:
            weight = "bold" if ended and drawn.shows == "policy" else "normal"
            axes.text(
                cell.x, cell.y, _on_square(cell.value), ha="center", va="center",
                fontsize=size * 1.2, color="#1c1c1c", fontweight=weight,
            )  # fmt: skip
        return
    for step, move in zip(cell.steps, cell.moves, strict=True):
        if step is None:
            axes.text(
                cell.x, cell.y + 0.1, move, ha="center", va="center", fontsize=size * 0.8, color="#1c1c1c"
            )
            continue
        long = 0.27 / hypot(*step)
        axes.annotate(
            "", xy=(cell.x + long * step[0], cell.y + 0.1 + long * step[1]),
            xytext=(cell.x - long * step[0], cell.y + 0.1 - long * step[1]),
            arrowprops={"arrowstyle": "-|>", "color": "#1c1c1c", "linewidth": 1.6,
                        "mutation_scale": 14 * unit},
        )  # fmt: skip
    if cell.value is not None:
        axes.text(
            cell.x, cell.y - 0.38, f"{cell.value:.3f}", ha="center", va="center", fontsize=size * 0.85,
            color="#3a3a3a",
        )  # fmt: skip
    if any(cell.differs(k) for k in range(len(drawn.policies))):
        axes.plot([cell.x + 0.36], [cell.y + 0.36], marker="x", markersize=7, color=palette(False)["other"])


# ------------------------------------------------------------------------------- surfaces


def _surface(sheet: Sheet, drawn: Map, dark: bool) -> None:
    assert drawn.y is not None
    ink = palette(dark)
    axes = sheet.body(6.6, 5.0).add_subplot(projection="3d")
    grid = _grid(drawn, list(range(len(drawn.cells))), _values(drawn, None))
    x, y = np.meshgrid([int(v) for v in drawn.x.values], [int(v) for v in drawn.y.values])
    axes.plot_surface(
        x, y, grid, cmap=SHADES, edgecolor="#1c1c1c", linewidth=0.25, rstride=1, cstride=1, antialiased=True
    )
    axes.set_xlabel(drawn.x.name)
    axes.set_ylabel(drawn.y.name)
    axes.set_zlabel(f"{drawn.worth} from which on {drawn.threshold} is best")
    elev, azim = _clearest_view(grid)
    axes.view_init(elev=elev, azim=azim)
    axes.set_facecolor(ink["paper"])
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color(ink["paper"])
    axes.set_box_aspect((4, 4, 3), zoom=1.02)


VIEWS = [(elev, azim) for elev in (30, 42) for azim in (40, 130, 220, 310)]
"""From above and over each corner, a little beside the diagonals, along which grids are seen as lines."""


def _clearest_view(grid: Any) -> tuple[int, int]:
    """From where most of a surface is seen: its front may hide what lies behind.

    A point is hidden where the line from it to the eye passes below the surface. The lower view is taken
    unless the higher one shows a tenth more.
    """
    rows, columns = grid.shape
    low, high = np.nanmin(grid), np.nanmax(grid)
    heights = 0.75 * (np.nan_to_num(grid, nan=low) - low) / max(high - low, 1e-9)
    y, x = np.nonzero(np.isfinite(grid))

    def seen(elev: int, azim: int) -> float:
        turn = np.deg2rad(azim)
        hidden = np.zeros(len(x), bool)
        for step in np.linspace(0.03, 1.4, 50):  # along the line, in sides of the ground
            across = np.rint(x + step * np.cos(turn) * (columns - 1)).astype(int)
            up = np.rint(y + step * np.sin(turn) * (rows - 1)).astype(int)
            inside = (across >= 0) & (across < columns) & (up >= 0) & (up < rows)
            there = heights[np.where(inside, up, 0), np.where(inside, across, 0)]
            hidden |= inside & (there > heights[y, x] + step * np.tan(np.deg2rad(elev)) + 0.01)
        return 1 - float(hidden.mean()) if len(x) else 0.0

    return max(VIEWS, key=lambda view: seen(*view) - 0.1 * (view[0] > VIEWS[0][0]))
