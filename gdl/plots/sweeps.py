"""Sweeps as diagrams: a line over one parameter, a map over two, slices over three."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import nothing_to_plot
from gdl.draw.plots.plot import Axis, Cell, Chart, Label, Map, Panel, Plot, Series
from gdl.sweeps.table import Sweep

FEW = 3
"""Different values that are drawn as points, not as a line."""


def sweep_plot(swept: Sweep, *, score: bool = False) -> Plot:
    """The value, or the score, over the parameters. Raises GameError for more than three of them."""
    column = "score" if score else "value"
    worth = "share of wins, draws counted half" if score else "value"
    known = [row for row in swept.rows if row.get(column) is not None]
    if not known:
        reason = next((row["problem"] for row in swept.rows if row.get("problem")), "")
        hint = reason or "utilities are not between -1 and 1: leave --score out"
        raise GameError([nothing_to_plot(f"no point of the sweep has a {column}", hint)])
    varied = [name for name in swept.parameters if len({row[name] for row in swept.rows}) > 1]
    varied = varied or list(swept.parameters[:1])
    title = f"{swept.game}: {worth} by {', '.join(varied)}"
    kinds = sorted({str(row["kind"]) for row in known})
    notes = [f"{', '.join(kinds)}; by {', '.join(sorted({str(row['solver']) for row in known}))}"]
    empty = len(swept.rows) - len(known)
    notes += [f"{empty} of {len(swept.rows)} points without an answer"] if empty else []
    fixed = [f"{name}={swept.rows[0][name]}" for name in swept.parameters if name not in varied]
    notes += [f"at {', '.join(fixed)}"] if fixed else []
    if len(varied) == 1:
        return Chart(title, (_line(swept, known, varied[0], column, worth, score),), tuple(notes))
    if len(varied) > 3:
        raise GameError(
            [nothing_to_plot("more than three parameters cannot be drawn", "fix some of them with `-p`")]
        )
    axes = [_axis(swept, name) for name in varied]
    places = [{str(value): k for k, value in enumerate(axis.values)} for axis in axes]
    cells = []
    for row in known:
        at = [where[row[name]] for name, where in zip(varied, places, strict=True)]
        cells.append(Cell(at[0], at[1], at[2] if len(at) == 3 else 0, float(row[column])))
    slices = axes[2] if len(axes) == 3 else None
    return Map(title, "value", axes[0], axes[1], slices, tuple(cells), tuple(notes), worth=worth)


def _line(
    swept: Sweep, known: list[dict[str, Any]], name: str, column: str, worth: str, score: bool
) -> Panel:
    numbers = all(_is_number(row[name]) for row in known)
    x = tuple(float(Fraction(row[name])) if numbers else str(row[name]) for row in known)
    y = tuple(float(row[column]) for row in known)
    low, high = (
        tuple(_scored(row[end], score) if row.get(end) is not None else None for row in known)
        for end in ("low", "high")
    )
    jumps = len(set(y)) <= FEW < len(y) // 2  # won or lost: between such values there is nothing
    look: Any = "bars" if not numbers else "points" if jumps else "line"
    return Panel("", name, worth, (Series("", x, y, low, high, look),))


def _scored(value: float, score: bool) -> float:
    return (value + 1) / 2 if score else value


def _axis(swept: Sweep, name: str) -> Axis:
    values = list(dict.fromkeys(str(row[name]) for row in swept.rows))
    whole = all(value.lstrip("-").isdigit() for value in values)
    labels: tuple[Label, ...] = tuple(int(value) if whole else value for value in values)
    return Axis(name, labels)


def _is_number(text: str) -> bool:
    try:
        Fraction(text)
    except (ValueError, ZeroDivisionError):
        return False
    return True
