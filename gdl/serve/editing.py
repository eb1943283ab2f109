"""A text that is being written: what its words are, what is wrong with it, what mends that, what may follow.

Places are counted in UTF-16 units, as JavaScript counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from gdl.diagnostics import Diagnostic, Severity, Span
from gdl.lsp.analysis import Analysis, analyse
from gdl.lsp.completion import complete
from gdl.lsp.highlighting import highlighted
from gdl.lsp.hover import hover
from gdl.serve.loaded import Recent
from gdl.syntax.format import format_text
from gdl.syntax.parse import Memory

Data = dict[str, Any]

MOST_PROPOSED = 60

_memories: Recent[Memory] = Recent(16)
_analyses: Recent[Analysis] = Recent(16)


def check(game: Mapping[str, Any]) -> Data:
    """Everything that the editor shows of a text."""
    analysis = _analysed(game)
    units = Units(analysis.source.text)
    return {
        "good": analysis.model is not None and not analysis.mistaken,
        "tokens": [[units.of(start), units.of(end), kind] for start, end, kind, _ in highlighted(analysis)],
        "diagnostics": [
            told(diagnostic, units)
            for diagnostic in analysis.diagnostics
            if diagnostic.span is None or diagnostic.span.source is analysis.source
        ],
    }


def proposals(game: Mapping[str, Any], at: int) -> list[Data]:
    """What could be written at a place, the likeliest first."""
    analysis = _analysed(game)
    text = analysis.source.text
    offset = Units(text).offset(at)
    start = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    typed = text[start:offset].lower()
    found = complete(analysis, offset, _memories.get(game["name"]))
    fitting = [each for each in found if each.name.lower().startswith(typed)] or [
        each for each in found if typed in each.name.lower()
    ]
    fitting.sort(key=lambda each: not each.first)
    return [{"name": p.name, "kind": p.kind, "detail": p.detail} for p in fitting[:MOST_PROPOSED]]


def explained(game: Mapping[str, Any], at: int) -> Data | None:
    """What stands at a place, in Markdown."""
    analysis = _analysed(game)
    units = Units(analysis.source.text)
    found = hover(analysis, units.offset(at))
    if found is None:
        return None
    text, span = found
    return {"text": text, "start": units.of(span.start), "end": units.of(span.end)}


def formatted(game: Mapping[str, Any]) -> str:
    """The text in its canonical form; as it is where it cannot be read."""
    analysis = _analysed(game)
    return format_text(analysis.source) if analysis.readable else analysis.source.text


def _analysed(game: Mapping[str, Any]) -> Analysis:
    name, text, path = str(game["name"]), str(game["text"]), game.get("path")
    key = name, text, path
    if (found := _analyses.get(key)) is not None:
        return found
    memory = _memories.get(name)
    if memory is None:
        memory = _memories.keep(name, {})
    return _analyses.keep(key, analyse(text, path or f"{name}.gdl", memory))


# ----------------------------------------------------------------------------------- as plain data


class Units:
    """Characters of a text counted as JavaScript counts them."""

    def __init__(self, text: str):
        self._length = len(text)
        self._starts = (
            None if text.isascii() else [0, *accumulate(2 if ord(char) > 0xFFFF else 1 for char in text)]
        )

    def of(self, offset: int) -> int:
        return offset if self._starts is None else self._starts[min(offset, len(self._starts) - 1)]

    def offset(self, units: int) -> int:
        """The character at a place; the first or last one where the place is outside of the text."""
        offset = units if self._starts is None else bisect_left(self._starts, units)
        return min(max(offset, 0), self._length)


def told(diagnostic: Diagnostic, units: Units) -> Data:
    """A diagnostic with its place and the edits that mend it."""

    def place(span: Span) -> list[int]:
        return [units.of(span.start), units.of(span.end)]

    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": "error" if diagnostic.severity is Severity.ERROR else str(diagnostic.severity),
        "message": diagnostic.message,
        "hint": diagnostic.hint or "",
        "line": span.line if span else 0,
        "span": place(span) if span else [0, 0],
        "labels": [{"span": place(label.span), "message": label.message} for label in diagnostic.labels],
        "fixes": [
            {"title": fix.title, "edits": [[*place(edit.span), edit.text] for edit in fix.edits]}
            for fix in diagnostic.fixes
        ],
    }
