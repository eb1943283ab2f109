"""Diagnostics as people read them: the message, the source line with carets, the other places, the fix.

error[E201]: `bord` is not known here
  --> tictactoe.gdl:14:26
   |
14 | move place(c: Cell) when bord[c] == empty:
   |                          ^^^^
help: did you mean `board`?
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TextIO

from gdl.diagnostics.columns import printable, width
from gdl.diagnostics.core import Diagnostic, Severity
from gdl.diagnostics.source import Source, Span

MOST_SHOWN = 100
MOST_ALIKE = 10
"""More diagnostics than this, or with the same message, are only counted."""

WIDEST_LINE = 160
"""Of longer source lines the part around the carets is shown."""

MOST_LINES = 6
"""Of longer spans the first and last lines are shown."""

Styled = list[tuple[str, str]]
"""Pieces of one line of output with the style of each."""

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_GUTTER = "bold blue"
_SECONDARY = "bold blue"
_HELP = "bold green"


def print_diagnostics(diagnostics: Sequence[Diagnostic], stream: TextIO, *, of: str | None = None) -> None:
    """Writes all diagnostics and a summary, in colour where the stream is a terminal that wants it.

    `of` names what was read; by default the files of the diagnostics are named.
    """
    for line in _report(diagnostics, of):
        write_styled(line, stream)


def render(diagnostic: Diagnostic) -> str:
    """One diagnostic as plain text, without a final newline."""
    return "\n".join(plain(line) for line in _diagnostic(diagnostic))


def render_all(diagnostics: Sequence[Diagnostic], *, of: str | None = None) -> str:
    """All diagnostics and a summary as plain text."""
    return "".join(plain(line) + "\n" for line in _report(diagnostics, of))


def summary(diagnostics: Iterable[Diagnostic], of: str | None = None) -> str:
    """`2 errors, 1 warning in pig.gdl`."""
    diagnostics = list(diagnostics)
    counts = [
        _count(sum(d.severity is severity for d in diagnostics), severity.value) for severity in Severity
    ]
    if of is None:
        files = {d.span.source.name for d in diagnostics if d.span}
        of = files.pop() if len(files) == 1 else f"{len(files)} files" if files else None
    found = ", ".join(filter(None, counts)) or "no problem"
    return f"{found} in {printable(of)}" if of else found


def wants_colour(stream: TextIO) -> bool:
    """Colours are for terminals, and only for people who have not declined them (no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def plain(line: Styled) -> str:
    return "".join(text for text, _ in line).rstrip()


def write_styled(line: Styled, stream: TextIO) -> None:
    if not wants_colour(stream):
        stream.write(plain(line) + "\n")
        return
    from rich.console import Console
    from rich.text import Text

    Console(file=stream, highlight=False, soft_wrap=True).print(Text.assemble(*line))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}" if number else ""


def _report(diagnostics: Sequence[Diagnostic], of: str | None) -> Iterator[Styled]:
    shown = _worth_showing(diagnostics)
    for diagnostic in shown:
        yield from _diagnostic(diagnostic)
        yield []
    if len(diagnostics) > len(shown):
        yield [(f"… and {len(diagnostics) - len(shown):,} more", "")]
    if diagnostics:
        worst = min(diagnostics, key=lambda d: list(Severity).index(d.severity)).severity
        yield [(summary(diagnostics, of), _STYLES[worst])]


def _worth_showing(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    shown: list[Diagnostic] = []
    alike: Counter[tuple[str, str]] = Counter()
    for diagnostic in diagnostics:
        alike[diagnostic.code, diagnostic.message] += 1
        if alike[diagnostic.code, diagnostic.message] <= MOST_ALIKE and len(shown) < MOST_SHOWN:
            shown.append(diagnostic)
    return shown


def _diagnostic(diagnostic: Diagnostic) -> Iterator[Styled]:
    style = _STYLES[diagnostic.severity]
    message = printable(diagnostic.message, keep="\n")
    yield [(f"{diagnostic.severity}[{diagnostic.code}]", style), (f": {message}", "bold")]
    margin = 0
    if diagnostic.span:
        marks = [_Mark(diagnostic.span, "", style, "^")]
        marks += [_Mark(label.span, label.message, _SECONDARY, "-") for label in diagnostic.labels]
        margin = max(len(str(mark.last_line)) for mark in marks)
        for number, source in enumerate(dict.fromkeys(mark.span.source for mark in marks)):
            here = [mark for mark in marks if mark.span.source is source]
            yield from _excerpt(source, here, margin, "-->" if number == 0 else ":::")
    for name, text in diagnostic.context:
        lines = printable(text, keep="\n").split("\n")
        beside = lines.pop(0) if len(lines) == 1 else ""
        yield [(" " * margin + " = ", _GUTTER), (f"{name}: ", "bold"), (beside, "")]
        yield from ([(" " * (margin + 5) + line, "")] for line in lines)
    if diagnostic.hint:
        yield [("help", _HELP), (f": {printable(diagnostic.hint, keep=chr(10))}", "")]


# -------------------------------------------------------------------------- excerpts


@dataclass(frozen=True)
class _Mark:
    """A span to be underlined, with `sign`, and what is said about it."""

    span: Span
    message: str
    style: str
    sign: str

    @property
    def first_line(self) -> int:
        return self.span.line

    @property
    def last_line(self) -> int:
        return self.span.source.line_column(max(self.span.start, self.span.end - 1))[0]

    @property
    def is_long(self) -> bool:
        """Whether it goes over several lines, which only the primary mark shows."""
        return self.sign == "^" and self.last_line > self.first_line

    def columns(self, line: str) -> tuple[int, int]:
        """The characters of its first line that it covers, at least one."""
        start = self.span.column - 1
        end = start + (self.span.end - self.span.start) if self.last_line == self.first_line else len(line)
        return start, max(end, start + 1)


def _excerpt(source: Source, marks: Sequence[_Mark], margin: int, arrow: str) -> Iterator[Styled]:
    """The lines of one source that carry marks, in order, with `...` where lines are left out."""
    yield [(" " * margin + arrow + " ", _GUTTER), (printable(str(marks[0].span)), "")]
    yield _gutter(margin)
    long = next((mark for mark in marks if mark.is_long), None)
    covered = _lines_of(long) if long else []
    shown = 0
    for line in sorted({mark.first_line for mark in marks} | set(covered)):
        if shown and line > shown + 1:
            yield [("." * max(margin, 3), _GUTTER)]
        shown = line
        here = [mark for mark in marks if mark.first_line == line and mark is not long]
        yield from _line(source, line, here, long, margin)


def _lines_of(mark: _Mark) -> list[int]:
    lines = list(range(mark.first_line, mark.last_line + 1))
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 2], lines[-1]]


def _line(
    source: Source, number: int, marks: Sequence[_Mark], long: _Mark | None, margin: int
) -> Iterator[Styled]:
    """One source line and what is under it; a span over several lines is a bracket at their left."""
    text = source.line(number)
    window = _window(text, [mark.columns(text) for mark in marks] or [(0, 1)])
    bar: Styled = [] if long is None else [("  ", "")]
    if long and long.first_line <= number <= long.last_line:
        bar = [("/ " if number == long.first_line else "| ", long.style)]
    yield [*_gutter(margin, number), *bar, (window.shown, "")]
    if long and long.first_line <= number < long.last_line:
        bar = [("| ", long.style)]
    yield from ([*_gutter(margin), *bar, *under] for under in _underlines(marks, text, window))
    if long and number == long.last_line:
        end = source.line_column(max(long.span.start, long.span.end - 1))[1]
        reach = max(0, window.column(end - 1))
        yield [*_gutter(margin), ("|" + "_" * (reach + 1) + long.sign, long.style)]


def _gutter(margin: int, number: int | None = None) -> Styled:
    return [(f"{'' if number is None else number:>{margin}} | ", _GUTTER)]


@dataclass(frozen=True)
class _Window:
    """The part of a source line that is shown: characters first..last, as they are shown."""

    text: str
    first: int
    last: int

    @property
    def shown(self) -> str:
        left = "…" if self.first else ""
        right = "…" if self.last < len(self.text) else ""
        return left + printable(self.text[self.first : self.last]) + right

    def column(self, character: int) -> int:
        """The column on the screen at which a character of the line starts."""
        inside = min(max(character, self.first), self.last)
        behind = min(max(character - len(self.text), 0), 1)
        return bool(self.first) + width(printable(self.text[self.first : inside])) + behind


def _window(text: str, ranges: Sequence[tuple[int, int]]) -> _Window:
    if len(text) <= WIDEST_LINE:
        return _Window(text, 0, len(text))
    start = min(start for start, _ in ranges)
    first = max(0, min(start - WIDEST_LINE // 3, len(text) - WIDEST_LINE))
    return _Window(text, first, first + WIDEST_LINE)


def _underlines(marks: Sequence[_Mark], text: str, window: _Window) -> Iterator[Styled]:
    """The carets under a line, and the messages: the rightmost beside its carets, the others below.

    board[c] = trun
    -----      ^^^^
    |
    declared here
    """
    if not marks:
        return
    placed = []
    for mark in sorted(marks, key=lambda mark: (mark.span.start, mark.sign == "^")):
        start, end = mark.columns(text)
        left = window.column(start)
        placed.append((left, max(window.column(end), left + 1), mark))
    reach = max(right for _, right, _ in placed)
    signs: Styled = [(" ", "")] * reach
    for left, right, mark in sorted(placed, key=lambda p: p[2].sign == "^"):  # the primary mark on top
        signs[left:right] = [(mark.sign, mark.style)] * (right - left)
    below = [(left, mark) for left, _, mark in placed if mark.message]
    beside: Styled = []
    if below and placed[-1][2] is below[-1][1]:
        _, mark = below.pop()
        beside = [(" " + printable(mark.message), mark.style)]
    runs = groupby(signs, key=lambda sign: sign)
    yield [*((sign * len(list(run)), style) for (sign, style), run in runs), *beside]
    while below:
        yield _stems(below)
        left, mark = below.pop()
        stems = _stems([(at, other) for at, other in below if at < left])
        space = " " * (left - sum(len(text) for text, _ in stems))
        yield [*stems, (space, ""), (printable(mark.message), mark.style)]


def _stems(marks: Sequence[tuple[int, _Mark]]) -> Styled:
    """A `|` under the start of each mark."""
    line: Styled = []
    at = 0
    for left, mark in marks:
        if left >= at:
            line.append((" " * (left - at) + "|", mark.style))
            at = left + 1
    return line
