"""Source text and places in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any


@dataclass(frozen=True, eq=False)
class Source:
    """The text of one game file and the name it is shown under (a path, `<stdin>`, `<text>`).

    `path` is the file that it was read from, if any: what the text borrows is looked for in the same folder.
    """

    name: str
    text: str = field(repr=False)
    path: Path | None = field(default=None, repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for i, char in enumerate(self.text):
            if char == "\n":
                starts.append(i + 1)
        return starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of a character offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its newline."""
        starts = self._line_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` (included) to `end` (excluded) of a source."""

    source: Source = field(repr=False)
    start: int
    end: int

    def __or__(self, other: Span) -> Span:
        """The smallest span that covers both."""
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))

    def covers(self, other: Span) -> bool:
        return self.source is other.source and self.start <= other.start and other.end <= self.end

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        return self.source.line_column(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.line_column(self.start)[1]

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


def place(span: Span | None) -> dict[str, Any] | None:
    """A span as plain data for `--json`: lines and columns from 1, the end excluded."""
    if span is None:
        return None
    line, column = span.source.line_column(span.start)
    end_line, end_column = span.source.line_column(span.end)
    return {
        "file": span.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }
