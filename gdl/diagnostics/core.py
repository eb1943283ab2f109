"""The diagnostic record and the one exception that carries diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from gdl.diagnostics.fixes import Fix
from gdl.diagnostics.source import Span, place


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that matters: the other end of a conflict, an earlier declaration."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: a permanent code, a place, the cause in the words of the game, and a fix.

    `context` carries run-time facts (the position, the move) as (name, text) pairs; `fixes` what mends it,
    the likeliest first.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    labels: tuple[Label, ...] = ()
    hint: str | None = None
    context: tuple[tuple[str, str], ...] = ()
    fixes: tuple[Fix, ...] = ()

    def __str__(self) -> str:
        where = f"{self.span}: " if self.span else ""
        return f"{where}{self.severity}[{self.code}]: {self.message}"

    def quoted_in(self, whole: Span) -> Diagnostic:
        """This, of a text that stands within a place of another: there; at all of that if it is not found."""
        inner = self.span
        if inner is None or inner.source is whole.source:
            return self
        at = whole.text.find(inner.source.text)
        start = whole.start + at + inner.start
        span = whole if at < 0 else Span(whole.source, start, start + inner.end - inner.start)
        return replace(self, span=span, fixes=())

    def as_data(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "message": self.message,
            "place": place(self.span),
            "labels": [{"place": place(label.span), "message": label.message} for label in self.labels],
            "hint": self.hint,
            "context": dict(self.context),
            "fixes": [fix.as_data() for fix in self.fixes],
        }


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """File by file, in the order of each, without repeats; those without a place first."""
    unique = dict.fromkeys(diagnostics)
    return tuple(
        sorted(unique, key=lambda d: (d.span.source.name, d.span.start, d.span.end) if d.span else ("", 0, 0))
    )


class GameError(Exception):
    """A game that cannot be read, checked or played on. Carries one or more diagnostics."""

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        self.diagnostics = tuple(diagnostics)
        helps = (f"{d}\nhelp: {d.hint}" if d.hint else str(d) for d in self.diagnostics)
        super().__init__("\n".join(helps))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)  # so that one of another process arrives as it was
