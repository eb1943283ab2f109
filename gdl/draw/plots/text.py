"""Diagrams as text: maps as tables of letters or numbers, charts as tables of their series."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.draw.plots.kinds import Kinds, kinds_of
from gdl.draw.plots.plot import Cell, Chart, Map, Panel

WIDEST = 110
"""Columns of text in a line."""

MOST_ROWS = 60
"""Of a table in the terminal; a file has all."""


def chart_text(chart: Chart) -> str:
    lines = [chart.title, *(f"  {note}" for note in chart.notes)]
    for panel in chart.panels:
        lines += ["", *_panel(panel)]
    return "\n".join(lines)


def _panel(panel: Panel) -> Iterator[str]:
    points: dict[float | str, list[str]] = {}
    levels = [series for series in panel.series if series.look == "level"]
    columns = [series for series in panel.series if series.look != "level"]
    for column, series in enumerate(columns):
        for k, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
            low, high = (ends[k] if ends else None for ends in (series.low, series.high))
            shown = "" if y is None else number(y)
            if low is not None and high is not None and high - low > 1e-6:
                shown += f" ({number(low)} .. {number(high)})"
            points.setdefault(x, [""] * len(columns))[column] = shown
    yield panel.title
    order = points if any(isinstance(x, str) for x in points) else sorted(points, key=lambda x: float(x))
    body = [[x if isinstance(x, str) else number(x), *points[x]] for x in order]
    names = [series.name or panel.y for series in columns]
    table = [[panel.x, *names], *_few(body)]
    yield from _aligned(table)
    for series in levels:
        yield f"  {series.name}: {number(series.y[0] or 0)}"


def _few(rows: list[list[str]]) -> list[list[str]]:
    """The rows, evenly thinned where they are many."""
    if len(rows) <= MOST_ROWS:
        return rows
    step = (len(rows) - 1) / (MOST_ROWS - 1)
    return [rows[round(k * step)] for k in range(MOST_ROWS)]


def _aligned(table: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    for row in table:
        yield "  " + "  ".join(word.rjust(width) for word, width in zip(row, widths, strict=True))


def number(value: float) -> str:
    """A number as short as it can be read.

    >>> number(3.0), number(0.53059273), number(-1e-12)
    ('3', '0.5306', '-1e-12')
    """
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.4g}"


def map_text(drawn: Map) -> str:
    on_cells = any(cell.stone is not None for cell in drawn.cells)  # what moves to cells are worth
    kinds = kinds_of(drawn) if drawn.shows == "policy" and not on_cells else None
    lines = [drawn.title, *(f"  {note}" for note in drawn.notes)]
    names = drawn.slices.values if drawn.slices is not None else ("",)
    for k, name in enumerate(names):
        cells = [n for n, cell in enumerate(drawn.cells) if cell.slice == k]
        if not cells:
            continue
        lines.append("")
        if drawn.slices is not None:
            lines.append(f"{drawn.slices.name} = {name}")
        lines += _strip(drawn, cells, kinds) if drawn.y is None else _table(drawn, cells, kinds)
    if on_cells:
        lines += ["", "* best"]
    if kinds is not None and (drawn.y is not None or kinds.numbers is None):
        lines += ["", ", ".join(f"{x}: {name}" for x, name in zip(kinds.letters, kinds.names, strict=True))]
        for policy, text in enumerate(drawn.policies):
            apart = sum(cell.differs(policy) for cell in drawn.cells)
            lines.append(f"{text} may play otherwise in {apart:,} of {len(drawn.cells):,} (small letters)")
    return "\n".join(lines)


def _strip(drawn: Map, cells: Sequence[int], kinds: Kinds | None) -> Iterator[str]:
    """A row for every value of the only variable."""
    header = [drawn.x.name, drawn.worth]
    header += ["best", *drawn.policies] if kinds is not None else []
    rows = []
    for n in cells:
        cell = drawn.cells[n]
        row = [str(drawn.x.values[cell.x]), _worth(cell)]
        if kinds is not None:
            row += [" or ".join(cell.moves), *(" or ".join(moves) for moves in cell.others)]
        rows.append(row)
    yield from _aligned([header, *_few(rows)])


def _table(drawn: Map, cells: Sequence[int], kinds: Kinds | None) -> Iterator[str]:
    """The second variable downwards, large values first as in a picture; evenly thinned to fit."""
    assert drawn.y is not None
    at = {(drawn.cells[n].x, drawn.cells[n].y): n for n in cells}
    words = {place: _word(drawn, n, kinds) for place, n in at.items()}
    head = [str(value) for value in drawn.x.values]
    width = max(map(len, [*words.values(), *(head if len(head) <= 26 else [])]), default=1)
    shifts = drawn.shifts or (0.0,) * len(drawn.y.values)
    gap = 1 if len(head) <= 26 or kinds is None else 0
    left = max(map(len, map(str, drawn.y.values)))
    columns = _thinned(range(len(head)), (WIDEST - left) // (width + gap))
    rows = _thinned(range(len(drawn.y.values)), MOST_ROWS)
    width += drawn.shifts != () and (width + gap) % 2  # so that half a cell is whole letters
    yield f"{drawn.y.name} (down), {drawn.x.name} (across{_span(drawn, columns)})"
    for y in reversed(rows):
        line = (" " * gap).join(words.get((x, y), "").rjust(width) for x in columns)
        indent = " " * round(shifts[y] * (width + gap))
        yield f"{indent}{drawn.y.values[y]!s:>{left}} {' ' * gap}{line}".rstrip()
    if gap:
        indent = " " * round(shifts[0] * (width + gap))
        yield indent + " " * left + "  " + " ".join(head[x].rjust(width) for x in columns)


def _span(drawn: Map, columns: Sequence[int]) -> str:
    """Where the columns have no heads: from where to where they go."""
    values = drawn.x.values
    if len(values) <= 26:
        return ""
    return f", {values[columns[0]]} to {values[columns[-1]]}"


def _thinned(numbers: Sequence[int], most: int) -> list[int]:
    step = -(-len(numbers) // max(1, most))
    return list(numbers[::step])


def _word(drawn: Map, n: int, kinds: Kinds | None) -> str:
    cell = drawn.cells[n]
    if cell.stone is not None:
        return cell.stone if cell.value is None else _worth(cell) + ("*" if cell.moves else " ")
    if kinds is None:
        return _worth(cell)
    if kinds.numbers is not None:
        return str(min(kinds.numbers[n], default=""))
    letter = kinds.letters[kinds.of[n]] if kinds.of[n] >= 0 else "."
    return letter.lower() if any(cell.differs(k) for k in range(len(drawn.policies))) else letter


def _worth(cell: Cell) -> str:
    return "" if cell.value is None else f"{cell.value:.3g}"
