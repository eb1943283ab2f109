"""HTML for notebooks: headings, facts and tables in the colours of their page, light or dark.

All text is escaped here; callers give plain text, and `raw` only for pictures that are HTML already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import Any

_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = "padding:.15em .7em;vertical-align:top;background:none"


def printed(self: object, printer: Any, cycle: bool) -> None:
    """For `_repr_pretty_`: where notebooks and IPython take no HTML they show what `print` shows."""
    printer.text(str(self))


def card(title: str, *parts: str, beside: str = "") -> str:
    """A title, what stands beside it, and below it parts that are HTML."""
    head = f"<b>{escape(title)}</b>" + (
        f" <span style='opacity:.75'>{escape(beside)}</span>" if beside else ""
    )
    return f"<div style='color:inherit;margin:.3em 0'>{head}{''.join(parts)}</div>"


def words(text: str) -> str:
    """A paragraph; line breaks stay."""
    return f"<p style='margin:.3em 0'>{escape(text).replace(chr(10), '<br>')}</p>" if text else ""


def facts(named: Iterable[tuple[str, str]]) -> str:
    """Names, and what is to be said of each."""
    rows = "".join(
        f"<tr style='background:none'><td style='{_CELL};text-align:left;opacity:.75'>{escape(name)}</td>"
        f"<td style='{_CELL};text-align:left'>{escape(said).replace(chr(10), '<br>')}</td></tr>"
        for name, said in named
    )
    return f"<table style='border-collapse:collapse;margin:.3em 0'>{rows}</table>" if rows else ""


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Collection[str] = (),
    strong: Collection[int] = (),
) -> str:
    """A table below its headings: the columns of `numbers` end at the right, the rows of `strong` are
    bold."""
    sides = ["right" if heading in numbers else "left" for heading in headings]

    def line(cells: Sequence[str], tag: str, bold: bool) -> str:
        weight = ";font-weight:bold" if bold else ""
        each = "".join(
            f"<{tag} style='{_CELL};text-align:{side};border-bottom:{_LINE}{weight}'>{escape(cell)}</{tag}>"
            for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr style='background:none'>{each}</tr>"

    body = "".join(line(row, "td", k in strong) for k, row in enumerate(rows))
    return (
        f"<table style='border-collapse:collapse;margin:.3em 0'>{line(headings, 'th', True)}{body}</table>"
        if body
        else ""
    )


def folded(title: str, content: str) -> str:
    """What is opened by a click."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>" if content else ""


def raw(picture: str) -> str:
    """A picture that is HTML already, in a frame that scrolls where it is too wide."""
    return f"<div style='overflow-x:auto'>{picture}</div>"
