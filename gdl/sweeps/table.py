"""The table that a sweep gives: shown as text, written as CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from gdl.diagnostics import GameError
from gdl.diagnostics.commands import cannot_write
from gdl.diagnostics.drawing import unknown_format
from gdl.diagnostics.html import card, printed, table, words

LONGEST_FRACTION = 24
"""Of the text of a table; files have all of it."""

FORMATS = (".csv", ".json", ".parquet", ".txt")


@dataclass(frozen=True)
class Sweep:
    """Rows in the order of the points; `partial` where it was stopped before the last."""

    game: str
    parameters: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    total: int
    partial: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of all columns, the parameters first."""
        names = dict.fromkeys([*self.parameters, *(name for row in self.rows for name in row)])
        problem = names.pop("problem", 0)
        return [*names, *(["problem"] if problem is None else [])]

    def text(self) -> str:
        """The table for the terminal, without columns that say nothing; what every row says stands below."""
        table = self._shown()
        widths = [max(len(line[k]) for line in table) for k in range(len(table[0]))]
        lines = [
            "  ".join(word.rjust(width) for word, width in zip(line, widths, strict=True)) for line in table
        ]
        return "\n".join([*(line.rstrip() for line in lines), self._of_all()])

    def _of_all(self) -> str:
        """How all values are known, and by which solver, where that is the same."""
        return "; ".join(
            f"{name} {self.rows[0][name]}" for name in ("kind", "solver") if self._says_one(name)
        )

    def _says_one(self, name: str) -> bool:
        return len({row.get(name) for row in self.rows}) == 1 and self.rows[0].get(name) is not None

    def _shown(self) -> list[list[str]]:
        """The names of columns, and below them the rows, as people read them."""
        from solvers.core.numbers import show_rough

        def shown(value: Any) -> str:
            if value is None:
                return ""
            return show_rough(value, 6) if isinstance(value, float) else str(value)

        quiet = {"low", "high", "positions", "exact", "seconds"}
        quiet |= {name for name in ("kind", "solver") if self._says_one(name)}
        names = [
            name
            for name in self.columns
            if name in self.parameters
            or (name not in quiet and any(row.get(name) is not None for row in self.rows))
        ]
        uncertain = any(row.get("low") != row.get("high") for row in self.rows)
        proven = all(row.get("kind") == "exact" for row in self.rows if row.get("value") is not None)
        if uncertain and any(row.get("kind") == "estimate" for row in self.rows):
            at = names.index("value") + 1
            names[at:at] = ["low", "high"]
        fractions = [row.get("exact") or "" for row in self.rows]
        if proven and "/" in "".join(fractions) and max(map(len, fractions)) <= LONGEST_FRACTION:
            names.insert(names.index("value") + 1, "exact")
        return [names, *([shown(row.get(name)) for name in names] for row in self.rows)]

    def __str__(self) -> str:
        return self.text()

    _repr_pretty_ = printed

    def _repr_html_(self) -> str:
        names, *rows = self._shown()
        return card(self.game, table(names, rows, names), words(self._of_all()))

    def as_data(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "parameters": list(self.parameters),
            "partial": self.partial,
            "rows": [{name: row.get(name) for name in self.columns} for row in self.rows],
        }

    def csv(self) -> str:
        file = io.StringIO()
        writer = csv.DictWriter(file, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return file.getvalue()

    def to_frame(self) -> Any:
        """A DataFrame of pandas or polars, or else a list of dicts."""
        from solvers.core.frames import frame

        return frame(self.as_data()["rows"])

    def save(self, path: str | Path) -> None:
        """Writes the table; the ending of the name says how: .csv .json .parquet .txt. Raises GameError."""
        from solvers.files.container import write_atomically

        path = Path(path)
        check_table_target(path)
        write_atomically(path, lambda file: self._write(file, path.suffix.lower()))

    def _write(self, file: IO[bytes], suffix: str) -> None:
        if suffix == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.Table.from_pylist(self.as_data()["rows"]), file)
        elif suffix == ".csv":
            file.write(self.csv().encode())
        elif suffix == ".json":
            file.write((json.dumps(self.as_data(), indent=1, ensure_ascii=False) + "\n").encode())
        else:
            file.write((self.text() + "\n").encode())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)


def check_table_target(path: Path) -> None:
    """Raises GameError where the ending means nothing or the folder is missing, before a long computation."""
    from solvers.files.container import check_writable

    if path.suffix.lower() not in FORMATS:
        raise GameError([unknown_format(path.name, path.suffix, FORMATS, "table")])
    if not path.parent.is_dir():
        raise GameError([cannot_write(str(path), "there is no such folder")])
    check_writable(path)
