"""The parts of a file as a list: items, and the variables of the position below theirs."""

from __future__ import annotations

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
        case tree.Doc():
            return None
        case tree.GameName():
            return Entry(item.name.id, "game", item.span, item.name.span)
        case tree.PositionItem():
            below = tuple(Entry(v.name.id, "variable", v.span, v.name.span) for v in item.variables)
            return Entry("position", "section", item.span, _word(item.span, "position"), below)
        case tree.Players():
            below = tuple(Entry(name.id, "player", name.span, name.span) for name, _ in item.names)
            return Entry("players", "section", item.span, _word(item.span, "players"), below)
        case tree.Initial() | tree.Show():
            word = "initial" if isinstance(item, tree.Initial) else "show"
            return Entry(word, "section", item.span, _word(item.span, word))
        case tree.Section():
            return Entry(item.keyword, "section", item.span, _word(item.span, item.keyword))
        case tree.Expect():
            return Entry(" ".join(item.span.text.split()), "expect", item.span, _word(item.span, "expect"))
    return Entry(item.name.id, KINDS[type(item)], item.span, item.name.span)


def _word(span: Span, word: str) -> Span:
    return Span(span.source, span.start, span.start + len(word))
