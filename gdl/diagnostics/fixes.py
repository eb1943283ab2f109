"""What mends a mistake: edits of the text, offered by editors and made by `gdl check --fix`.

A fix is *safe* if nothing else can have been meant: `&&` is `and`. Names that look alike are guesses, which
a person accepts or not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gdl.diagnostics.source import Span, place


@dataclass(frozen=True, slots=True)
class Edit:
    """`text` instead of what stands in the span."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    title: str
    edits: tuple[Edit, ...]
    safe: bool = False

    def as_data(self) -> dict[str, Any]:
        edits = [{"place": place(edit.span), "text": edit.text} for edit in self.edits]
        return {"title": self.title, "safe": self.safe, "edits": edits}


def replace(span: Span, text: str, *, safe: bool = False, title: str | None = None) -> Fix:
    """Writes `text` in the place of what stands there."""
    return Fix(title or (f"write `{text.strip()}`" if text else "remove it"), (Edit(span, text),), safe)


def insert(span: Span, text: str, *, safe: bool = False) -> Fix:
    """Adds `text` behind the span."""
    return Fix(f"add `{text.strip()}`", (Edit(Span(span.source, span.end, span.end), text),), safe)


def word(span: Span, text: str, *, safe: bool = False) -> Fix:
    """As `replace`, for a word that needs space around it."""
    whole = span.source.text
    before = "" if whole[span.start - 1 : span.start] in ("", " ", "\n", "(") else " "
    behind = "" if whole[span.end : span.end + 1] in ("", " ", "\n") else " "
    return replace(span, before + text + behind, safe=safe)


def guess(span: Span | None, name: str, meant: str | None) -> tuple[Fix, ...]:
    """For a name that was perhaps meant to be another; nothing where none is near."""
    if meant is None or span is None or span.text != name:
        return ()
    return (replace(span, meant, title=f"change `{name}` to `{meant}`"),)


def apply(text: str, fixes: Iterable[Fix]) -> tuple[str, int]:
    """The text with the fixes made, and how many were: one that touches what another changed is left out."""
    chosen: list[Edit] = []
    made = 0
    for fix in fixes:
        if all(_apart(edit, other) for edit in fix.edits for other in chosen):
            chosen.extend(fix.edits)
            made += 1
    for edit in sorted(chosen, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text, made


def _apart(one: Edit, other: Edit) -> bool:
    return one.span.end < other.span.start or other.span.end < one.span.start
