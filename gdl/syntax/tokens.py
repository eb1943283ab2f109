"""From text to tokens: words, numbers, strings, operators, and the layout as tokens of its own.

Layout works as in Python: a deeper line opens a block (_INDENT), a shallower one closes it (_DEDENT), a
logical line ends with _NEWLINE, and inside brackets line ends mean nothing. Comments are kept apart for
the formatter. Mistakes become diagnostics and reading goes on behind them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from gdl.diagnostics import Diagnostic, Source, Span
from gdl.diagnostics import wording as say

MAX_CHARACTERS = 2_000_000
MAX_LINE = 20_000
MAX_BRACKETS = 60
MAX_INDENTATION = 30

Kind = Literal["NAME", "NUMBER", "STRING", "LONG_STRING", "OP", "_NEWLINE", "_INDENT", "_DEDENT"]


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment from its `#` to the end of the line; `alone` if nothing else is on the line."""

    text: str
    start: int
    end: int
    alone: bool


@dataclass(frozen=True, slots=True)
class Tokens:
    source: Source
    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    diagnostics: tuple[Diagnostic, ...]


# One alternative per kind of token; an operator is the longest that fits.
_TOKEN = re.compile(
    r"""
      (?P<LONG_STRING>\"\"\"[\s\S]*?\"\"\")
    | (?P<STRING>"[^"\n]*")
    | (?P<NUMBER>\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))
    | (?P<NAME>[^\W\d]\w*)
    | (?P<OP>\*\*|\.\.|->|==|!=|<=|>=|\+=|-=|\*=|/(?!/)|&(?!&)|\|(?!\|)|[-+*<>=~?:,.()\[\]{}])
    """,
    re.VERBOSE,
)
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = {")": "(", "]": "[", "}": "{"}

# A line that starts in the first column with one of these begins a new item, whatever came before.
ITEM_WORDS = frozenset(
    "game use param players type const position initial player terminal utility minimise stuck limit "
    "discount endless def effect move secret policy feature evaluate show expect".split()
)
_ITEM_LINE = re.compile(r"(?:" + "|".join(sorted(ITEM_WORDS)) + r")\b\s*(?:\w|:|\()")


_OPERATORS = frozenset(
    "and or in is after as where weighted + * / div mod ** == != < <= > >= .. | & = += -= *= ~".split()
)
_CONTINUING = _OPERATORS | frozenset("when weight otherwise visible".split())
"""What cannot start a line of a block."""

_UNFINISHED = _OPERATORS | frozenset("not when weight if else for - ,".split())
"""What cannot end a line."""


def tokenize(source: Source) -> Tokens:
    """All tokens of a file, ending with the _DEDENTs that close its open blocks."""
    if len(source.text) > MAX_CHARACTERS:
        whole = Span(source, 0, 0)
        return Tokens(source, (), (), (say.file_too_long(whole, len(source.text), MAX_CHARACTERS),))
    return _Tokenizer(source).run()


class _Tokenizer:
    def __init__(self, source: Source):
        self.source = source
        self.text = source.text
        self.tokens: list[Token] = []
        self.comments: list[Comment] = []
        self.diagnostics: list[Diagnostic] = []
        self.indents = [0]
        self.brackets: list[Token] = []

    def run(self) -> Tokens:
        text, at = self.text, 0
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            at = self.line(at, end)
        if self.brackets:
            self.never_closed()
        self.end_line(len(text))
        for _ in self.indents[1:]:
            self.add("_DEDENT", "", len(text), len(text))
        return Tokens(self.source, tuple(self.tokens), tuple(self.comments), tuple(self.diagnostics))

    def line(self, start: int, end: int) -> int:
        """Reads the physical line text[start:end] (further if a long string runs on); the next start."""
        text = self.text
        if end - start > MAX_LINE:
            self.report(say.line_too_long(self.span(start, start + 1), end - start, MAX_LINE))
            return end + 1
        at = start
        while at < end and text[at] in " \t\r\f":
            at += 1
        if at == end:
            return end + 1
        if text[at] == "#":
            self.comments.append(Comment(text[at:end].rstrip(), at, end, True))
            return end + 1
        if self.brackets and at == start and _ITEM_LINE.match(text, at, end):
            self.never_closed()
        if not self.brackets and not self.indent(start, at):
            return end + 1
        while at < end:
            char = text[at]
            if char in " \t\r\f":
                at += 1
                continue
            if char == "#":
                self.comments.append(Comment(text[at:end].rstrip(), at, end, False))
                break
            match = _TOKEN.match(text, at)
            if match is None:
                at = self.bad_character(at, end)
                continue
            token = self.add(match.lastgroup, match.group(), at, match.end())  # type: ignore[arg-type]
            at = match.end()
            if token.kind == "OP":
                self.bracket(token)
            elif token.kind == "LONG_STRING" and at > end:
                end = text.find("\n", at)
                end = len(text) if end < 0 else end
        if not self.brackets:
            self.end_line(self.tokens[-1].end if self.tokens else end)
        return end + 1

    def indent(self, start: int, at: int) -> bool:
        """Compares the white space before a logical line with the open blocks; False drops the line."""
        blank = self.text[start:at]
        if "\t" in blank:
            self.report(say.tab_in_indentation(self.span(start, at)))
            blank = blank.expandtabs(4)
        width = len(blank)
        if width > self.indents[-1] and self.goes_on(at):
            return True
        if width > self.indents[-1]:
            if len(self.indents) > MAX_INDENTATION:
                self.report(say.nested_too_deeply(self.span(start, at + 1)))
                return False
            self.indents.append(width)
            self.add("_INDENT", "", start, at)
            return True
        above = [*self.indents]
        while width < self.indents[-1]:
            self.indents.pop()
            self.add("_DEDENT", "", at, at)
        if width != self.indents[-1]:
            self.report(say.uneven_indentation(self.span(start, at + 1), width, above))
        return True

    def goes_on(self, at: int) -> bool:
        """Whether a line that is indented under one without `:` was meant to continue that one.

        It is reported, and read so, lest its indentation be taken for that of a block.
        """
        if len(self.tokens) < 2 or self.tokens[-1].kind != "_NEWLINE" or self.tokens[-2].text == ":":
            return False
        first = _TOKEN.match(self.text, at)
        word = first.group() if first else ""
        if word not in _CONTINUING:
            if self.tokens[-2].text not in _UNFINISHED:
                return False
            word = ""
        before = self.span(self.tokens[-2].start, at).line
        if not any(d.span and d.span.line == before for d in self.diagnostics[-1:]):  # as for a `\\`
            self.report(say.continued_line(self.span(at, first.end() if first else at + 1), word))
        self.tokens.pop()
        return True

    def bracket(self, token: Token) -> None:
        if token.text in _OPENING:
            self.brackets.append(token)
            if len(self.brackets) == MAX_BRACKETS + 1:
                self.report(say.nested_too_deeply(self.span(token.start, token.end)))
        elif token.text in _CLOSING:
            if not self.brackets:
                self.report(say.never_opened(self.span(token.start, token.end), _CLOSING[token.text]))
                self.tokens.pop()
            else:
                opened = self.brackets.pop()
                if opened.text != _CLOSING[token.text]:
                    self.report(
                        say.wrong_bracket(
                            self.span(token.start, token.end),
                            self.span(opened.start, opened.end),
                            _OPENING[opened.text],
                        )
                    )

    def never_closed(self) -> None:
        for opened in self.brackets:
            span = self.span(opened.start, opened.end)
            self.report(say.never_closed(span, _OPENING[opened.text]))
        self.brackets.clear()
        self.end_line(self.tokens[-1].end)

    def bad_character(self, at: int, end: int) -> int:
        """Reports what starts at `at` and can be no token; where to go on."""
        text = self.text
        if text.startswith('"""', at):
            self.report(say.unfinished_string(self.span(at, at + 3), '"""'))
            return len(text)
        if text[at] == '"':
            self.report(say.unfinished_string(self.span(at, end), '"'))
            return end
        if match := re.compile(r"\d\w*").match(text, at):
            self.report(say.bad_number(self.span(at, match.end())))
            return match.end()
        if text[at] == "%" and self.percent(at):
            return at + 1
        if (meant := say.meant_by(text[at])) is not None:
            return self.typographic(at, end, meant)
        for wrong in ("&&", "||", "!", "'", "^", "%", "//", ";", "@", "\\", "`", "$"):
            if text.startswith(wrong, at):
                until = at + len(wrong)
                if wrong == "'" and (close := text.find("'", at + 1, end)) > 0:
                    until = close + 1
                self.report(say.foreign_symbol(self.span(at, until), wrong))
                return until
        until = at + 1
        while until < end and not text[until].isascii() and _TOKEN.match(text, until) is None:
            until += 1
        self.report(say.unknown_character(self.span(at, until)))
        return until

    def percent(self, at: int) -> bool:
        """`50%` is reported, and read as 50 / 100; not `a % b`."""
        last = self.tokens[-1] if self.tokens else None
        if last is None or last.kind != "NUMBER" or last.end != at:
            return False
        if re.compile(r"\s*[\w(]").match(self.text, at + 1):
            return False
        span = self.span(last.start, at + 1)
        self.report(say.percent(span, str(Fraction(last.text) / 100)))
        self.add("OP", "/", at, at)
        self.add("NUMBER", "100", at, at + 1)
        return True

    def typographic(self, at: int, end: int, meant: str) -> int:
        """A character such as `≤` is reported, and read as what it means; where to go on."""
        text, until = self.text, at + 1
        self.report(say.typographic(self.span(at, until), meant))
        if meant == '"':
            close = next((i for i in range(until, end) if text[i] in say.QUOTES), None)
            if close is not None:
                self.report(say.typographic(self.span(close, close + 1), meant))
                self.add("STRING", f'"{text[until:close]}"', at, close + 1)
                return close + 1
            return until
        for word in re.finditer(r"[^\W\d]\w*|\d+|[^\w\s]+", meant):
            kind = "NAME" if word[0][0].isalpha() else "NUMBER" if word[0].isdigit() else "OP"
            self.add(kind, word[0], at, until)  # type: ignore[arg-type]
        return until

    def end_line(self, at: int) -> None:
        if self.tokens and self.tokens[-1].kind not in ("_NEWLINE", "_INDENT", "_DEDENT"):
            self.add("_NEWLINE", "\n", at, at)

    def add(self, kind: Kind, text: str, start: int, end: int) -> Token:
        token = Token(kind, text, start, end)
        self.tokens.append(token)
        return token

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)
