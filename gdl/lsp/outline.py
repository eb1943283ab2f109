"""The parts of a file as a list: items, and the variables of the position below theirs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gdl.diagnostics import Span
from gdl.lsp.analysis import Analysis
from gdl.lsp.names import KINDS
from gdl.syntax import tree


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    kind: str
    span: Span
    named_at: Span
    below: tuple[Entry, ...] = field(default=())


def outline(analysis: Analysis) -> list[Entry]:
    return [entry for item in analysis.file.items if (entry := _entry(item)) is not None]


def _entry(item: tree.Item) -> Entry | None:
    match item:
        case tree.Doc() | tree.Use():
            return None
        case tree.GameName():
            return Entry(item.name.id, "game", item.span, item.name.span)
        case tree.PositionItem():
            below = tuple(Entry(v.name.id, "variable", v.span, v.name.span) for v in item.variables)
            return _section(item, below)
        case tree.Players():
            return _section(
                item, tuple(Entry(name.id, "player", name.span, name.span) for name, _ in item.names)
            )
        case tree.Expect() | tree.ExpectAll():
            line = " ".join(item.span.text.split())
            return Entry(
                line, "expect", item.span, Span(item.span.source, item.span.start, item.span.start + 6)
            )
    kind, name = KINDS.get(type(item)), getattr(item, "name", None)
    if kind is None or not isinstance(name, tree.Name):
        return _section(item)
    return Entry(name.id, kind, item.span, name.span)


def _section(item: tree.Item, below: tuple[Entry, ...] = ()) -> Entry:
    """A part that is known by the word that it begins with."""
    word = re.match(r"\w*", item.span.text)
    length = word.end() if word else 0
    named_at = Span(item.span.source, item.span.start, item.span.start + length)
    return Entry(named_at.text or "?", "section", item.span, named_at, below)
