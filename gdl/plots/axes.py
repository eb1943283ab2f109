"""Which variables of the position become axes? Those that matter, most values first; the rest is held fixed.

1. Where a player moves is drawn, and of that what `--at` leaves.
2. A variable that never matters is left out: what is drawn is the same whatever its value, or it follows from
   the others. That is tried on a sample; what is drawn is compared again, cell by cell (`Cell.mixed`).
3. Whose turn it is stays as at the start, if that matters, or nobody can tell whether it does, since it
   follows from the rest.
4. Two variables are chosen: a square of a board gives its column and row; else those with most values. Of
   three equally long ones the middle one makes slices.
5. What is left makes slices, if there are none yet, or stays as at the start of the game; as in most
   positions, where the start would leave nothing to draw.

Cells of a board, each a variable, are no axes: `maps.py` then draws the moves on the board of one position.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np

from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import bad_range, no_such_value, no_such_variable, nothing_to_plot
from gdl.plots.solved import Column, Solved

_HELD = re.compile(r"(\w+(?:\[[^\]]*\])?)\s*=\s*(\[[^\]]*\]|\S+)")
"""`NAME=VALUE`, of an element too, and of all elements of a map: `banked=[0 30]`."""

Key = Callable[[int], Hashable]
"""What is drawn of a position, by its number: equal where the drawing is."""

SAMPLED = 400
"""Pairs of positions that say whether a variable matters."""

MOST_SLICES = 6
FEW_SLICES = 4
LONGEST = 200
"""Values on an axis; of more, evenly spaced ones are drawn."""

SURFACE = 34
"""Values on each axis of the ground of a surface."""

LONGEST_STRIP = 64
"""Of the only axis of names and moves: the first ones, unless others are asked for."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user says of axes: `NAME` or `NAME=LO..HI`, and values to hold fixed."""

    x: str | None = None
    y: str | None = None
    slices: str | None = None
    z: str | None = None
    at: str | None = None


@dataclass
class View:
    """Axes that were chosen, and the numbers of the positions that are drawn on them."""

    x: Column
    y: Column | None
    slices: Column | None
    z: Column | None
    rows: Any
    fixed: list[str] = field(default_factory=list)
    held: list[tuple[Column, int]] = field(default_factory=list)  # of what is fixed: the ordinals
    left_out: list[str] = field(default_factory=list)
    chosen: dict[str, list[int]] = field(default_factory=dict)  # ordinals that are drawn, by column
    shortened: list[str] = field(default_factory=list)  # axes of which not all values are drawn


def check_names(known: Sequence[str], wishes: Wishes) -> None:
    """Raises GameError for a variable that positions do not have, before the game is solved."""
    axes = [text.partition("=")[0] for text in (wishes.x, wishes.y, wishes.slices, wishes.z) if text]
    whole = {name.partition("[")[0] for name in known}
    held = [name for name, value in _HELD.findall(wishes.at or "")
            if not (value.startswith("[") and name in whole)]  # fmt: skip
    for name in (*axes, *held):
        if _bare(name) not in known:
            raise GameError([no_such_variable(name, known)])


def choose(solved: Solved, key: Key, wishes: Wishes, strip: bool) -> View:
    """The axes of a map; `strip`: a single axis is not to be long. Raises GameError for wishes that fit no
    position."""
    return _Choice(solved, key, wishes, strip).view()


def _bare(name: str) -> str:
    return re.sub(r"\s*,\s*", ", ", name.strip())


class _Choice:
    def __init__(self, solved: Solved, key: Key, wishes: Wishes, strip: bool):
        self.solved, self.key, self.wishes, self.strip = solved, key, wishes, strip
        self.by_name = {column.name: column for column in solved.columns}
        self.rows = np.flatnonzero(solved.mover >= 0)
        self.fixed: list[str] = []
        self.held: list[tuple[Column, int]] = []
        self.left_out: list[str] = []
        self.chosen: dict[str, list[int]] = {}
        self.shortened: list[str] = []
        self.named: dict[str, Column] = {}
        random = np.random.default_rng(1)  # any numbers do: they mix columns into one
        self.mixing = {name: np.uint64(random.integers(1, 1 << 62) * 2 + 1) for name in self.by_name}

    def view(self) -> View:
        self._hold(self.wishes.at)
        for role in ("x", "y", "slices", "z"):
            text = getattr(self.wishes, role)
            if text is not None:
                self.named[role] = self._axis(text)
        if len({column.name for column in self.named.values()}) < len(self.named):
            raise GameError([nothing_to_plot("two axes have the same variable", "Name another one.")])
        open_ = self._that_matter()
        for column in [c for c in open_ if c.is_player]:
            self._fix(column)
        open_ = [c for c in open_ if not c.is_player and self._varies(c)]
        x, y = self._pair(open_)
        slices, z = self.named.get("slices"), self.named.get("z")
        for column in sorted(open_, key=lambda c: -self._count(c)):
            if column in (x, y, slices, z) or not self._varies(column):
                continue
            if slices is None and z is None and y is not None and column.readable:
                slices = column
            else:
                self._fix(column, [axis for axis in (x, y) if axis is not None])
        drawn: Column | None
        for drawn, most in (
            (x, self._longest(x, y)),
            (y, SURFACE if z else LONGEST),
            (slices, 0),
            (z, LONGEST),
        ):
            if drawn is not None:
                self._thin(drawn, most, drawn is slices)
        return View(
            x, y, slices, z, self.rows, self.fixed, self.held, self.left_out, self.chosen, self.shortened
        )

    def _longest(self, x: Column, y: Column | None) -> int:
        if self.named.get("z"):
            return SURFACE
        if y is not None or not self.strip:
            return LONGEST
        if not x.is_number:
            return LONGEST_STRIP
        some = self.rows[:: max(1, len(self.rows) // LONGEST_STRIP)]
        different = len({self.key(int(row)) for row in some})
        return (
            LONGEST if different > LONGEST_STRIP // 2 else LONGEST_STRIP
        )  # else moves are points, not names

    # ------------------------------------------------------------------ what the user says

    def _hold(self, text: str | None) -> None:
        for name, value in _HELD.findall(text or ""):
            if value.startswith("["):  # `banked=[0 30]`, as positions are written
                elements = [c.name for c in self.solved.columns if c.name.startswith(f"{name}[")]
                values = value[1:-1].split()
                if len(elements) != len(values):
                    raise GameError([no_such_value(name, value, [f"{len(elements)} values"])])
                for element, one in zip(elements, values, strict=True):
                    self._only(element, one)
            else:
                self._only(name, value)
        rest = _HELD.sub("", text or "").strip(" ,")
        if rest:
            raise GameError([no_such_variable(rest, list(self.by_name))])

    def _only(self, name: str, value: str) -> None:
        column = self._column(name)
        found = {str(column.label(n)): n for n in self._present(column)}
        if value not in found:
            raise GameError([no_such_value(name, value, list(found))])
        self.rows = self.rows[column.numbers[self.rows] == found[value]]
        self.fixed.append(f"{name}={value}")
        self.held.append((column, found[value]))

    def _column(self, name: str) -> Column:
        bare = _bare(name)
        if bare not in self.by_name:
            raise GameError([no_such_variable(name, list(self.by_name))])
        return self.by_name[bare]

    def _axis(self, text: str) -> Column:
        """The variable of `NAME` or `NAME=LO..HI`, with the positions that this leaves."""
        name, equals, span = text.partition("=")
        column = self._column(name)
        if not column.readable:
            raise GameError([nothing_to_plot(f"`{name}` has too many values for an axis", "Name another.")])
        if equals:
            ends = re.fullmatch(r"\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*", span)
            if ends is None or not column.is_number:
                raise GameError([bad_range(text, "an axis is `NAME` or `NAME=LO..HI`, of whole numbers")])
            low, high = (int(end) - column.type.lo for end in ends.groups())
            there = self._present(column)
            inside = (column.numbers[self.rows] >= low) & (column.numbers[self.rows] <= high)
            self.rows = self.rows[inside]
            if not len(self.rows):
                raise GameError([no_such_value(name, span, [str(column.label(n)) for n in there])])
            self.chosen[column.name] = self._present(column)
        return column

    # --------------------------------------------------------------------- what matters

    def _present(self, column: Column) -> list[int]:
        return [int(number) for number in np.unique(column.numbers[self.rows])]

    def _count(self, column: Column) -> int:
        return len(self._present(column))

    def _varies(self, column: Column) -> bool:
        numbers = column.numbers[self.rows]
        return len(numbers) > 0 and bool((numbers != numbers[0]).any())

    def _that_matter(self) -> list[Column]:
        """The columns without which cells would not be alike, in order of declaration."""
        varying = [column for column in self.solved.columns if self._varies(column)]
        mixed = np.zeros(len(self.rows), np.uint64)
        for column in varying:
            mixed += column.numbers[self.rows].astype(np.uint64) * self.mixing[column.name]
        for column in sorted(varying, key=self._count):
            if column in self.named.values() or len(varying) == 1:
                continue
            without = mixed - column.numbers[self.rows].astype(np.uint64) * self.mixing[column.name]
            if not self._matters(without, unless_seen=column.is_player):
                varying.remove(column)
                self.left_out.append(column.name)
                mixed = without
        return varying

    def _matters(self, others: Any, unless_seen: bool) -> bool:
        """Whether positions that are alike in all others are drawn differently, in a sample of them. Where
        there are none it does, `unless_seen`."""
        order = np.argsort(others, kind="stable")
        alike = np.flatnonzero(others[order][1:] == others[order][:-1])
        if unless_seen and not len(alike):
            return True
        if len(alike) > SAMPLED:
            alike = alike[np.linspace(0, len(alike) - 1, SAMPLED).astype(int)]
        rows = self.rows[order]
        return any(self.key(int(rows[k])) != self.key(int(rows[k + 1])) for k in alike)

    def _fix(self, column: Column, axes: Sequence[Column] = ()) -> None:
        """Leaves the value that the start of the game has, or else the one that most positions have: where
        none has it, or where no axis would be left."""
        numbers = column.numbers[self.rows]
        if not self._varies(column):
            return
        value = column.numbers[self.solved.start]
        left = self.rows[numbers == value]
        if not len(left) or (axes and all(len(np.unique(axis.numbers[left])) == 1 for axis in axes)):
            found, counts = np.unique(numbers, return_counts=True)
            value = found[counts.argmax()]
        self.rows = self.rows[numbers == value]
        self.fixed.append(f"{column.name}={column.label(int(value))}")
        self.held.append((column, int(value)))

    # ------------------------------------------------------------------------- the axes

    def _pair(self, open_: Sequence[Column]) -> tuple[Column, Column | None]:
        x, y = self.named.get("x"), self.named.get("y")
        if x is not None and (y is not None or x.is_place):
            return x, y
        left = [c for c in open_ if c.readable and c not in self.named.values()]
        left.sort(key=lambda c: (-self._size(c), self.solved.columns.index(c)))
        if not left and x is None and y is None:
            raise GameError(
                [
                    nothing_to_plot(
                        "nothing that could be an axis differs between the positions that are left",
                        "Fix fewer variables, or name one: `--x NAME`.",
                    )
                ]
            )
        if x is not None or y is not None:
            other = left[0] if left else None
            if x is None:
                assert y is not None
                return (other, y) if other is not None else (y, None)
            return x, other
        places = [column for column in left if column.is_place]
        if places and sum(column.is_number for column in left) < 2:
            return places[0], None
        if len(left) == 1:
            return left[0], None
        longest = [column for column in left if self._size(column) == self._size(left[0])]
        if len(longest) >= 3:
            return longest[0], longest[-1]
        first, second = left[:2]
        return (second, first) if self._count(second) < self._count(first) else (first, second)

    def _size(self, column: Column) -> int:
        """How long an axis would be, roughly; numbers go before names."""
        return round(log(max(1, self._count(column))) / log(1.6)) + (100 if column.is_number else 0)

    def _thin(self, column: Column, most: int, slices: bool) -> None:
        """Of too many values those that are drawn."""
        present = self._present(column)
        kept = present
        if slices and len(present) > MOST_SLICES:
            kept = round_numbers(present, FEW_SLICES)
        elif not slices and len(present) > most:
            step = -(-len(present) // most)
            kept = present[:most] if most == LONGEST_STRIP else present[::step]
        if kept is not present:
            self.rows = self.rows[np.isin(column.numbers[self.rows], kept)]
            if not slices:
                apart = kept[-1] - kept[-2]
                every = "" if apart == 1 else f", every {apart}"
                ends = f"{column.label(kept[0])} to {column.label(kept[-1])}"
                all_ends = f"{column.label(present[0])} to {column.label(present[-1])}"
                others = "; `--x NAME=LO..HI` draws others" if column.is_number else ""
                self.shortened.append(f"{column.name} from {ends}{every}, of {all_ends}{others}")
        self.chosen[column.name] = kept


def round_numbers(present: Sequence[int], count: int) -> list[int]:
    """A few of many numbers, a round distance apart.

    >>> round_numbers(range(100), 4)
    [0, 30, 60, 90]
    """
    apart = (present[-1] - present[0]) / (count - 1)
    power = 10 ** int(log(max(apart, 1)) / log(10))
    step = max(1, int(apart / power) * power)
    there = set(present)
    wanted = (present[0] + k * step for k in range(count + 1))
    return [number for number in wanted if number in there][: count + 1] or list(present[:count])
