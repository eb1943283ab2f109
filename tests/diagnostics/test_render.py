"""How diagnostics look."""

from __future__ import annotations

import io

import pytest

from gdl.diagnostics import Diagnostic, Label, Severity, Source, Span
from gdl.diagnostics.columns import printable, width
from gdl.diagnostics.render import MOST_ALIKE, MOST_SHOWN, print_diagnostics, render, render_all, summary

TEXT = """\
game pig

position:
    banked[player]: 0..goal = 0
    pot: 0..goal = 0

move hold when pot > 0:
    banked[turn] = min(banked[turn] + pot, goal)
    pass_dice
"""
SOURCE = Source("pig.gdl", TEXT)


def span(text: str, number: int = 0, source: Source = SOURCE) -> Span:
    """The place of a piece of the text."""
    at = -1
    for _ in range(number + 1):
        at = source.text.index(text, at + 1)
    return Span(source, at, at + len(text))


def error(where: Span | None, *labels: Label, hint: str | None = None, **rest: object) -> Diagnostic:
    return Diagnostic("E104", Severity.ERROR, "something is wrong", where, labels, hint, **rest)  # type: ignore[arg-type]


def shown(diagnostic: Diagnostic) -> str:
    return "\n" + render(diagnostic) + "\n"


def test_one_place() -> None:
    assert (
        shown(error(span("turn"), hint="do this"))
        == """
error[E104]: something is wrong
 --> pig.gdl:8:12
  |
8 |     banked[turn] = min(banked[turn] + pot, goal)
  |            ^^^^
help: do this
"""
    )


def test_both_ends_of_a_conflict_in_the_order_of_the_file() -> None:
    diagnostic = error(span("pot > 0"), Label(span("pot: 0..goal"), "declared here"))
    assert (
        shown(diagnostic)
        == """
error[E104]: something is wrong
 --> pig.gdl:7:16
  |
5 |     pot: 0..goal = 0
  |     ------------ declared here
...
7 | move hold when pot > 0:
  |                ^^^^^^^
"""
    )


def test_several_marks_on_a_line() -> None:
    line = "banked[turn]"
    diagnostic = error(span("min"), Label(span(line), "this"), Label(span(line, 1), "and this"))
    assert (
        shown(diagnostic)
        == """
error[E104]: something is wrong
 --> pig.gdl:8:20
  |
8 |     banked[turn] = min(banked[turn] + pot, goal)
  |     ------------   ^^^ ------------ and this
  |     |
  |     this
"""
    )


def test_marks_one_above_the_other() -> None:
    diagnostic = error(span("turn"), Label(span("banked[turn]"), "of this"))
    assert (
        shown(diagnostic)
        == """
error[E104]: something is wrong
 --> pig.gdl:8:12
  |
8 |     banked[turn] = min(banked[turn] + pot, goal)
  |     -------^^^^-
  |     |
  |     of this
"""
    )


def test_a_span_over_several_lines() -> None:
    start = TEXT.index("move hold")
    whole = Span(SOURCE, start, len(TEXT.rstrip()))
    assert (
        shown(error(whole))
        == """
error[E104]: something is wrong
 --> pig.gdl:7:1
  |
7 | / move hold when pot > 0:
8 | |     banked[turn] = min(banked[turn] + pot, goal)
9 | |     pass_dice
  | |_____________^
"""
    )


def test_a_long_span_is_cut() -> None:
    source = Source("long.gdl", "\n".join(f"line {n}" for n in range(1, 40)))
    lines = render(error(Span(source, 0, len(source.text)))).split("\n")
    assert len(lines) < 14
    assert lines[-2].endswith("line 39")


def test_another_file_has_a_head_of_its_own() -> None:
    other = Source("other.gdl", "param goal = 1\n")
    text = render(error(span("pot"), Label(span("goal", source=other), "this")))
    assert " --> pig.gdl:5:5" in text
    assert " ::: other.gdl:1:7" in text


def test_context_and_no_place() -> None:
    diagnostic = error(None, context=(("position", "pot=3"), ("board", "..x\n.o.")))
    assert (
        shown(diagnostic)
        == """
error[E104]: something is wrong
 = position: pot=3
 = board:
     ..x
     .o.
"""
    )


@pytest.mark.parametrize(
    ("text", "marked", "line", "carets"),
    [
        ("\tx = 1", "x", "    x = 1", "    ^"),
        ("漢字 = x", "x", "漢字 = x", "       ^"),
        ("e\u0301 = x", "x", "e\u0301 = x", "    ^"),
        ("x = \x1b[31m", "\x1b", "x = \u241b[31m", "    ^"),
        ("x = ", "", "x =", "^"),
    ],
)
def test_columns(text: str, marked: str, line: str, carets: str) -> None:
    source = Source("f", text)
    *_, shown_line, shown_carets = render(error(span(marked, source=source))).split("\n")
    assert shown_line.removeprefix("1 | ") == line
    assert shown_carets.removeprefix("  | ") == carets


def test_the_end_of_the_file() -> None:
    source = Source("f", "x = 1\n")
    *_, line, carets = render(error(Span(source, 6, 6))).split("\n")
    assert (line, carets) == ("2 |", "  | ^")


def test_a_very_long_line_is_shown_around_the_mark() -> None:
    source = Source("f", "x" * 5000 + " here " + "y" * 5000)
    *_, line, carets = render(error(span("here", source=source))).split("\n")
    assert len(line) < 200
    at = carets.index("^")
    assert line[at : at + 4] == "here"


def test_control_characters_never_reach_the_terminal() -> None:
    source = Source("evil\x1b[2J.gdl", "x = \x1b]0;title\x07")
    diagnostic = Diagnostic("E1", Severity.ERROR, "a \x1b[31m b", span("x", source=source), hint="\x9b31m")
    assert not [c for c in render(diagnostic) if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0]


def test_summary() -> None:
    warning = Diagnostic("W101", Severity.WARNING, "unused", span("pot"))
    assert summary([error(span("pot")), error(span("min")), warning]) == "2 errors, 1 warning in pig.gdl"
    assert summary([warning], of="-") == "1 warning in -"
    assert summary([error(None)]) == "1 error"
    assert summary([]) == "no problem"
    other = Diagnostic("E1", Severity.ERROR, "wrong", span("x", source=Source("b.gdl", "x")))
    assert summary([warning, other]) == "1 error, 1 warning in 2 files"


def test_floods_are_counted() -> None:
    same = [Diagnostic("E1", Severity.ERROR, "same", None)] * 50
    text = render_all(same)
    assert text.count("error[E1]") == MOST_ALIKE
    assert "40 more" in text
    assert text.endswith("50 errors\n")
    different = [Diagnostic("E1", Severity.ERROR, f"{n}", None) for n in range(300)]
    assert render_all(different).count("error[E1]") == MOST_SHOWN


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_only_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    diagnostics = [error(span("turn"))]
    plain, coloured, declined = io.StringIO(), Terminal(), Terminal()
    print_diagnostics(diagnostics, plain)
    print_diagnostics(diagnostics, coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    print_diagnostics(diagnostics, declined)
    assert "\x1b[" in coloured.getvalue()
    assert plain.getvalue() == declined.getvalue() == render_all(diagnostics)


def test_width() -> None:
    assert width("ab") == 2
    assert width("漢") == 2
    assert width("e\u0301") == 1
    assert printable("a\tb\x00") == "a    b\u2400"
