"""Results as lines of pieces with styles: printed in colour by commands, and plain by `print(result)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gdl.diagnostics.columns import width
from gdl.diagnostics.render import Styled
from gdl.diagnostics.render import plain as plain_line

Facts = Sequence[tuple[str, str]]
"""Names and what is to be said of each."""


def facts_lines(facts: Facts, title: str | None = None) -> Iterator[Styled]:
    """Facts in two columns, below a blank line and a title; nothing at all if there are none."""
    if not facts:
        return
    if title:
        yield []
        yield [(title, "bold")]
    column = max(len(name) for name, _ in facts)
    for name, text in facts:
        first, *rest = text.split("\n")
        yield [(f"  {name:<{column}}", "cyan"), (f"   {first}", "")]
        for line in rest:
            yield [(" " * (column + 5) + line, "")]


def table_lines(
    headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()
) -> Iterator[Styled]:
    """A table, two spaces between columns; the columns of `numbers` end at the right."""
    table = [list(headings), *(list(row) for row in rows)]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    for k, row in enumerate(table):
        cells = []
        for heading, cell, room in zip(headings, row, widths, strict=True):
            space = " " * (room - width(cell))
            cells.append(space + cell if heading in numbers else cell + space)
        yield [("  ".join(cells).rstrip(), "" if k else "bold")]


def plain(lines: Iterable[Styled]) -> str:
    """The lines without their styles."""
    return "\n".join(map(plain_line, lines))
